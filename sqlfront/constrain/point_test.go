package constrain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestPoints: the constraint of a row, a column and a version is the one that scan ranges make of the same
// condition when a part of it is repeated.
func TestPoints(t *testing.T) {
	const seed = 20261122
	r := rand.New(rand.NewPCG(seed, 1))
	keys := []string{"", "a", "\x00", "\xff\xff", "a\x00", strings.Repeat("k", 70_000)}
	times := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1}
	for round := range 2000 {
		env := &expr.Env{Params: []value.Value{
			value.NewBytes([]byte(keys[r.IntN(len(keys))])),
			value.NewBytes([]byte(keys[r.IntN(len(keys))])),
			value.NewInt(times[r.IntN(len(times))]),
		}}
		parts := []string{"K = ?", "K = ? AND Q = ?", "K = ? AND Q = ? AND T = ?"}
		text := parts[r.IntN(len(parts))]
		view := constrain.View{AllVersions: r.IntN(2) == 0}
		message := fmt.Sprintf("seed %d, round %d: %s", seed, round, text)
		short, err := bindWhere(text)
		require.NoError(t, err)
		got, err := constrain.Build(short, tableColumns, env, view)
		require.NoError(t, err)
		again, err := bindWhere("K = ? AND (" + text + ")")
		require.NoError(t, err)
		env.Params = append([]value.Value{env.Params[0]}, env.Params...)
		want, err := constrain.Build(again, tableColumns, env, view)
		require.NoError(t, err)
		require.Equal(t, want.String(), got.String(), message)
	}
}
