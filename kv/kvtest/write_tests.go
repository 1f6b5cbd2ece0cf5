package kvtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

var writeTests = []test{
	{"Put", testPut, 0},
	{"PutIfAbsent", testPutIfAbsent, 0},
	{"PutNext", testPutNext, 0},
	{"PutNextIntoHoles", testPutNextIntoHoles, 0},
	{"Delete", testDelete, 0},
	{"OwnWrites", testOwnWrites, manyRows},
	{"Atomic", testAtomic, manyRows},
	{"NoPartition", testNoPartition, bounded},
	{"ReadOnly", testReadOnly, 0},
	{"Savepoints", testSavepoints, manyRows},
	{"AfterTheEnd", testAfterTheEnd, 0},
	{"Ownership", testOwnership, manyRows},
	{"ManyWrites", testManyWrites, manyRows},
}

func testPut(f *fixture) {
	f.put("s", "r/q/1=a", "r/q/1=b")
	require.Equal(f, "r/q/1=b", f.all("s"))
	f.put("s", "r/q/1=c", "r/q/0=d")
	f.storage(func() { require.Equal(f, "r/q/1=c r/q/0=d", f.all("s")) })
	require.Empty(f, f.all("g$a"), "other tables are untouched")
}

func testPutIfAbsent(f *fixture) {
	putIfAbsent := func(tx kv.Txn, text string) bool {
		ok, err := tx.PutIfAbsent(f.ctx, f.tables(tx, []string{"s"})[0], parseCell(f, text))
		require.NoError(f, err)
		return ok
	}
	f.put("s", "r/q/1=a", "r/null/1="+f.null())
	f.flush()
	f.write(func(tx kv.Txn) error {
		require.False(f, putIfAbsent(tx, "r/q/1=b"))
		require.False(f, putIfAbsent(tx, "r/null/1=b"), "the null value is there, or the empty one")
		require.True(f, putIfAbsent(tx, "r/q/2=c"))
		require.False(f, putIfAbsent(tx, "r/q/2=d"), "its own write")
		require.NoError(f, tx.DeleteVersion(f.ctx, f.tables(tx, []string{"s"})[0], []byte("r"), []byte("q"), 1))
		require.True(f, putIfAbsent(tx, "r/q/1=e"), "its own removal")
		return nil
	})
	require.Equal(f, "r/null/1="+f.null()+" r/q/2=c r/q/1=e", f.all("s"))
}

func testPutNext(f *fixture) {
	oldest, newest := f.lowest(), f.highest()
	f.put("s", "r/q/5=", "r/q/6=", "r/q/8=", fmt.Sprintf("r/q/%d=", newest-1))
	f.flush()
	f.write(func(tx kv.Txn) error {
		for _, c := range []struct{ from, want int64 }{
			{4, 4}, {4, 7}, {4, 9}, {10, 10}, {oldest, oldest}, {oldest, oldest + 1},
			{100, 100}, {100, 101}, {newest - 1, newest},
		} {
			got, err := tx.PutNext(f.ctx, f.tables(tx, []string{"s"})[0],
				kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: c.from})
			require.NoError(f, err)
			require.Equal(f, c.want, got, "from %d", c.from)
		}
		for _, from := range []int64{newest, newest - 1} {
			_, err := tx.PutNext(f.ctx, f.tables(tx, []string{"s"})[0],
				kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: from})
			require.ErrorIs(f, err, kv.ErrTimestampExhausted)
		}
		_, err := tx.PutNext(f.ctx, f.tables(tx, []string{"s"})[0],
			kv.Cell{Row: []byte("r"), Qualifier: []byte("q2"), Timestamp: 5})
		return err
	})
	require.Equal(f, fmt.Sprintf("r/q/%d r/q/%d r/q2/5", oldest+1, oldest),
		f.read(kv.Scan{Ordered: true, Ranges: []kv.Range{{Start: after(atCell("r", "q", 4))}}}, "s"))
	require.Len(f, strings.Fields(f.all("s")), 14)
}

