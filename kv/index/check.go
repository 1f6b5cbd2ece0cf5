package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// Check compares the rows of a table with their entries in an index, both ways, in one snapshot.
// entries is the ID of the index's table of entries; the error is kv.ErrNoIndex if there is none.
// The report counts the rows, or columns, and as its cells the entries. A missing, a different or a
// superfluous entry is damage. In an index that is being built entries may be missing, and in a
// Stale one they may be superfluous.
func Check(ctx context.Context, store kv.Store, entries uint64) (report kv.CheckReport, err error) {
	s, ok := store.(*Store)
	if !ok {
		return report, kv.ErrUnsupported{What: "indexes in this store"}
	}
	txn, err := s.Full.Begin(ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return report, err
	}
	defer txn.Rollback()
	return check(ctx, txn, s.maker, entries)
}

// CheckIn is Check as a transaction sees the table and its entries, which must be of a Keeper.
func CheckIn(ctx context.Context, txn kv.Txn, entries uint64) (report kv.CheckReport, err error) {
	x, ok := txn.(*Txn)
	if !ok {
		return report, kv.ErrUnsupported{What: "indexes in this store"}
	}
	return check(ctx, x, x.keeper.maker, entries)
}

func check(ctx context.Context, txn kv.Txn, maker Maker, entries uint64) (report kv.CheckReport, err error) {
	t, i, err := place(txn.Catalog(), entries)
	if err != nil {
		return report, err
	}
	index, err := newOne(txn.Catalog(), t, i, maker)
	if err != nil {
		return report, err
	}
	c := checker{txn: txn, unit: alone(t, index), index: index}
	if err = c.rows(ctx); err == nil {
		err = c.count(ctx)
	}
	if err == nil && c.report.Cells != c.found && index.Stale == 0 {
		err = c.entries(ctx)
	}
	return c.report, err
}

type checker struct {
	txn    kv.Txn
	unit   *unit
	index  *one
	report kv.CheckReport
	found  int64 // entries that belong to a row
}

func (c *checker) damaged(format string, args ...any) {
	c.report.Add(fmt.Errorf("%w: %s.%s, index %s: %s", kv.ErrCorrupt, c.unit.Database, c.unit.Name, c.index.Name, fmt.Sprintf(format, args...)))
}

// rows looks up the entries of each row.
func (c *checker) rows(ctx context.Context) error {
	return c.unit.each(ctx, c.txn, kv.Range{}, func(it *item) (bool, error) {
		c.report.Rows++
		entries, err := c.index.of(it.row, it.cells)
		if err != nil {
			return false, err
		}
		for i := range entries {
			found, err := c.find(ctx, &entries[i])
			switch {
			case err != nil:
				return false, err
			case found == nil && c.index.Building:
			case found == nil:
				c.damaged("the row %q has no entry %x", it.row, entries[i].Row)
			case !same(found, &entries[i]):
				c.damaged("the entry %x does not match its row %q", entries[i].Row, it.row)
				fallthrough
			default:
				c.found++
			}
		}
		return true, nil
	})
}

// find returns the stored entry in the place of one, nil if there is none.
func (c *checker) find(ctx context.Context, e *Entry) (found *Entry, err error) {
	scan := kv.Scan{Ranges: []kv.Range{rowOnly(e.Row)}, Qualifiers: []kv.QualifierRange{only(e.Qualifier)}, MaxVersions: 1, NeedValue: true}
	err = c.read(ctx, &scan, func(e *Entry) error {
		found = &Entry{Row: slices.Clone(e.Row), Qualifier: slices.Clone(e.Qualifier), Timestamp: e.Timestamp, Value: bytes.Clone(e.Value)}
		return nil
	})
	return found, err
}

// read calls fn with each entry of a scan. The entry is valid during the call.
func (c *checker) read(ctx context.Context, s *kv.Scan, fn func(*Entry) error) (err error) {
	cursor, err := c.txn.Scan(ctx, []*kv.Table{c.index.table}, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(cursor)) }()
	for cursor.Next() {
		var value []byte
		if s.NeedValue {
			if value, err = cursor.Value(); err != nil {
				return err
			}
		}
		cell := cursor.Cell()
		if err := fn(&Entry{Row: cell.Row, Qualifier: cell.Qualifier, Timestamp: cell.Timestamp, Value: value}); err != nil {
			return err
		}
	}
	return cursor.Err()
}

// count counts the entries. If there are as many as were found, none is superfluous.
func (c *checker) count(ctx context.Context) error {
	return c.read(ctx, &kv.Scan{NeedValue: true}, func(*Entry) error {
		c.report.Cells++
		return nil
	})
}

// entries looks up the row of each entry.
func (c *checker) entries(ctx context.Context) error {
	return c.read(ctx, &kv.Scan{Ordered: true, NeedValue: true}, func(e *Entry) error {
		row, err := c.index.BaseRow(e.Row, e.Qualifier)
		if err != nil {
			c.damaged("the entry %x: %s", e.Row, err)
			return nil
		}
		has, err := c.unit.has(ctx, c.txn, row, e)
		if err == nil && !has {
			c.damaged("the entry %x does not belong to the row %q", e.Row, row)
		}
		return err
	})
}
