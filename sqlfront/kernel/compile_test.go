package kernel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestOperandsAreCompiledOnce checks that levels of an expression without a loop do not double the
// work.
func TestOperandsAreCompiledOnce(t *testing.T) {
	var n expr.Node = &expr.Column{Index: 2, T: value.Type{Kind: value.Int}}
	for range 200 {
		n = &expr.Arith{Op: expr.Plus, L: n, R: &expr.Const{V: value.NewDigits(15, -1, 1)}}
	}
	c := &Compiler{Schema: benchBatch(0).Schema(), Env: &expr.Env{Row: make([]value.Value, 4), Env: function.Env{Session: &function.Session{}}}}
	require.IsType(t, &applied{}, c.Compile(n))
	require.LessOrEqual(t, maxCompiled-c.left, 401)
}

// TestCompilingIsBounded compiles nested times, for which all ways are tried.
func TestCompilingIsBounded(t *testing.T) {
	var n expr.Node = &expr.Column{Index: 2, T: value.Type{Kind: value.Int}}
	for range 100 {
		var err error
		n, err = bind.NewCall("FROM_UNIXTIME", n)
		require.NoError(t, err)
		n, err = bind.NewCall("DATE_FORMAT", n, &expr.Const{V: value.NewString("%Y")})
		require.NoError(t, err)
	}
	c := &Compiler{Schema: benchBatch(0).Schema(), Env: &expr.Env{Row: make([]value.Value, 4), Env: function.Env{Session: &function.Session{}}}}
	require.NotNil(t, c.Compile(n))
	require.Negative(t, c.left)
}

// TestLongListsAreCompiled checks that the items of a list that is looked up in a set do not make
// an expression too large, whatever their kind.
func TestLongListsAreCompiled(t *testing.T) {
	column := &expr.Column{Index: 3, T: value.Type{Kind: value.Bytes}}
	for _, item := range []func(i int64) value.Value{value.NewInt, func(i int64) value.Value { return value.NewDigits(i, -2, 2) },
		func(i int64) value.Value { return value.NewBytes([]byte{byte(i), byte(i >> 8)}) }} {
		in := &expr.In{X: column}
		children := []expr.Node{column}
		for i := range int64(5000) {
			children = append(children, &expr.Const{V: item(i)})
		}
		require.True(t, Pure(in.With(children)))
	}
}