// testPutNextIntoHoles: a timestamp that was taken is free again after its
// version has gone.
func testPutNextIntoHoles(f *fixture) {
	f.put("s", "r/q/1=", "r/q/2=")
	tx := f.begin()
	t := f.tables(tx, []string{"s"})[0]
	next := func() int64 {
		at, err := tx.PutNext(f.ctx, t, kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: 1})
		require.NoError(f, err)
		return at
	}
	require.EqualValues(f, 3, next())
	savepoint := tx.Savepoint()
	require.EqualValues(f, 4, next())
	require.EqualValues(f, 5, next())
	require.NoError(f, tx.DeleteVersion(f.ctx, t, []byte("r"), []byte("q"), 4))
	require.EqualValues(f, 4, next())
	require.EqualValues(f, 6, next())
	require.NoError(f, tx.DeleteVersion(f.ctx, t, []byte("r"), []byte("q"), 1))
	require.EqualValues(f, 1, next())
	require.EqualValues(f, 7, next())
	tx.RollbackTo(savepoint)
	require.EqualValues(f, 4, next())
	require.NoError(f, tx.DeleteColumn(f.ctx, t, []byte("r"), []byte("q")))
	require.EqualValues(f, 1, next())
	require.NoError(f, f.putIn(tx, "s", "r/q/2="))
	require.EqualValues(f, 3, next())
	require.NoError(f, tx.Commit(f.ctx))
	require.Equal(f, "r/q/3="+f.null()+" r/q/2= r/q/1="+f.null(), f.all("s"))
}

func testDelete(f *fixture) {
	f.put("s", "r/p/1=", "r/q/3=", "r/q/2=", "r/q/1=", "r/q2/1=", "rr/q/1=",
		fmt.Sprintf("t/q/%d=", f.lowest()), fmt.Sprintf("t/q/%d=", f.highest()))
	f.flush()
	deleted := func(fn func(tx kv.Txn, t *kv.Table) error) {
		f.Helper()
		f.write(func(tx kv.Txn) error { return fn(tx, f.tables(tx, []string{"s"})[0]) })
	}
	deleted(func(tx kv.Txn, t *kv.Table) error {
		return errors.Join(
			tx.DeleteVersion(f.ctx, t, []byte("r"), []byte("q"), 3),
			tx.DeleteVersion(f.ctx, t, []byte("r"), []byte("q"), 99),
			tx.DeleteVersion(f.ctx, t, []byte("none"), []byte("q"), 1),
			tx.DeleteColumn(f.ctx, t, []byte("none"), []byte("q")))
	})
	require.Equal(f, fmt.Sprintf("r/p/1 r/q/2 r/q2/1 rr/q/1 t/q/%d", f.highest()),
		f.read(kv.Scan{Ordered: true, MaxVersions: 1}, "s"),
		"the version behind the deleted one")
	deleted(func(tx kv.Txn, t *kv.Table) error {
		return errors.Join(tx.DeleteColumn(f.ctx, t, []byte("r"), []byte("q")),
			tx.DeleteColumn(f.ctx, t, []byte("t"), []byte("q")))
	})
	f.storage(func() { require.Equal(f, "r/p/1= r/q2/1= rr/q/1=", f.all("s")) })
	f.put("s", "r/q/1=again", "t/q/5=again")
	f.storage(func() {
		require.Equal(f, "r/p/1= r/q/1=again r/q2/1= rr/q/1= t/q/5=again", f.all("s"), "what was deleted masks nothing")
	})
}

func testOwnWrites(f *fixture) {
	f.put("s", "a/q/1=old", "b/q/2=old", "b/q/1=old", "c/q/1=old")
	f.flush()
	tx := f.begin()
	t := f.tables(tx, []string{"s"})[0]
	require.NoError(f, f.putIn(tx, "s", "a/q/2=new", "a/r/1=new", "d/q/1=new"))
	require.NoError(f, tx.DeleteColumn(f.ctx, t, []byte("b"), []byte("q")))
	require.NoError(f, f.putIn(tx, "s", "b/q/0=new"))
	require.NoError(f, tx.DeleteVersion(f.ctx, t, []byte("c"), []byte("q"), 1))
	require.Equal(f, "a/q/2=new a/q/1=old a/r/1=new b/q/0=new d/q/1=new", f.readIn(tx, everything, "s"))
	require.Equal(f, "d/q/1 b/q/0 a/r/1 a/q/2", f.readIn(tx, kv.Scan{Ordered: true, Reverse: true, MaxVersions: 1}, "s"))
	require.Equal(f, "a/q/1=old b/q/2=old b/q/1=old c/q/1=old", f.all("s"), "nobody else sees them")
	require.NoError(f, tx.Commit(f.ctx))
	f.storage(func() { require.Equal(f, "a/q/2=new a/q/1=old a/r/1=new b/q/0=new d/q/1=new", f.all("s")) })
}

// testAtomic writes many rows, over tables and partitions.
func testAtomic(f *fixture) {
	tx := f.begin()
	require.NoError(f, f.putIn(tx, "s", inOrder...))
	require.NoError(f, f.putIn(tx, "g$a", inOrder...))
	tx.Rollback()
	require.Empty(f, f.all("s"))
	require.Empty(f, f.all("g$a"))

	f.write(func(tx kv.Txn) error {
		return errors.Join(f.putIn(tx, "s", inOrder...), f.putIn(tx, "g$a", inOrder...))
	})
	f.storage(func() { require.Equal(f, f.all("s"), f.all("g$a")) })
	require.Equal(f, strings.Join(inOrder, " "), f.all("s"))
}

