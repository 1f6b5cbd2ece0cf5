package rowmem

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestUnite checks that each key of many tables meets the one before it, and only that.
func TestUnite(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, workers := range []int{1, 2, 3, 8} {
		tables, met := make([]*KeyTable, 5), make([][]int, 5)
		want := map[string][]KeyID{}
		for at := range tables {
			tables[at] = &KeyTable{}
			for range r.IntN(3000) {
				key := fmt.Sprint(r.IntN(2000))
				if number, isNew := tables[at].Add([]byte(key)); isNew {
					want[key] = append(want[key], KeyID{int32(at), int32(number)})
				}
			}
			met[at] = make([]int, tables[at].Len())
		}
		require.NoError(t, Unite(context.Background(), workers, tables, func(before, now KeyID) (KeyID, error) {
			met[now.Table][now.Number]++
			require.Equal(t, tables[before.Table].Key(int(before.Number)), tables[now.Table].Key(int(now.Number)))
			require.Less(t, before.Table, now.Table)
			return now, nil
		}))
		for key, refs := range want {
			for i, ref := range refs {
				require.Equal(t, min(i, 1), met[ref.Table][ref.Number], "%s of %d workers", key, workers)
			}
		}
	}
}
