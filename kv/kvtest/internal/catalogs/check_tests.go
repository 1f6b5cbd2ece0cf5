package catalogs

import (
	"context"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// testCheck requires that a check counts what exists, sees a single snapshot,
// and stops when its context or the store ends.
func testCheck(f *fixture.Fixture) {
	checker, ok := f.Store.(kv.Checker)
	if !ok {
		f.Skip("the store cannot check itself")
	}
	f.Put("s", fixture.InOrder...)
	f.Put("g$a", "a/q/1=", "a/r/1=x", "b/p/1=NULL")
	f.Storage(func() {
		checker = f.Store.(kv.Checker)
		for _, depth := range []kv.CheckDepth{kv.CheckCells, kv.CheckFiles, kv.CheckLookups} {
			checkAll(f, checker, depth)
		}
	})
	check, err := checker.Check(kv.CheckOptions{})
	require.NoError(f, err)
	_, err = check.Table(f.Ctx, fixture.Database, "missing")
	require.ErrorIs(f, err, kv.ErrNoTable)
	f.Put("g$a", "c/q/1=later")
	f.Change(fixture.Drop("g$b"))
	report, err := check.Table(f.Ctx, fixture.Database, "g$a")
	require.NoError(f, err)
	require.EqualValues(f, 3, report.Cells)
	require.EqualValues(f, 2, report.Rows)
	_, err = check.Table(f.Ctx, fixture.Database, "g$b")
	require.NoError(f, err, "it is in the snapshot")
	ended, cancel := context.WithCancel(f.Ctx)
	cancel()
	_, err = check.Table(ended, fixture.Database, "g$a")
	require.ErrorIs(f, err, context.Canceled)
	require.NoError(f, f.Store.Close())
	_, err = check.Table(f.Ctx, fixture.Database, "g$a")
	require.ErrorIs(f, err, kv.ErrClosed)
	require.NoError(f, check.Close())
	require.NoError(f, check.Close(), "again")
	_, err = checker.Check(kv.CheckOptions{})
	require.ErrorIs(f, err, kv.ErrClosed)
}

func checkAll(f *fixture.Fixture, checker kv.Checker, depth kv.CheckDepth) {
	var last kv.CheckProgress
	check, err := checker.Check(kv.CheckOptions{Depth: depth, Progress: func(p kv.CheckProgress) { last = p }})
	require.NoError(f, err)
	defer func() { require.NoError(f, check.Close()) }()
	report, err := check.Table(f.Ctx, fixture.Database, "g$a")
	require.NoError(f, err)
	require.Empty(f, report.Damage)
	read := last.Cells
	rest, err := check.Rest(f.Ctx)
	require.NoError(f, err)
	require.Empty(f, rest.Damage)
	if depth != kv.CheckFiles {
		require.EqualValues(f, 3, report.Cells)
		require.EqualValues(f, 2, report.Rows)
		require.EqualValues(f, 3, read)
	}
}
