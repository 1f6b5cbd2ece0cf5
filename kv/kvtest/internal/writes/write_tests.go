// Package writes has the suite's tests of writes, bulk loads, slices and retention.
package writes

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/partition"
)

// WriteTests are the tests of writes of cells.
var WriteTests = []fixture.Test{
	{Name: "Put", Run: testPut},
	{Name: "PutIfAbsent", Run: testPutIfAbsent},
	{Name: "PutNext", Run: testPutNext},
	{Name: "PutNextIntoHoles", Run: testPutNextIntoHoles},
	{Name: "Delete", Run: testDelete},
	{Name: "OwnWrites", Run: testOwnWrites, Needs: fixture.ManyRows},
	{Name: "Atomic", Run: testAtomic, Needs: fixture.ManyRows},
	{Name: "NoPartition", Run: testNoPartition, Needs: fixture.Bounded},
	{Name: "ReadOnly", Run: testReadOnly},
	{Name: "Savepoints", Run: testSavepoints, Needs: fixture.ManyRows},
	{Name: "AfterTheEnd", Run: testAfterTheEnd},
	{Name: "Ownership", Run: testOwnership, Needs: fixture.ManyRows},
	{Name: "ManyWrites", Run: testManyWrites, Needs: fixture.ManyRows},
}

func testPut(f *fixture.Fixture) {
	f.Put("s", "r/q/1=a", "r/q/1=b")
	require.Equal(f, "r/q/1=b", f.All("s"))
	f.Put("s", "r/q/1=c", "r/q/0=d")
	f.Storage(func() { require.Equal(f, "r/q/1=c r/q/0=d", f.All("s")) })
	require.Empty(f, f.All("g$a"), "other tables are untouched")
}

func testPutIfAbsent(f *fixture.Fixture) {
	putIfAbsent := func(tx kv.Txn, text string) bool {
		ok, err := tx.PutIfAbsent(f.Ctx, f.Tables(tx, []string{"s"})[0], fixture.ParseCell(f, text))
		require.NoError(f, err)
		return ok
	}
	f.Put("s", "r/q/1=a", "r/null/1="+f.Null())
	f.Flush()
	f.Write(func(tx kv.Txn) error {
		require.False(f, putIfAbsent(tx, "r/q/1=b"))
		require.False(f, putIfAbsent(tx, "r/null/1=b"), "the null value is there, or the empty one")
		require.True(f, putIfAbsent(tx, "r/q/2=c"))
		require.False(f, putIfAbsent(tx, "r/q/2=d"), "its own write")
		require.NoError(f, tx.DeleteVersion(f.Ctx, f.Tables(tx, []string{"s"})[0], []byte("r"), []byte("q"), 1))
		require.True(f, putIfAbsent(tx, "r/q/1=e"), "its own removal")
		return nil
	})
	require.Equal(f, "r/null/1="+f.Null()+" r/q/2=c r/q/1=e", f.All("s"))
}

func testPutNext(f *fixture.Fixture) {
	oldest, newest := f.Lowest(), f.Highest()
	f.Put("s", "r/q/5=", "r/q/6=", "r/q/8=", fmt.Sprintf("r/q/%d=", newest-1))
	f.Flush()
	f.Write(func(tx kv.Txn) error {
		for _, c := range []struct{ from, want int64 }{
			{4, 4}, {4, 7}, {4, 9}, {10, 10}, {oldest, oldest}, {oldest, oldest + 1},
			{100, 100}, {100, 101}, {newest - 1, newest},
		} {
			got, err := tx.PutNext(f.Ctx, f.Tables(tx, []string{"s"})[0],
				kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: c.from})
			require.NoError(f, err)
			require.Equal(f, c.want, got, "from %d", c.from)
		}
		for _, from := range []int64{newest, newest - 1} {
			_, err := tx.PutNext(f.Ctx, f.Tables(tx, []string{"s"})[0],
				kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: from})
			require.ErrorIs(f, err, kv.ErrTimestampExhausted)
		}
		_, err := tx.PutNext(f.Ctx, f.Tables(tx, []string{"s"})[0],
			kv.Cell{Row: []byte("r"), Qualifier: []byte("q2"), Timestamp: 5})
		return err
	})
	require.Equal(f, fmt.Sprintf("r/q/%d r/q/%d r/q2/5", oldest+1, oldest),
		f.Read(kv.Scan{Ordered: true, Ranges: []kv.Range{{Start: fixture.After(fixture.AtCell("r", "q", 4))}}}, "s"))
	require.Len(f, strings.Fields(f.All("s")), 14)
}

