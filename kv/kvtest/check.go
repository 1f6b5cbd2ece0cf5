package kvtest

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// RequireSound checks all of a store at the given depth, where it is a
// kv.Checker that is open, and fails the test on damage. It gives the number of
// cells.
func RequireSound(ctx context.Context, t testing.TB, s kv.Store, depth kv.CheckDepth) int64 {
	t.Helper()
	checker, ok := s.(kv.Checker)
	if !ok {
		return 0
	}
	check, err := checker.Check(kv.CheckOptions{Depth: depth})
	if errors.Is(err, kv.ErrClosed) {
		return 0
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, check.Close()) }()
	var cells int64
	for _, table := range check.Tables() {
		report, err := check.Table(ctx, table.Database, table.Name)
		require.NoError(t, err)
		require.Empty(t, report.Damage, "%s.%s", table.Database, table.Name)
		cells += report.Cells
	}
	rest, err := check.Rest(ctx)
	require.NoError(t, err)
	require.Empty(t, rest.Damage)
	return cells
}

// testCheck: a check counts what is there, sees one snapshot, and stops with
// its context and with the store.
func testCheck(f *fixture) {
	checker, ok := f.store.(kv.Checker)
	if !ok {
		f.Skip("the store cannot check itself")
	}
	f.put("s", inOrder...)
	f.put("g$a", "a/q/1=", "a/r/1=x", "b/p/1=NULL")
	f.storage(func() {
		checker = f.store.(kv.Checker)
		for _, depth := range []kv.CheckDepth{kv.CheckCells, kv.CheckFiles, kv.CheckLookups} {
			f.checkAll(checker, depth)
		}
	})
	check, err := checker.Check(kv.CheckOptions{})
	require.NoError(f, err)
	_, err = check.Table(f.ctx, database, "missing")
	require.ErrorIs(f, err, kv.ErrNoTable)
	f.put("g$a", "c/q/1=later")
	f.change(drop("g$b"))
	report, err := check.Table(f.ctx, database, "g$a")
	require.NoError(f, err)
	require.EqualValues(f, 3, report.Cells)
	require.EqualValues(f, 2, report.Rows)
	_, err = check.Table(f.ctx, database, "g$b")
	require.NoError(f, err, "it is in the snapshot")
	ended, cancel := context.WithCancel(f.ctx)
	cancel()
	_, err = check.Table(ended, database, "g$a")
	require.ErrorIs(f, err, context.Canceled)
	require.NoError(f, f.store.Close())
	_, err = check.Table(f.ctx, database, "g$a")
	require.ErrorIs(f, err, kv.ErrClosed)
	require.NoError(f, check.Close())
	require.NoError(f, check.Close(), "again")
	_, err = checker.Check(kv.CheckOptions{})
	require.ErrorIs(f, err, kv.ErrClosed)
}

func (f *fixture) checkAll(checker kv.Checker, depth kv.CheckDepth) {
	var last kv.CheckProgress
	check, err := checker.Check(kv.CheckOptions{Depth: depth, Progress: func(p kv.CheckProgress) { last = p }})
	require.NoError(f, err)
	defer func() { require.NoError(f, check.Close()) }()
	report, err := check.Table(f.ctx, database, "g$a")
	require.NoError(f, err)
	require.Empty(f, report.Damage)
	read := last.Cells
	rest, err := check.Rest(f.ctx)
	require.NoError(f, err)
	require.Empty(f, rest.Damage)
	if depth != kv.CheckFiles {
		require.EqualValues(f, 3, report.Cells)
		require.EqualValues(f, 2, report.Rows)
		require.EqualValues(f, 3, read)
	}
}