func testNoPartition(f *fixture) {
	scheme, err := partition.NewRange([]string{"low", "high"}, [][]byte{[]byte("b"), []byte("d")})
	require.NoError(f, err)
	f.change(func(c *kv.CatalogChange) error {
		_, err := c.CreateTable(Layout{Scheme: scheme}.Table("bounded"))
		return err
	})
	f.put("bounded", "/q/1=", "c/q/1=")
	tx := f.begin()
	t := f.tables(tx, []string{"bounded"})[0]
	for _, row := range []string{"d", "d\x00", "\xff"} {
		c := kv.Cell{Row: []byte(row), Timestamp: 1}
		require.ErrorIs(f, tx.Put(f.ctx, t, c), kv.ErrNoPartition)
		_, err := tx.PutIfAbsent(f.ctx, t, c)
		require.ErrorIs(f, err, kv.ErrNoPartition)
		_, err = tx.PutNext(f.ctx, t, c)
		require.ErrorIs(f, err, kv.ErrNoPartition)
	}
	require.NoError(f, f.putIn(tx, "bounded", "a/q/1="), "the transaction goes on")
	require.NoError(f, tx.Commit(f.ctx))
	require.Equal(f, "/q/1= a/q/1= c/q/1=", f.all("bounded"))
	require.Equal(f, "c/q/1=", f.read(kv.Scan{NeedValue: true, Ranges: []kv.Range{{Start: atRow("b")}}}, "bounded"))
	require.Empty(f, f.read(kv.Scan{Ranges: []kv.Range{{Start: atRow("d")}}}, "bounded"))
}

// writes are all methods that write, on one cell that exists.
func writes(f *fixture, t *kv.Table) map[string]func(ctx context.Context, tx kv.Txn) error {
	c := kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: 1, Value: []byte{}}
	return map[string]func(context.Context, kv.Txn) error{
		"Put":         func(ctx context.Context, tx kv.Txn) error { return tx.Put(ctx, t, c) },
		"PutIfAbsent": func(ctx context.Context, tx kv.Txn) error { _, err := tx.PutIfAbsent(ctx, t, c); return err },
		"PutNext":     func(ctx context.Context, tx kv.Txn) error { _, err := tx.PutNext(ctx, t, c); return err },
		"DeleteVersion": func(ctx context.Context, tx kv.Txn) error {
			return tx.DeleteVersion(ctx, t, c.Row, c.Qualifier,
				1)
		},
		"DeleteColumn": func(ctx context.Context, tx kv.Txn) error { return tx.DeleteColumn(ctx, t, c.Row, c.Qualifier) },
	}
}