// testPutNextIntoHoles requires that a timestamp is free again after its version
// has been removed.
func testPutNextIntoHoles(f *fixture.Fixture) {
	f.Put("s", "r/q/1=", "r/q/2=")
	tx := f.Begin()
	t := f.Tables(tx, []string{"s"})[0]
	next := func() int64 {
		at, err := tx.PutNext(f.Ctx, t, kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: 1})
		require.NoError(f, err)
		return at
	}
	require.EqualValues(f, 3, next())
	savepoint := tx.Savepoint()
	require.EqualValues(f, 4, next())
	require.EqualValues(f, 5, next())
	require.NoError(f, tx.DeleteVersion(f.Ctx, t, []byte("r"), []byte("q"), 4))
	require.EqualValues(f, 4, next())
	require.EqualValues(f, 6, next())
	require.NoError(f, tx.DeleteVersion(f.Ctx, t, []byte("r"), []byte("q"), 1))
	require.EqualValues(f, 1, next())
	require.EqualValues(f, 7, next())
	tx.RollbackTo(savepoint)
	require.EqualValues(f, 4, next())
	require.NoError(f, tx.DeleteColumn(f.Ctx, t, []byte("r"), []byte("q")))
	require.EqualValues(f, 1, next())
	require.NoError(f, f.PutIn(tx, "s", "r/q/2="))
	require.EqualValues(f, 3, next())
	require.NoError(f, tx.Commit(f.Ctx))
	require.Equal(f, "r/q/3="+f.Null()+" r/q/2= r/q/1="+f.Null(), f.All("s"))
}

func testDelete(f *fixture.Fixture) {
	f.Put("s", "r/p/1=", "r/q/3=", "r/q/2=", "r/q/1=", "r/q2/1=", "rr/q/1=",
		fmt.Sprintf("t/q/%d=", f.Lowest()), fmt.Sprintf("t/q/%d=", f.Highest()))
	f.Flush()
	deleted := func(fn func(tx kv.Txn, t *kv.Table) error) {
		f.Helper()
		f.Write(func(tx kv.Txn) error { return fn(tx, f.Tables(tx, []string{"s"})[0]) })
	}
	deleted(func(tx kv.Txn, t *kv.Table) error {
		return errors.Join(
			tx.DeleteVersion(f.Ctx, t, []byte("r"), []byte("q"), 3),
			tx.DeleteVersion(f.Ctx, t, []byte("r"), []byte("q"), 99),
			tx.DeleteVersion(f.Ctx, t, []byte("none"), []byte("q"), 1),
			tx.DeleteColumn(f.Ctx, t, []byte("none"), []byte("q")))
	})
	require.Equal(f, fmt.Sprintf("r/p/1 r/q/2 r/q2/1 rr/q/1 t/q/%d", f.Highest()),
		f.Read(kv.Scan{Ordered: true, MaxVersions: 1}, "s"),
		"the version behind the deleted one")
	deleted(func(tx kv.Txn, t *kv.Table) error {
		return errors.Join(tx.DeleteColumn(f.Ctx, t, []byte("r"), []byte("q")),
			tx.DeleteColumn(f.Ctx, t, []byte("t"), []byte("q")))
	})
	f.Storage(func() { require.Equal(f, "r/p/1= r/q2/1= rr/q/1=", f.All("s")) })
	f.Put("s", "r/q/1=again", "t/q/5=again")
	f.Storage(func() {
		require.Equal(f, "r/p/1= r/q/1=again r/q2/1= rr/q/1= t/q/5=again", f.All("s"), "what was deleted masks nothing")
	})
}

func testOwnWrites(f *fixture.Fixture) {
	f.Put("s", "a/q/1=old", "b/q/2=old", "b/q/1=old", "c/q/1=old")
	f.Flush()
	tx := f.Begin()
	t := f.Tables(tx, []string{"s"})[0]
	require.NoError(f, f.PutIn(tx, "s", "a/q/2=new", "a/r/1=new", "d/q/1=new"))
	require.NoError(f, tx.DeleteColumn(f.Ctx, t, []byte("b"), []byte("q")))
	require.NoError(f, f.PutIn(tx, "s", "b/q/0=new"))
	require.NoError(f, tx.DeleteVersion(f.Ctx, t, []byte("c"), []byte("q"), 1))
	require.Equal(f, "a/q/2=new a/q/1=old a/r/1=new b/q/0=new d/q/1=new", f.ReadIn(tx, fixture.Everything, "s"))
	require.Equal(f, "d/q/1 b/q/0 a/r/1 a/q/2", f.ReadIn(tx, kv.Scan{Ordered: true, Reverse: true, MaxVersions: 1}, "s"))
	require.Equal(f, "a/q/1=old b/q/2=old b/q/1=old c/q/1=old", f.All("s"), "nobody else sees them")
	require.NoError(f, tx.Commit(f.Ctx))
	f.Storage(func() { require.Equal(f, "a/q/2=new a/q/1=old a/r/1=new b/q/0=new d/q/1=new", f.All("s")) })
}

