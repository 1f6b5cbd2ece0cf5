package hbaseserver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// TestNoncesAreBounded: the newest outcomes are remembered, as many as there is room for.
func TestNoncesAreBounded(t *testing.T) {
	var n nonces
	done := 0
	once := func(number uint64, size int) {
		o := n.once(context.Background(), nonce{1, number}, func() rowapi.Outcome {
			done++
			return rowapi.Outcome{Result: &rowapi.Result{Cells: []rowapi.Cell{{Value: make([]byte, size)}}}}
		})
		require.NoError(t, o.Err)
	}
	const size = rememberBytes / 4
	for i := range uint64(40) {
		once(i, size)
	}
	require.Equal(t, 40, done)
	require.LessOrEqual(t, n.bytes, int64(rememberBytes))
	require.Len(t, n.done, 3)
	once(39, size)
	once(37, size)
	require.Equal(t, 40, done)
	once(36, size)
	require.Equal(t, 41, done)
	once(100, rememberBytes+1) // more than there is room for
	require.Empty(t, n.done)
	require.Zero(t, n.bytes)
}
