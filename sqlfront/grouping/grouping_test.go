package grouping_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/grouping"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// frame is the row k, v.
type frame struct{}

func (frame) Resolve(_, name string) (expr.Node, error) {
	return &expr.Column{Index: strings.Index("kv", name), T: value.Type{Kind: value.Int, Nullable: true}}, nil
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

// maker makes the groups of a part's rows; those that do not fit in memory go to rest, and what
// groups remember to a backlog.
type maker struct {
	*grouping.Table
	memory  aggregate.Memory
	backlog *grouping.Backlog
	rest    *grouping.Overflow
	env     expr.Env
}

func newMaker(space *spill.Space, s *grouping.Shape, env expr.Env) *maker {
	m := &maker{env: env}
	m.memory.Account, m.memory.Hold = space.Account(), true
	m.Table = grouping.NewTable(s, &m.memory)
	m.rest, m.backlog = grouping.NewOverflow(space, s), grouping.NewBacklog(space, m.Table)
	return m
}

func (m *maker) add(row []value.Value, at grouping.Place) error {
	m.env.Row = row
	keys := row[:1]
	key := value.AppendKeys(nil, keys)
	g := m.Find(key)
	switch {
	case g == grouping.NoGroup && m.memory.Full():
		return m.rest.Add(&m.env, key, keys, nil, at)
	case g == grouping.NoGroup:
		number, _ := m.Keys.Add(key)
		m.Add(key, keys, nil, at)
		g = int32(number)
	case m.memory.Full():
		return m.backlog.Add(&m.env, g)
	}
	for _, c := range m.States {
		if err := c.Add(&m.env, g); err != nil {
			return err
		}
	}
	return nil
}

// take reads the results of the groups that remain in memory.
func (m *maker) take(gone func(group int32) bool, to map[string]string) error {
	if err := m.backlog.End(); err != nil {
		return err
	}
	for group := range int32(len(m.Places)) {
		if err := m.backlog.AddTo(&m.env, group); err != nil {
			return err
		}
		if gone(group) {
			continue
		}
		var results []value.Value
		for _, c := range m.States {
			v, err := c.Result(group)
			if err != nil {
				return err
			}
			results = append(results, v)
		}
		to[value.Print(m.First(nil, group)[0])] = printRow(results)
	}
	return m.Close()
}

func printRow(row []value.Value) string {
	var out []string
	for _, v := range row {
		out = append(out, value.Print(v))
	}
	return strings.Join(out, " ")
}

// TestGroups compares groups of random rows, in memory and in files, with those of a map, including
// their first rows.
func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	shape := grouping.NewShape([]expr.Node{&expr.Column{T: value.Type{Kind: value.Int}}}, nil, true,
		[]*setfunc.Aggregate{boundAggregate(t, "SUM(v)"), boundAggregate(t, "COUNT(DISTINCT v)"), boundAggregate(t, "GROUP_CONCAT(v)")})
	for _, memory := range []int64{0, 1 << 20, 64 << 10, 16 << 10} {
		var rows [][]value.Value
		for range 20_000 {
			rows = append(rows, []value.Value{value.NewInt(r.Int64N(1 + r.Int64N(3000))), value.NewInt(r.Int64N(50))})
		}
		var counters spill.Counters
		space := &spill.Space{}
		space.Init(context.Background(), spill.Options{Memory: memory, Dir: t.TempDir(), Workers: 2, Counters: &counters})
		got := groupsOf(t, space, shape, rows)
		want := expected(rows)
		require.Len(t, got, len(want))
		for key := range want {
			require.Equal(t, want[key], got[key], key)
		}
		require.NoError(t, space.Close())
		if memory == 16<<10 {
			require.NotZero(t, counters.Files.Load())
		}
	}
}

// groupsOf returns the results of groups by their keys.
func groupsOf(t *testing.T, space *spill.Space, shape *grouping.Shape, rows [][]value.Value) map[string]string {
	var env expr.Env
	env.Held, env.Session, env.Ctx = &function.Held{}, &function.Session{}, context.Background()
	m := newMaker(space, shape, env)
	for at, row := range rows {
		require.NoError(t, m.add(row, grouping.PlaceIn(0, int64(at))))
	}
	got := map[string]string{}
	require.NoError(t, m.take(func(int32) bool { return false }, got))
	m.memory.Release()
	late, err := grouping.NewLate(space, 2, &env, grouping.NewUnion(nil), m.rest)
	require.NoError(t, err)
	last := grouping.Place(-1)
	for {
		g, ok, err := late.Next()
		require.NoError(t, err)
		if !ok {
			break
		}
		require.Greater(t, g.Place, last)
		last = g.Place
		require.Equal(t, value.Print(rows[g.Place][0]), value.Print(g.First[0]))
		got[value.Print(g.First[0])] = printRow(g.Results)
	}
	require.NoError(t, late.Close())
	return got
}

func expected(rows [][]value.Value) map[string]string {
	values := map[string][]string{}
	sums := map[string]int64{}
	for _, row := range rows {
		key := value.Print(row[0])
		values[key] = append(values[key], fmt.Sprint(row[1].Int()))
		sums[key] += row[1].Int()
	}
	out := map[string]string{}
	for key, list := range values {
		text := strings.Join(list, ",")
		slices.Sort(list)
		out[key] = fmt.Sprintf("%d %d '%s'", sums[key], len(slices.Compact(list)), text)
	}
	return out
}

// TestUnion checks that of the groups of one key in several tables the one with the earliest row
// stays, with the rows of all.
func TestUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 2))
	shape := grouping.NewShape([]expr.Node{&expr.Column{T: value.Type{Kind: value.Int}}}, nil, true,
		[]*setfunc.Aggregate{boundAggregate(t, "SUM(v)"), boundAggregate(t, "COUNT(v)")})
	space := &spill.Space{}
	space.Init(context.Background(), spill.Options{Dir: t.TempDir()})
	var tables []*grouping.Table
	want, firsts, first := map[string]string{}, map[string]grouping.Place{}, map[string][2]int64{}
	for part := range int32(3) {
		m := newMaker(space, shape, expr.Env{})
		for at := range int64(500) {
			k, v := r.Int64N(400), r.Int64N(100)
			place := grouping.PlaceIn(part, at)
			require.Equal(t, part, place.Part())
			require.NoError(t, m.add([]value.Value{value.NewInt(k), value.NewInt(v)}, place))
			key := fmt.Sprint(k)
			if _, known := firsts[key]; !known {
				firsts[key] = place
			}
			has := first[key]
			first[key] = [2]int64{has[0] + v, has[1] + 1}
			want[key] = fmt.Sprintf("%d %d", first[key][0], first[key][1])
		}
		tables = append(tables, m.Table)
	}
	slices.Reverse(tables)
	u := grouping.NewUnion(tables)
	require.NoError(t, u.Unite(context.Background(), 2))
	got := map[string]string{}
	for i, table := range tables {
		for group := range int32(len(table.Places)) {
			ref := rowmem.KeyID{Table: int32(i), Number: group}
			if u.Gone(ref) {
				continue
			}
			key := value.Print(table.First(nil, group)[0])
			require.NotContains(t, got, key)
			require.Equal(t, firsts[key], u.PlaceOf(ref))
			var results []value.Value
			for _, s := range table.StatesOf(group) {
				v, err := s.Result()
				require.NoError(t, err)
				results = append(results, v)
			}
			got[key] = printRow(results)
		}
	}
	require.Equal(t, want, got)
}
