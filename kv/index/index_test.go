package index_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/partition"
)

// TestUniqueRace requires that only one of many transactions succeeds that write the same entry of a unique
// index.
func TestUniqueRace(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "unique")
	for round := range 20 {
		var wg sync.WaitGroup
		var won atomic.Int32
		begin := make(chan struct{})
		for n := range 16 {
			wg.Go(func() {
				<-begin
				err := f.write(func(txn kv.Txn, t *kv.Table) error {
					row := fmt.Sprintf("%c%c", 'a'+round, 'a'+n)
					if err := put(f.Context(), txn, t, row, 1, fmt.Append(nil, round), []byte("b")); err != nil || n%2 == 0 {
						return err
					}
					return txn.(kv.Indexed).Settle(f.Context(), t, []byte(row))
				})
				var duplicate *kv.DuplicateEntryError
				switch {
				case err == nil:
					won.Add(1)
				case !errors.As(err, &duplicate) && !errors.Is(err, kv.ErrConflict):
					f.Errorf("%v", err)
				}
			})
		}
		close(begin)
		wg.Wait()
		require.EqualValues(t, 1, won.Load())
	}
	f.requireSound()
}

// TestDifferentRows requires that transactions that write different rows do not wait for each other if the
// rows have the same value in a non-unique index, or different ones in a unique index.
func TestDifferentRows(t *testing.T) {
	f := open(t, pebblekv.Options{LockTimeout: time.Millisecond})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "plain", "unique", "cells")
	one, two := f.begin(kv.TxnOptions{}), f.begin(kv.TxnOptions{})
	for i, txn := range []kv.Txn{one, two} {
		table := txn.Catalog().Table("d", "t")
		require.NoError(t, put(t.Context(), txn, table, fmt.Sprintf("r%d", i), 1, nil, []byte("same")))
		require.NoError(t, txn.(kv.Indexed).Settle(t.Context(), table, fmt.Appendf(nil, "r%d", i)))
	}
	require.NoError(t, one.Commit(t.Context()))
	require.NoError(t, two.Commit(t.Context()))
	f.requireSound()
}

// TestSettleError requires that after an error of Settle the transaction is as before, and the row can be
// given another value.
func TestSettleError(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "plain", "unique")
	require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
		return put(t.Context(), txn, tb, "r1", 1, []byte("a"), []byte("b"))
	}))
	require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
		require.NoError(t, put(t.Context(), txn, tb, "r2", 1, []byte("a"), []byte("b")))
		err := txn.(kv.Indexed).Settle(t.Context(), tb, []byte("r2"))
		var duplicate *kv.DuplicateEntryError
		require.ErrorAs(t, err, &duplicate)
		require.Equal(t, "unique", duplicate.Index)
		require.Equal(t, "r1", string(duplicate.Row))
		require.Equal(t, uint64(5), txn.(kv.Observed).Observe().Writes+2, "no entry was written")
		return put(t.Context(), txn, tb, "r2", 1, []byte("other"), []byte("b"))
	}))
	f.requireSound()
}

// TestSwap requires that rows can swap their entries of a unique index in one transaction.
func TestSwap(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "unique")
	for _, values := range [][2]string{{"x", "y"}, {"y", "x"}} {
		require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
			require.NoError(t, put(t.Context(), txn, tb, "r1", 1, []byte(values[0]), []byte("b")))
			return put(t.Context(), txn, tb, "r2", 1, []byte(values[1]), []byte("b"))
		}))
		f.requireSound()
	}
}

// TestSavepoints requires that a scan as of a savepoint reads the entries that were written then.
func TestSavepoints(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "plain")
	require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
		require.NoError(t, put(t.Context(), txn, tb, "r1", 1, []byte("a"), nil))
		require.NoError(t, txn.(kv.Indexed).Settle(t.Context(), tb, []byte("r1")))
		settled := txn.Savepoint()
		require.NoError(t, put(t.Context(), txn, tb, "r2", 1, []byte("a"), nil))
		pending := txn.Savepoint()
		require.NoError(t, f.requireExact(txn))
		require.NoError(t, put(t.Context(), txn, tb, "r3", 1, []byte("a"), nil))
		require.NoError(t, put(t.Context(), txn, tb, "r2", 2, []byte("other"), nil))
		require.NoError(t, f.requireExact(txn))
		kept, err := f.kept(txn, tb, settled, 0)
		require.NoError(t, err)
		require.Equal(t, f.scratch(txn, tb, settled, 0), kept)
		txn.RollbackTo(pending)
		require.NoError(t, put(t.Context(), txn, tb, "r2", 2, []byte("third"), nil))
		txn.RollbackTo(pending)
		require.NoError(t, f.requireExact(txn))
		txn.RollbackTo(settled)
		require.NoError(t, f.requireExact(txn))
		return nil
	}))
	f.requireSound()
}

