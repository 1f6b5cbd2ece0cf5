package txns

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// SerialTests are the tests of serializable transactions.
var SerialTests = []fixture.Test{
	{Name: "WriteSkew", Run: testWriteSkew, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "Reads", Run: testSerialReads, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "OwnRows", Run: testSerialOwnRows, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "ReadOnly", Run: testSerialReadOnly, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "Renew", Run: testSerialRenew, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "Catalog", Run: testSerialCatalog, Needs: fixture.Snapshots | fixture.ManyRows},
}

func beginSerial(f *fixture.Fixture) kv.Txn {
	tx := fixture.Begin(f.Store, kv.TxnOptions{Serializable: true})
	f.Cleanup(tx.Rollback)
	return tx
}

// testWriteSkew has two transactions that each read both rows and write one of them.
func testWriteSkew(f *fixture.Fixture) {
	f.Put("s", "a/q/1=on", "b/q/1=on")
	for _, serializable := range []bool{false, true} {
		var txns [2]kv.Txn
		for i, row := range []string{"a", "b"} {
			txns[i] = fixture.Begin(f.Store, kv.TxnOptions{Serializable: serializable})
			require.Len(f, f.ReadIn(txns[i], kv.Scan{MaxVersions: 1, NeedValue: true, Ordered: true}, "s"),
				len("a/q/1=on b/q/1=on"))
			require.NoError(f, f.PutIn(txns[i], "s", row+"/q/1=of"))
		}
		require.NoError(f, txns[0].Commit(f.Ctx))
		err := txns[1].Commit(f.Ctx)
		if serializable {
			require.ErrorIs(f, err, kv.ErrConflict)
		} else {
			require.NoError(f, err, "a snapshot allows it")
		}
		f.Put("s", "a/q/1=on", "b/q/1=on")
	}
}

// serialReads are what a transaction reads, what another one does, and whether
// that is a conflict for the first one.
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
	{"all", fixture.Everything, "zz/q/1=x", true},
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

func testSerialReads(f *fixture.Fixture) {
	for _, reverse := range []bool{false, true} {
		for _, ordered := range []bool{false, true} {
			for _, each := range serialReads {
				f.Change(func(c *kv.CatalogChange) error { return c.TruncateTable(fixture.Database, "s") })
				f.Put("s", "a/q/1=", "b/q/1=", "c/q/1=", "d/q/1=", "e/q/1=")
				name := fmt.Sprintf("%s reverse=%v ordered=%v", each.name, reverse, ordered)
				tx := beginSerial(f)
				scan := each.scan
				scan.Reverse, scan.Ordered = reverse, ordered
				f.ReadIn(tx, scan, "s")
				require.NoError(f, f.PutIn(tx, "g$a", "mine/q/1="))
				f.Put("s", each.other)
				f.Put("g$b", "c/q/1=another table")
				err := tx.Commit(f.Ctx)
				if each.conflict {
					require.ErrorIs(f, err, kv.ErrConflict, name)
				} else {
					require.NoError(f, err, name)
				}
			}
		}
	}
}

// testSerialOwnRows requires that a transaction's own writes, and uncommitted
// writes, are not conflicts.
func testSerialOwnRows(f *fixture.Fixture) {
	f.Put("s", "a/q/1=0")
	tx := beginSerial(f)
	f.ReadIn(tx, fixture.Everything, "s")
	require.NoError(f, f.PutIn(tx, "s", "b/q/1=1"))
	require.Equal(f, "a/q/1=0 b/q/1=1", f.ReadIn(tx, fixture.Everything, "s"))
	other := f.Begin()
	require.NoError(f, f.PutIn(other, "s", "c/q/1=undone"))
	other.Rollback()
	require.NoError(f, tx.Commit(f.Ctx))
	blind := beginSerial(f)
	require.NoError(f, f.PutIn(blind, "s", "x/q/1=blind"))
	f.Put("s", "c/q/1=1")
	require.NoError(f, blind.Commit(f.Ctx), "it has read nothing")
}

// testSerialReadOnly requires that a transaction that writes nothing never
// conflicts: it has read a single state.
func testSerialReadOnly(f *fixture.Fixture) {
	f.Put("s", "a/q/1=0")
	idle, reader := beginSerial(f), fixture.Begin(f.Store, kv.TxnOptions{Serializable: true, ReadOnly: true})
	defer reader.Rollback()
	for _, tx := range []kv.Txn{idle, reader} {
		require.Equal(f, "a/q/1=0", f.ReadIn(tx, fixture.Everything, "s"))
	}
	f.Put("s", "a/q/1=1")
	for _, tx := range []kv.Txn{idle, reader} {
		require.Equal(f, "a/q/1=0", f.ReadIn(tx, fixture.Everything, "s"))
		require.NoError(f, tx.Commit(f.Ctx))
	}
}

// testSerialRenew requires that reads before Renew are ignored.
func testSerialRenew(f *fixture.Fixture) {
	tx := beginSerial(f)
	f.ReadIn(tx, fixture.Everything, "s")
	f.Put("s", "a/q/1=1")
	require.NoError(f, tx.Renew(context.Background()))
	require.NoError(f, f.PutIn(tx, "g$a", "a/q/1="))
	require.NoError(f, tx.Commit(f.Ctx))
}

// testSerialCatalog requires that truncating or dropping a table counts as a
// change of what was read.
func testSerialCatalog(f *fixture.Fixture) {
	for name, change := range map[string]func(c *kv.CatalogChange) error{
		"truncate": func(c *kv.CatalogChange) error { return c.TruncateTable(fixture.Database, "s") },
		"drop":     func(c *kv.CatalogChange) error { return c.DropTable(fixture.Database, "s") },
	} {
		f.Put("s", "a/q/1=0")
		tx := beginSerial(f)
		f.ReadIn(tx, fixture.Everything, "s")
		require.NoError(f, f.PutIn(tx, "g$a", "a/q/1="))
		f.Change(change)
		require.ErrorIs(f, tx.Commit(f.Ctx), kv.ErrCatalogChanged, name)
		if fixture.Catalog(f.Store).Table(fixture.Database, "s") == nil {
			f.Change(func(c *kv.CatalogChange) error { _, err := c.CreateTable(f.Layout.Table("s")); return err })
		}
	}
	require.Empty(f, f.All("g$a"))
}
