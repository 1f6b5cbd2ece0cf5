package constrain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// BenchmarkBuild is the cost of a prepared statement's constraint at each execution.
func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct{ name, where, args string }{
		{"row", "K = ?", "a"},
		{"cell", "K = ? AND Q = ?", "a q"},
		{"cell and value", "K = ? AND Q = ? AND V = ?", "a q v"},
		{"version", "K = ? AND Q = ? AND T = 5", "a q"},
		{"range", "K >= ? AND K < ?", "a b"},
		{"prefix", "K LIKE ?", "a%"},
		{"keyset", "(K, Q) > (?, ?)", "a q"},
		{"float time", "T > 1.5e0", ""},
		{"filter", "V = ?", "a"},
		{"no pushdown", "LENGTH(V) > 3 AND V LIKE '%x'", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			env := &expr.Env{}
			for _, arg := range strings.Fields(c.args) {
				env.Params = append(env.Params, value.NewBytes([]byte(arg)))
			}
			benchmarkBuild(b, c.where, env)
		})
	}
}

// BenchmarkBuildList is the cost of long lists.
func BenchmarkBuildList(b *testing.B) {
	var keys, cells []string
	for i := range 10_000 {
		keys = append(keys, fmt.Sprintf("'row%05d'", i*7919%10_000))
		cells = append(cells, fmt.Sprintf("('row%05d','q%d',%d)", i*7919%10_000, i%3, i))
	}
	for _, c := range []struct{ name, where string }{
		{"in", "K IN (" + strings.Join(keys, ",") + ")"},
		{"not in", "K NOT IN (" + strings.Join(keys, ",") + ")"},
		{"or", "K = " + strings.Join(keys, " OR K = ")},
		{"tuples", "(K, Q, T) IN (" + strings.Join(cells, ",") + ")"},
		{"product", "K IN (" + strings.Join(keys[:100], ",") + ") AND Q IN ('a','b','c','d','e')"},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkBuild(b, c.where, &expr.Env{}) })
	}
}

func benchmarkBuild(b *testing.B, where string, env *expr.Env) {
	node, err := bindWhere(where)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := constrain.Build(node, tableColumns, env, constrain.View{AllVersions: true}); err != nil {
			b.Fatal(err)
		}
	}
}