// TestLargeRow requires that a write of a cell in a per-cell index reads no other cell.
func TestLargeRow(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "cells")
	require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
		for i := range 2000 {
			require.NoError(t, txn.Put(t.Context(), tb, kv.Cell{Row: []byte("r1"), Qualifier: fmt.Appendf(nil, "%04d", i), Value: []byte("v")}))
		}
		return nil
	}))
	f.requireSound()
	table := f.catalog().Table("d", "t")
	before := f.store.TableLoads(table)[0].Reads
	for i := range 100 {
		require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
			return txn.DeleteColumn(t.Context(), tb, []byte("r1"), fmt.Appendf(nil, "%04d", i))
		}))
	}
	require.LessOrEqual(t, f.store.TableLoads(table)[0].Reads-before, int64(100*10))
	f.requireSound()
}

// TestNoDefinition requires that a write to a table with an unknown index fails and changes nothing.
func TestNoDefinition(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{})
	f.addIndex("unknown")
	require.ErrorIs(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
		err := put(t.Context(), txn, tb, "r1", 1, []byte("a"), nil)
		require.ErrorIs(t, err, errNoDefinition)
		require.Zero(t, txn.(kv.Observed).Observe().Writes)
		return err
	}), errNoDefinition)
}

// TestCatalog requires that tables of entries are in no list, and are dropped, truncated and moved with their
// table.
func TestCatalog(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "plain", "unique")
	fill := func(database string) {
		txn := f.begin(kv.TxnOptions{})
		defer txn.Rollback()
		require.NoError(t, put(t.Context(), txn, txn.Catalog().Table(database, "t"), "r1", 1, []byte("a"), []byte("b")))
		require.NoError(t, txn.Commit(t.Context()))
	}
	fill("d")
	require.Len(t, f.catalog().Tables("d"), 1)
	require.Len(t, f.catalog().AllTables("d"), 3)
	require.Equal(t, "t (index plain)", f.catalog().Title(f.catalog().AllTables("d")[0]))
	f.change(func(c *kv.CatalogChange) error { return c.TruncateTable("d", "t") })
	f.requireSound()
	fill("d")
	f.change(func(c *kv.CatalogChange) error {
		if err := c.CreateDatabase(kv.Database{Name: "e"}); err != nil {
			return err
		}
		moved := *c.Catalog().Table("d", "t")
		moved.Database = "e"
		return c.AlterTable(moved)
	})
	require.Len(t, f.catalog().AllTables("d"), 0)
	require.Len(t, f.catalog().AllTables("e"), 3)
	fill("e")
	for _, each := range f.catalog().Table("e", "t").Indexes {
		report, err := index.Check(t.Context(), f.store, each.Entries)
		require.NoError(t, err)
		require.Empty(t, report.Damage)
		require.EqualValues(t, 1, report.Cells)
	}
	f.change(func(c *kv.CatalogChange) error { return c.DropIndex("e", "t", "plain") })
	require.Len(t, f.catalog().AllTables("e"), 2)
	f.change(func(c *kv.CatalogChange) error { return c.DropTable("e", "t") })
	require.Len(t, f.catalog().AllTables("e"), 0)
	kvtest.RequireSound(t.Context(), t, f.store, kv.CheckCells)
}

