package aggregate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// frame is the row K, T, V.
type frame struct{}

func (frame) Resolve(_, name string) (expr.Node, error) {
	kind := map[string]value.Kind{"K": value.Bytes, "T": value.Int, "V": value.Bytes}[name]
	return &expr.Column{Index: strings.Index("KTV", name), T: value.Type{Kind: kind, Nullable: true}}, nil
}

func boundAggregate(t *testing.T, text string) (bound *setfunc.Aggregate) {
	parsed, err := parse.Parse("DO " + text)
	require.NoError(t, err)
	b := &bind.Binder{Scope: frame{}, Agg: func(a *setfunc.Aggregate) (expr.Node, error) {
		bound = a
		return &expr.Const{}, nil
	}}
	_, err = b.Bind(parsed.Stmt.(*ast.Do).Exprs[0])
	require.NoError(t, err)
	return bound
}

func testSession() *function.Session { return &function.Session{} }

func TestGroupConcatIsCut(t *testing.T) {
	b := boundAggregate(t, "GROUP_CONCAT(REPEAT('é', 300))")
	session := testSession()
	var warned []uint16
	session.AddWarning = func(code uint16, _ string) { warned = append(warned, code) }
	state := NewState(b, &Memory{})
	for range 3 {
		require.NoError(t, state.Add(&expr.Env{Env: function.Env{Session: session}}))
	}
	v, err := state.Result()
	require.NoError(t, err)
	require.Len(t, v.Raw(), 1023, "1024 bytes, and no half character")
	require.Equal(t, []uint16{uint16(mysqlerr.CutValueGroupConcat)}, warned)
}

// TestGroupConcatForgets compares the result of rows in many orders, most of which are dropped
// early, with that of the sorted rows.
func TestGroupConcatForgets(t *testing.T) {
	b := boundAggregate(t, "GROUP_CONCAT(V ORDER BY T DESC SEPARATOR 'x')")
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for range 100 {
		var want []byte
		rows := make([][]value.Value, 3000)
		for i := range rows {
			text := fmt.Sprintf("%d.", i)
			rows[i] = []value.Value{{}, value.NewInt(int64(-i / 3)), value.NewBytes([]byte(text))}
			want = append(append(want, text...), 'x')
		}
		// Equal rows stay in their order: only whole threes are moved.
		threes := r.Perm(1000)
		memory := &Memory{}
		state := NewState(b, memory)
		for _, three := range threes {
			for _, row := range rows[3*three : 3*three+3] {
				require.NoError(t, state.Add(&expr.Env{Row: row, Env: function.Env{Session: testSession()}}))
			}
		}
		require.Less(t, len(state.acc.(*concatAcc).kept.rows), 2500, "rows are forgotten")
		v, err := state.Result()
		require.NoError(t, err)
		require.Equal(t, string(want[:1024]), string(v.Raw()))
	}
}

// TestStatesTakeFewAllocations checks that many groups share their memory.
func TestStatesTakeFewAllocations(t *testing.T) {
	for _, text := range []string{"COUNT(*)", "SUM(T)", "AVG(T)", "MIN(T)", "MAX(V)"} {
		b := boundAggregate(t, text)
		memory := &Memory{}
		env := &expr.Env{Row: []value.Value{{}, value.NewInt(7), value.NewBytes([]byte("12"))}, Env: function.Env{Session: testSession()}}
		allocations := testing.AllocsPerRun(1000, func() {
			require.NoError(t, NewState(b, memory).Add(env))
		})
		require.Less(t, allocations, 1.0, text)
	}
}

// TestStatesAreFreed checks that a state does not keep earlier ones alive.
func TestStatesAreFreed(t *testing.T) {
	b := boundAggregate(t, "MAX(V)")
	c := boundAggregate(t, "COUNT(*)")
	memory := &Memory{}
	env := &expr.Env{Row: []value.Value{{}, value.NewInt(7), value.NewBytes([]byte("12"))}, Env: function.Env{Session: testSession()}}
	var freed atomic.Bool
	for i := range 1000 {
		state := NewState(b, memory)
		require.NoError(t, state.Add(env))
		require.NoError(t, NewState(c, memory).Add(env))
		if i == 100 {
			runtime.AddCleanup(state.acc.(*minMaxAcc), func(int) { freed.Store(true) }, 0)
		}
	}
	require.Eventually(t, func() bool { runtime.GC(); return freed.Load() }, time.Minute, time.Millisecond)
	runtime.KeepAlive(memory)
}