// testAtomic writes many rows in several tables and partitions.
func testAtomic(f *fixture.Fixture) {
	tx := f.Begin()
	require.NoError(f, f.PutIn(tx, "s", fixture.InOrder...))
	require.NoError(f, f.PutIn(tx, "g$a", fixture.InOrder...))
	tx.Rollback()
	require.Empty(f, f.All("s"))
	require.Empty(f, f.All("g$a"))

	f.Write(func(tx kv.Txn) error {
		return errors.Join(f.PutIn(tx, "s", fixture.InOrder...), f.PutIn(tx, "g$a", fixture.InOrder...))
	})
	f.Storage(func() { require.Equal(f, f.All("s"), f.All("g$a")) })
	require.Equal(f, strings.Join(fixture.InOrder, " "), f.All("s"))
}

func testNoPartition(f *fixture.Fixture) {
	scheme, err := partition.NewRange([]string{"low", "high"}, [][]byte{[]byte("b"), []byte("d")})
	require.NoError(f, err)
	f.Change(func(c *kv.CatalogChange) error {
		_, err := c.CreateTable(fixture.Layout{Scheme: scheme}.Table("bounded"))
		return err
	})
	f.Put("bounded", "/q/1=", "c/q/1=")
	tx := f.Begin()
	t := f.Tables(tx, []string{"bounded"})[0]
	for _, row := range []string{"d", "d\x00", "\xff"} {
		c := kv.Cell{Row: []byte(row), Timestamp: 1}
		require.ErrorIs(f, tx.Put(f.Ctx, t, c), kv.ErrNoPartition)
		_, err := tx.PutIfAbsent(f.Ctx, t, c)
		require.ErrorIs(f, err, kv.ErrNoPartition)
		_, err = tx.PutNext(f.Ctx, t, c)
		require.ErrorIs(f, err, kv.ErrNoPartition)
	}
	require.NoError(f, f.PutIn(tx, "bounded", "a/q/1="), "the transaction goes on")
	require.NoError(f, tx.Commit(f.Ctx))
	require.Equal(f, "/q/1= a/q/1= c/q/1=", f.All("bounded"))
	require.Equal(f, "c/q/1=", f.Read(kv.Scan{NeedValue: true, Ranges: []kv.Range{{Start: fixture.AtRow("b")}}}, "bounded"))
	require.Empty(f, f.Read(kv.Scan{Ranges: []kv.Range{{Start: fixture.AtRow("d")}}}, "bounded"))
}