// TestRefused requires that changes of cells without their entries are refused, with an alternative in the
// message.
func TestRefused(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(kvtest.Layouts()[4].Scheme, kv.Retention{}, "unique")
	try := func(fn func(c *kv.CatalogChange) error) {
		t.Helper()
		var unsupported kv.ErrUnsupported
		require.ErrorAs(t, f.store.ChangeCatalog(t.Context(), fn), &unsupported)
		require.Contains(t, unsupported.What, "DROP INDEX unique")
	}
	try(func(c *kv.CatalogChange) error {
		with, err := c.CreateTable(kv.Table{Database: "d", Name: "u", MaxRow: 64, MaxQualifier: 64, Partitioning: &partition.Scheme{}})
		require.NoError(t, err)
		return index.Exchange(c, c.Catalog().Table("d", "t"), 0, with, nil)
	})
	try(func(c *kv.CatalogChange) error {
		with, err := c.CreateTable(kv.Table{Database: "d", Name: "u", MaxRow: 64, MaxQualifier: 64, Partitioning: &partition.Scheme{}, Retention: kv.Retention{CellTTL: true}})
		require.NoError(t, err)
		return index.Exchange(c, c.Catalog().Table("d", "t"), 0, with, []index.Local{{Index: "unique"}})
	})
	for _, r := range []kv.Retention{{TTLSeconds: 1}, {MinVersions: 1}, {CellTTL: true}} {
		try(func(c *kv.CatalogChange) error {
			next := *c.Catalog().Table("d", "t")
			next.Retention = r
			return c.AlterTable(next)
		})
	}
	f.change(func(c *kv.CatalogChange) error {
		like := *c.Catalog().Table("d", "t")
		like.Name = "like"
		made, err := c.CreateTable(like)
		require.Empty(t, made.Indexes, "a table that is made like another has none of its indexes")
		return err
	})
	entries := f.catalog().TableByID(f.catalog().Table("d", "t").Indexes[0].Entries)
	_, err := f.store.BulkLoad(t.Context(), []*kv.Table{entries}, func(func(kv.Cell, error) bool) {}, kv.BulkOptions{})
	require.ErrorAs(t, err, &kv.ErrUnsupported{})
	f.change(func(c *kv.CatalogChange) error { return c.DropIndex("d", "t", "unique") })
	f.change(func(c *kv.CatalogChange) error { return c.TruncatePartitions("d", "t", []int{0}) })
	f.change(func(c *kv.CatalogChange) error {
		next := *c.Catalog().Table("d", "t")
		next.Retention = kv.Retention{CellTTL: true}
		return c.AlterTable(next)
	})
	require.ErrorAs(t, f.store.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		_, err := c.AddIndex("d", "t", kv.Index{Name: "i"}, kv.Table{Partitioning: &partition.Scheme{}})
		return err
	}), &kv.ErrUnsupported{})
}

// TestCheckFinds requires that Check finds missing, different and superfluous entries.
func TestCheckFinds(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "cells")
	require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
		for i := range 3 {
			require.NoError(t, put(t.Context(), txn, tb, fmt.Sprintf("r%d", i), 1, []byte("a"), []byte("b")))
		}
		return nil
	}))
	entries := f.catalog().Table("d", "t").Indexes[0].Entries
	require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
		all, err := read(t.Context(), txn, txn.Catalog().TableByID(entries), &kv.Scan{})
		require.NoError(t, err)
		require.NoError(t, txn.DeleteColumn(t.Context(), txn.Catalog().TableByID(entries), all[0].Row, nil))
		other := all[1]
		other.Value = []byte("other")
		require.NoError(t, txn.Put(t.Context(), txn.Catalog().TableByID(entries), other))
		return txn.Put(t.Context(), txn.Catalog().TableByID(entries), kv.Cell{Row: []byte("r9"), Value: []byte{}})
	}))
	report, err := index.Check(t.Context(), f.store, entries)
	require.NoError(t, err)
	require.Len(t, report.Damage, 3)
	for i, want := range []string{"has no entry", "does not match its row", "does not belong to the row"} {
		require.ErrorContains(t, report.Damage[i], want)
		require.ErrorIs(t, report.Damage[i], kv.ErrCorrupt)
	}
	_, err = index.Check(t.Context(), f.store, 999)
	require.ErrorIs(t, err, kv.ErrNoIndex)
}

// TestMostPending requires that a transaction may have only so many rows with unwritten entries, and can
// continue once these are written or undone.
func TestMostPending(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "plain")
	f.store.MostPending = 3
	require.NoError(t, f.write(func(txn kv.Txn, table *kv.Table) error {
		write := func(n int) error {
			return put(t.Context(), txn, table, fmt.Sprintf("row%d", n), start, []byte("a"), []byte("b"))
		}
		empty := txn.Savepoint()
		for range 2 {
			for n := range 3 {
				require.NoError(t, write(n))
				require.NoError(t, write(n), "a row that is pending already")
			}
			require.ErrorIs(t, write(3), kv.ErrTooLarge)
			txn.RollbackTo(empty)
		}
		require.NoError(t, write(0))
		one := txn.Savepoint()
		require.NoError(t, write(1))
		txn.RollbackTo(one)
		for n := range 9 {
			require.NoError(t, write(n))
			if n%3 == 2 {
				require.NoError(t, txn.(kv.Indexed).Settle(t.Context(), table, nil))
			}
		}
		return nil
	}))
	require.NoError(t, f.write(func(txn kv.Txn, table *kv.Table) error {
		lines, err := f.kept(txn, table, nil, 0)
		require.NoError(t, err)
		require.Equal(t, f.scratch(txn, table, nil, 0), lines)
		require.Len(t, lines, 9)
		return nil
	}))
}
