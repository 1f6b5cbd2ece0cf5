package hbaseserver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// TestUnknownOutcomes: clients retry what may have been done, unless doing it twice has another effect.
func TestUnknownOutcomes(t *testing.T) {
	unknown := fmt.Errorf("%w: %w: %w", kv.ErrFailed, kv.ErrDiskFull, kv.ErrOutcomeUnknown)
	row := []byte("r")
	put, increment := rowapi.NewPut(row), rowapi.NewIncrement(row)
	s := &server{}
	for _, c := range []struct {
		err   error
		what  []rowapi.Action
		final bool
	}{
		{unknown, []rowapi.Action{put}, false},
		{unknown, []rowapi.Action{rowapi.NewDelete(row), put}, false},
		{unknown, []rowapi.Action{&rowapi.RowMutations{Row: row, Mutations: []rowapi.Mutation{put}}}, false},
		{unknown, []rowapi.Action{&rowapi.RowMutations{Row: row, Mutations: []rowapi.Mutation{put, increment}}}, true},
		{unknown, []rowapi.Action{put, increment}, true},
		{unknown, []rowapi.Action{rowapi.NewAppend(row)}, true},
		{unknown, []rowapi.Action{&rowapi.CheckAndMutate{Row: row, Mutations: []rowapi.Mutation{put}}}, true},
		{fmt.Errorf("%w: %w", kv.ErrFailed, kv.ErrDiskFull), []rowapi.Action{increment}, false},
		{kv.ErrDiskFull, []rowapi.Action{increment}, false},
	} {
		var e *rpc.Exception
		require.ErrorAs(t, s.exception(again(c.err, c.what...)), &e)
		require.Equal(t, c.final, e.DoNotRetry, "%v", c)
		require.Equal(t, c.final, e.Class != rpc.Prefix+"RegionTooBusyException", "%v", c)
	}
}