func testReadOnly(f *fixture) {
	f.put("s", "r/q/1=")
	tx := Begin(f.store, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	for name, write := range writes(f, f.tables(tx, []string{"s"})[0]) {
		require.ErrorIs(f, write(f.ctx, tx), kv.ErrReadOnly, name)
	}
	require.Equal(f, "r/q/1=", f.readIn(tx, everything, "s"), "it reads on")
	require.NoError(f, tx.Commit(f.ctx))
}

func testSavepoints(f *fixture) {
	f.put("s", "a/q/2=old", "a/q/1=old", "b/q/1=old")
	tx := f.begin()
	t := f.tables(tx, []string{"s"})[0]
	empty := tx.Savepoint()
	require.NoError(f, f.putIn(tx, "s", "c/q/1=1"))
	one := tx.Savepoint()
	require.NoError(f, tx.DeleteColumn(f.ctx, t, []byte("a"), []byte("q")))
	require.NoError(f, f.putIn(tx, "s", "a/q/0=2", "c/q/1=2", "b/q/1=2"))
	two := tx.Savepoint()
	require.NoError(f, f.putIn(tx, "s", "d/q/1=3", "c/q/1=3"))

	tx.RollbackTo(two)
	require.Equal(f, "a/q/0=2 b/q/1=2 c/q/1=2", f.readIn(tx, everything, "s"))
	tx.RollbackTo(one)
	require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old c/q/1=1", f.readIn(tx, everything, "s"))
	require.NoError(f, f.putIn(tx, "s", "e/q/1=4"))
	tx.RollbackTo(one)
	require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old c/q/1=1", f.readIn(tx, everything, "s"), "a savepoint stays valid")
	require.NoError(f, f.putIn(tx, "s", "f/q/1=5"))
	tx.RollbackTo(empty)
	require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old", f.readIn(tx, everything, "s"))
	require.NoError(f, f.putIn(tx, "s", "g/q/1=6"))
	require.NoError(f, tx.Commit(f.ctx))
	f.storage(func() { require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old g/q/1=6", f.all("s")) })

	fresh := f.begin()
	before := fresh.Savepoint()
	require.NoError(f, f.putIn(fresh, "s", "h/q/1=7"))
	fresh.RollbackTo(before)
	require.NoError(f, fresh.Commit(f.ctx))
	require.Equal(f, "a/q/2=old a/q/1=old b/q/1=old g/q/1=6", f.all("s"), "a savepoint before anything else")
}

// testAfterTheEnd: a transaction that is over does nothing more.
func testAfterTheEnd(f *fixture) {
	for name, end := range map[string]func(tx kv.Txn){
		"Commit":   func(tx kv.Txn) { require.NoError(f, tx.Commit(f.ctx)) },
		"Rollback": func(tx kv.Txn) { tx.Rollback() },
	} {
		f.Run(name, func(t *testing.T) {
			tx := f.begin()
			table := f.tables(tx, []string{"s"})[0]
			require.NoError(t, f.putIn(tx, "s", "r/q/1="))
			end(tx)
			before := f.all("s")
			for name, write := range writes(f, table) {
				require.Error(t, write(f.ctx, tx), name)
			}
			_, err := tx.Scan(f.ctx, []*kv.Table{table}, &everything)
			require.Error(t, err)
			require.Error(t, tx.Commit(f.ctx))
			tx.Rollback()
			tx.Rollback()
			require.Equal(t, before, f.all("s"))
		})
	}
}

// testOwnership: the caller's bytes are the caller's again when a call
// returns, and copies of a cursor's bytes stay as they are.
func testOwnership(f *fixture) {
	tx := f.begin()
	t := f.tables(tx, []string{"s"})[0]
	row, qualifier, value := make([]byte, 1), make([]byte, 1), make([]byte, 1)
	fill := func(b byte) { row[0], qualifier[0], value[0] = b, b, b }
	cell := func() kv.Cell { return kv.Cell{Row: row, Qualifier: qualifier, Timestamp: 1, Value: value} }
	for b := byte('a'); b <= 'd'; b++ {
		fill(b)
		require.NoError(f, tx.Put(f.ctx, t, cell()))
	}
	fill('e')
	_, err := tx.PutIfAbsent(f.ctx, t, cell())
	require.NoError(f, err)
	fill('f')
	_, err = tx.PutNext(f.ctx, t, cell())
	require.NoError(f, err)
	fill('a')
	require.NoError(f, tx.DeleteVersion(f.ctx, t, row, qualifier, 1))
	fill('b')
	require.NoError(f, tx.DeleteColumn(f.ctx, t, row, qualifier))
	fill('c')
	require.NoError(f, tx.LockRow(f.ctx, t, row, kv.RowLock{}))

	scan := everything
	scan.Ranges = []kv.Range{{Start: kv.Position{Row: row, Depth: kv.DepthRow}}}
	cursor, err := tx.Scan(f.ctx, []*kv.Table{t}, &scan)
	require.NoError(f, err)
	fill('z')
	cells, err := take(cursor, -1, true)
	require.NoError(f, err)
	require.NoError(f, cursor.Close())
	require.NoError(f, tx.Commit(f.ctx))
	require.Equal(f, "c/c/1=c d/d/1=d e/e/1=e f/f/1=f", cellsText(cells, false, true))
	f.storage(func() { require.Equal(f, "c/c/1=c d/d/1=d e/e/1=e f/f/1=f", f.all("s")) })
}

// testManyWrites is one transaction larger than a store may want to keep in
// one piece.
func testManyWrites(f *fixture) {
	const rows = 5_000
	tx := f.begin()
	t := f.tables(tx, []string{"s"})[0]
	for i := range rows {
		c := kv.Cell{Row: []byte{byte(i >> 8), byte(i)}, Qualifier: []byte("q"), Timestamp: int64(i),
			Value: make([]byte, 300)}
		require.NoError(f, tx.Put(f.ctx, t, c))
	}
	require.Equal(f, rows, f.count(tx))
	require.NoError(f, tx.Commit(f.ctx))
	f.storage(func() { require.Equal(f, rows, f.count(f.begin())) })
}

// count steps over the table s without looking at values.
func (f *fixture) count(tx kv.Txn) int {
	f.Helper()
	cells, err := scanCells(f.ctx, tx, f.tables(tx, []string{"s"}), &kv.Scan{})
	require.NoError(f, err)
	return len(cells)
}
