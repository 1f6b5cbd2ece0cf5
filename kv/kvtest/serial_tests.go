package kvtest

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

var serialTests = []test{
	{"WriteSkew", testWriteSkew, snapshots | manyRows},
	{"Reads", testSerialReads, snapshots | manyRows},
	{"OwnRows", testSerialOwnRows, snapshots | manyRows},
	{"ReadOnly", testSerialReadOnly, snapshots | manyRows},
	{"Renew", testSerialRenew, snapshots | manyRows},
	{"Catalog", testSerialCatalog, snapshots | manyRows},
}

func (f *fixture) serial() kv.Txn {
	tx := Begin(f.store, kv.TxnOptions{Serializable: true})
	f.Cleanup(tx.Rollback)
	return tx
}

// testWriteSkew: each reads both rows and writes one of them.
func testWriteSkew(f *fixture) {
	f.put("s", "a/q/1=on", "b/q/1=on")
	for _, serializable := range []bool{false, true} {
		var txns [2]kv.Txn
		for i, row := range []string{"a", "b"} {
			txns[i] = Begin(f.store, kv.TxnOptions{Serializable: serializable})
			require.Len(f, f.readIn(txns[i], kv.Scan{MaxVersions: 1, NeedValue: true, Ordered: true}, "s"),
				len("a/q/1=on b/q/1=on"))
			require.NoError(f, f.putIn(txns[i], "s", row+"/q/1=of"))
		}
		require.NoError(f, txns[0].Commit(f.ctx))
		err := txns[1].Commit(f.ctx)
		if serializable {
			require.ErrorIs(f, err, kv.ErrConflict)
		} else {
			require.NoError(f, err, "a snapshot allows it")
		}
		f.put("s", "a/q/1=on", "b/q/1=on")
	}
}

// serialReads are what a transaction reads, what another one does, and whether
// the first must know.
var serialReads = []struct {
	name     string
	scan     kv.Scan
	other    string // a cell put
	conflict bool
}{
	{"the row", rowsScan("c", "c"), "c/q/1=x", true},
	{"a new cell of the row", rowsScan("c", "c"), "c/new/1=x", true},
	{"another row", rowsScan("c", "c"), "d/q/1=x", false},
	{"a row that is missing", rowsScan("cc", "cc"), "cc/q/1=x", true},
	{"a phantom in a range", rowsScan("b", "d"), "bb/q/1=x", true},
	{"a row behind a range", rowsScan("b", "d"), "dd/q/1=x", false},
	{"all", everything, "zz/q/1=x", true},
	{"nothing", kv.Scan{Ranges: []kv.Range{}}, "a/q/1=x", false},
	{"a qualifier", kv.Scan{Qualifiers: []kv.QualifierRange{{Start: []byte("q"), End: []byte("r")}}}, "c/q/5=x", true},
	{"another qualifier", kv.Scan{Qualifiers: []kv.QualifierRange{{Start: []byte("q"), End: []byte("r")}}}, "c/p/5=x",
		false},
	{"a time", kv.Scan{Time: kv.TimeRange{Min: 3, Max: 5, Bounded: true}}, "c/q/5=x", true},
	{"another time", kv.Scan{Time: kv.TimeRange{Min: 3, Max: 5, Bounded: true}}, "c/q/6=x", false},
}

func rowsScan(first, last string) kv.Scan {
	return kv.Scan{Ranges: []kv.Range{{
		Start: kv.Position{Row: []byte(first), Depth: kv.DepthRow},
		End:   kv.Position{Row: []byte(last), Depth: kv.DepthRow, After: true},
	}}}
}

func testSerialReads(f *fixture) {
	for _, reverse := range []bool{false, true} {
		for _, ordered := range []bool{false, true} {
			for _, each := range serialReads {
				f.change(func(c *kv.CatalogChange) error { return c.TruncateTable(database, "s") })
				f.put("s", "a/q/1=", "b/q/1=", "c/q/1=", "d/q/1=", "e/q/1=")
				name := fmt.Sprintf("%s reverse=%v ordered=%v", each.name, reverse, ordered)
				tx := f.serial()
				scan := each.scan
				scan.Reverse, scan.Ordered = reverse, ordered
				f.readIn(tx, scan, "s")
				require.NoError(f, f.putIn(tx, "g$a", "mine/q/1="))
				f.put("s", each.other)
				f.put("g$b", "c/q/1=another table")
				err := tx.Commit(f.ctx)
				if each.conflict {
					require.ErrorIs(f, err, kv.ErrConflict, name)
				} else {
					require.NoError(f, err, name)
				}
			}
		}
	}
}

// testSerialOwnRows: its own writes, and what it did not commit, are no
// conflict.
func testSerialOwnRows(f *fixture) {
	f.put("s", "a/q/1=0")
	tx := f.serial()
	f.readIn(tx, everything, "s")
	require.NoError(f, f.putIn(tx, "s", "b/q/1=1"))
	require.Equal(f, "a/q/1=0 b/q/1=1", f.readIn(tx, everything, "s"))
	other := f.begin()
	require.NoError(f, f.putIn(other, "s", "c/q/1=undone"))
	other.Rollback()
	require.NoError(f, tx.Commit(f.ctx))
	blind := f.serial()
	require.NoError(f, f.putIn(blind, "s", "x/q/1=blind"))
	f.put("s", "c/q/1=1")
	require.NoError(f, blind.Commit(f.ctx), "it has read nothing")
}

// testSerialReadOnly: who writes nothing has read one state.
func testSerialReadOnly(f *fixture) {
	f.put("s", "a/q/1=0")
	idle, reader := f.serial(), Begin(f.store, kv.TxnOptions{Serializable: true, ReadOnly: true})
	defer reader.Rollback()
	for _, tx := range []kv.Txn{idle, reader} {
		require.Equal(f, "a/q/1=0", f.readIn(tx, everything, "s"))
	}
	f.put("s", "a/q/1=1")
	for _, tx := range []kv.Txn{idle, reader} {
		require.Equal(f, "a/q/1=0", f.readIn(tx, everything, "s"))
		require.NoError(f, tx.Commit(f.ctx))
	}
}

// testSerialRenew: what was read before Renew does not count.
func testSerialRenew(f *fixture) {
	tx := f.serial()
	f.readIn(tx, everything, "s")
	f.put("s", "a/q/1=1")
	require.NoError(f, tx.Renew(context.Background()))
	require.NoError(f, f.putIn(tx, "g$a", "a/q/1="))
	require.NoError(f, tx.Commit(f.ctx))
}

// testSerialCatalog: a table that is emptied or dropped has changed too.
func testSerialCatalog(f *fixture) {
	for name, change := range map[string]func(c *kv.CatalogChange) error{
		"truncate": func(c *kv.CatalogChange) error { return c.TruncateTable(database, "s") },
		"drop":     func(c *kv.CatalogChange) error { return c.DropTable(database, "s") },
	} {
		f.put("s", "a/q/1=0")
		tx := f.serial()
		f.readIn(tx, everything, "s")
		require.NoError(f, f.putIn(tx, "g$a", "a/q/1="))
		f.change(change)
		require.ErrorIs(f, tx.Commit(f.ctx), kv.ErrCatalogChanged, name)
		if Catalog(f.store).Table(database, "s") == nil {
			f.change(func(c *kv.CatalogChange) error { _, err := c.CreateTable(f.layout.Table("s")); return err })
		}
	}
	require.Empty(f, f.all("g$a"))
}