func testReadOnly(f *fixture.Fixture) {
	f.Put("s", "r/q/1=")
	tx := fixture.Begin(f.Store, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	for name, write := range fixture.Writes(f, f.Tables(tx, []string{"s"})[0]) {
		require.ErrorIs(f, write(f.Ctx, tx), kv.ErrReadOnly, name)
	}
	require.Equal(f, "r/q/1=", f.ReadIn(tx, fixture.Everything, "s"), "it reads on")
	require.NoError(f, tx.Commit(f.Ctx))
}

func testSavepoints(f *fixture.Fixture) {
	f.Put("s", "a/q/2=old", "a/q/1=old", "b/q/1=old")
	tx := f.Begin()
	t := f.Tables(tx, []string{"s"})[0]
	empty := tx.Savepoint()
	require.NoError(f, f.PutIn(tx, "s", "c/q/1=1"))
	one := tx.Savepoint()
	require.NoError(f, tx.DeleteColumn(f.Ctx, t, []byte("a"), []byte("q")))
	require.NoError(f, f.PutIn(tx, "s", "a/q/0=2", "c/q/1=2", "b/q/1=2"))
	two := tx.Savepoint()
	require.NoError(f, f.PutIn(tx, "s", "d/q/1=3", "c/q/1=3"))

	tx.RollbackTo(two)
	require.Equal(f, "a/q/0=2 b/q/1=2 c/q/1=2", f.ReadIn(tx, fixture.Everything, "s"))
	tx.RollbackTo(one)
	require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old c/q/1=1", f.ReadIn(tx, fixture.Everything, "s"))
	require.NoError(f, f.PutIn(tx, "s", "e/q/1=4"))
	tx.RollbackTo(one)
	require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old c/q/1=1", f.ReadIn(tx, fixture.Everything, "s"), "a savepoint stays valid")
	require.NoError(f, f.PutIn(tx, "s", "f/q/1=5"))
	tx.RollbackTo(empty)
	require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old", f.ReadIn(tx, fixture.Everything, "s"))
	require.NoError(f, f.PutIn(tx, "s", "g/q/1=6"))
	require.NoError(f, tx.Commit(f.Ctx))
	f.Storage(func() { require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old g/q/1=6", f.All("s")) })

	fresh := f.Begin()
	before := fresh.Savepoint()
	require.NoError(f, f.PutIn(fresh, "s", "h/q/1=7"))
	fresh.RollbackTo(before)
	require.NoError(f, fresh.Commit(f.Ctx))
	require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old g/q/1=6", f.All("s"), "a savepoint before anything else")
}

// testAfterTheEnd requires that a transaction that has ended does nothing.
func testAfterTheEnd(f *fixture.Fixture) {
	for name, end := range map[string]func(tx kv.Txn){
		"Commit":   func(tx kv.Txn) { require.NoError(f, tx.Commit(f.Ctx)) },
		"Rollback": func(tx kv.Txn) { tx.Rollback() },
	} {
		f.Run(name, func(t *testing.T) {
			tx := f.Begin()
			table := f.Tables(tx, []string{"s"})[0]
			require.NoError(t, f.PutIn(tx, "s", "r/q/1="))
			end(tx)
			before := f.All("s")
			for name, write := range fixture.Writes(f, table) {
				require.Error(t, write(f.Ctx, tx), name)
			}
			_, err := tx.Scan(f.Ctx, []*kv.Table{table}, &fixture.Everything)
			require.Error(t, err)
			require.Error(t, tx.Commit(f.Ctx))
			tx.Rollback()
			tx.Rollback()
			require.Equal(t, before, f.All("s"))
		})
	}
}

// testOwnership requires that the caller owns its bytes again when a call returns,
// and that copies of a cursor's bytes stay the same.
func testOwnership(f *fixture.Fixture) {
	tx := f.Begin()
	t := f.Tables(tx, []string{"s"})[0]
	row, qualifier, value := make([]byte, 1), make([]byte, 1), make([]byte, 1)
	fill := func(b byte) { row[0], qualifier[0], value[0] = b, b, b }
	cell := func() kv.Cell { return kv.Cell{Row: row, Qualifier: qualifier, Timestamp: 1, Value: value} }
	for b := byte('a'); b <= 'd'; b++ {
		fill(b)
		require.NoError(f, tx.Put(f.Ctx, t, cell()))
	}
	fill('e')
	_, err := tx.PutIfAbsent(f.Ctx, t, cell())
	require.NoError(f, err)
	fill('f')
	_, err = tx.PutNext(f.Ctx, t, cell())
	require.NoError(f, err)
	fill('a')
	require.NoError(f, tx.DeleteVersion(f.Ctx, t, row, qualifier, 1))
	fill('b')
	require.NoError(f, tx.DeleteColumn(f.Ctx, t, row, qualifier))
	fill('c')
	require.NoError(f, tx.LockRow(f.Ctx, t, row, kv.RowLock{}))

	scan := fixture.Everything
	scan.Ranges = []kv.Range{{Start: kv.Position{Row: row, Depth: kv.DepthRow}}}
	cursor, err := tx.Scan(f.Ctx, []*kv.Table{t}, &scan)
	require.NoError(f, err)
	fill('z')
	cells, err := fixture.Take(cursor, -1, true)
	require.NoError(f, err)
	require.NoError(f, cursor.Close())
	require.NoError(f, tx.Commit(f.Ctx))
	require.Equal(f, "c/c/1=c d/d/1=d e/e/1=e f/f/1=f", fixture.CellsText(cells, false, true))
	f.Storage(func() { require.Equal(f, "c/c/1=c d/d/1=d e/e/1=e f/f/1=f", f.All("s")) })
}

// testManyWrites is a single transaction larger than a store may want to keep in
// one piece.
func testManyWrites(f *fixture.Fixture) {
	const rows = 5_000
	tx := f.Begin()
	t := f.Tables(tx, []string{"s"})[0]
	for i := range rows {
		c := kv.Cell{Row: []byte{byte(i >> 8), byte(i)}, Qualifier: []byte("q"), Timestamp: int64(i),
			Value: make([]byte, 300)}
		require.NoError(f, tx.Put(f.Ctx, t, c))
	}
	require.Equal(f, rows, f.Count(tx))
	require.NoError(f, tx.Commit(f.Ctx))
	f.Storage(func() { require.Equal(f, rows, f.Count(f.Begin())) })
}
