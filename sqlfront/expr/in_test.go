package expr_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestInSetsAgree compares sets with comparing item by item.
func TestInSetsAgree(t *testing.T) {
	const seed = 20261121
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	literals := []string{"'a'", "'A'", "'a '", "''", "'\u00e4'", "'ss'", "X'61'", "X'ff'", "1", "-1", "0", "'1'", "'01'", "1.0", "18446744073709551615", "NULL"}
	numbers := []string{"1", "-1", "0", "1.0", "0.3333", "0.33333", "9007199254740993", "9007199254740992", "18446744073709551615", "NULL", "1e0", "9007199254740992e0"}
	groups := [][]string{literals, literals[:6], literals[:8], literals[8:11], numbers[:10], numbers[:9], numbers}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	operands := []string{"K", "T", "V", "CAST(K AS CHAR)", "CAST(K AS CHAR) COLLATE utf8mb4_bin", "T + 0.0", "1 / 3 + T * 0", "V + 0", "V * 9007199254740993", "(K, T)", "(T, V)", "(K, V)", "(V, V, T)", "(K, T + 1)"}
	known, late := 0, 0
	for range 20_000 {
		x := pick(operands)
		width := strings.Count(x, ",") + 1
		group := groups[r.IntN(len(groups))]
		items := make([]string, 1+r.IntN(12))
		for i := range items {
			parts := make([]string, width)
			for j := range parts {
				parts[j] = pick(group)
			}
			if items[i] = strings.Join(parts, ", "); width > 1 {
				items[i] = "(" + items[i] + ")"
			}
		}
		text := x + " IN (" + strings.Join(items, ", ") + ")"
		bound, err := bindText(text)
		require.NoError(t, err, text)
		in, ok := bound.node.(*expr.In)
		if !ok {
			continue
		}
		slow := expr.ItemByItem(in)
		given, params := withArguments(in)
		for _, row := range append(oracleValues(), []value.Value{value.NewBytes([]byte("A")), value.NewBytes([]byte("a ")), value.NewInt(1), value.NewBytes([]byte("1"))}) {
			env := &expr.Env{Row: row}
			got, gotErr := in.Eval(env)
			want, wantErr := slow.Eval(env)
			require.Equal(t, wantErr, gotErr, text)
			require.Equal(t, want, got, "%s of %v", text, row)
			lists := &expr.Lists{}
			byArguments, err := given.Eval(&expr.Env{Row: row, Params: params, Lists: lists})
			require.Equal(t, wantErr, err, text)
			require.Equal(t, want, byArguments, "%s of %v, with arguments", text, row)
			late += expr.SetsOfArguments(lists)
			if expr.HasSets(in) {
				known++
			}
		}
	}
	require.Greater(t, known, 1000)
	require.Greater(t, late, 300)
}

// withArguments is the same IN with arguments for the constants of its list.
func withArguments(in *expr.In) (*expr.In, []value.Value) {
	var params []value.Value
	list := make([]expr.Node, len(in.List))
	for i, item := range in.List {
		list[i] = expr.Rewrite(item, func(n expr.Node) expr.Node {
			c, ok := n.(*expr.Const)
			if !ok {
				return n
			}
			params = append(params, c.V)
			return &expr.Param{Index: len(params) - 1, T: c.Type()}
		})
	}
	return expr.NewIn(in.X, list, in.Not), params
}
