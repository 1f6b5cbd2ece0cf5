// Package rekey writes the rows of a typed table again, under another primary key, into another table: [Copy].
package rekey

import (
	"bytes"
	"cmp"
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Copy copies all rows of a typed table, with all versions of their cells and their timestamps.
type Copy struct {
	Store    kv.Store
	From, To *typed.Table
	// Value is the value of a column of To in a row with the given stored values, which are in From's order.
	Value func(column int, stored []value.Value) (value.Value, error)
	// Number numbers the rows in the order of From, in To's Numbered column; nil if they have numbers
	// already.
	Number func(n uint64) (value.Value, error)

	into    kv.Txn
	table   *kv.Table // of into
	written int
	key     []byte
	cells   []kv.Cell // of the current row, in the store's order
	largest uint64
}

// batch is the number of cells that are written in one transaction.
const batch = 8192

// Run copies what read sees of a table into another one, which is empty and which nothing else writes, in
// several transactions: it is not atomic. It returns the largest number in To's Numbered column. Errors are
// those of Value, Number and the store, 1062 for rows that get the same key, and 1406 for a key that is too
// long for the store.
func (c *Copy) Run(ctx context.Context, read kv.Txn, from, to *kv.Table) (largest uint64, err error) {
	cursor, err := read.Scan(ctx, []*kv.Table{from}, &kv.Scan{NeedValue: true, Ordered: true})
	if err != nil {
		return 0, err
	}
	defer func() {
		err = cmp.Or(err, cursor.Close())
		if c.into != nil {
			c.into.Rollback()
		}
	}()
	for cursor.Next() {
		at := cursor.Cell()
		v, err := cursor.Value()
		if err != nil {
			return 0, err
		}
		if !bytes.Equal(at.Row, c.key) {
			if err := c.row(ctx, to); err != nil {
				return 0, err
			}
			c.key = bytes.Clone(at.Row)
		}
		cell := kv.Cell{Qualifier: bytes.Clone(at.Qualifier), Timestamp: at.Timestamp}
		if v != nil {
			cell.Value = append([]byte{}, v...)
		}
		c.cells = append(c.cells, cell)
	}
	if err := cmp.Or(cursor.Err(), c.row(ctx, to)); err != nil {
		return 0, err
	}
	return c.largest, c.commit(ctx)
}

// row copies the row whose cells have been collected, unless the table does not have it.
func (c *Copy) row(ctx context.Context, to *kv.Table) error {
	stored, there := c.stored()
	if !there {
		c.cells = c.cells[:0]
		return nil
	}
	values, err := c.values(stored)
	if err != nil {
		return err
	}
	if err := c.begin(ctx, to); err != nil {
		return err
	}
	row, err := c.To.AppendRow(nil, values)
	switch {
	case err != nil:
		return err
	case len(row) > c.table.MaxRow:
		return mysqlerr.New(mysqlerr.DataTooLong, "Data too long for the primary key: rows have %d bytes at most", c.table.MaxRow)
	}
	switch taken, err := c.isTaken(ctx, row); {
	case err != nil:
		return err
	case taken:
		return mysqlerr.New(mysqlerr.DupEntry, "Duplicate entry '%s' for key 'PRIMARY'", typed.RowText(c.table, row))
	}
	if err := c.put(ctx, row, values); err != nil {
		return err
	}
	if c.written += len(c.cells); c.written >= batch {
		err = c.commit(ctx)
	}
	c.cells = c.cells[:0]
	return err
}

// stored are the stored values of the row's columns; there is false if the table does not have the row.
func (c *Copy) stored() (values []value.Value, there bool) {
	n := len(c.From.Columns)
	cells, has, marked := make([][]byte, n), make([]bool, n), false
	for i := range c.cells { // the newest of each qualifier
		cell := &c.cells[i]
		if c.From.IsMarker(cell.Qualifier) {
			there, marked = there || !marked && cell.Value != nil, true
		} else if at := c.From.OfCell(0, cell.Qualifier); at >= 0 && !has[at] {
			cells[at], has[at] = cell.Value, true
		}
	}
	if !there {
		return nil, false
	}
	c.From.FillAbsent(cells, has)
	values, err := c.From.Stored(c.key, cells)
	return values, err == nil // a row with an invalid key does not exist
}

// values are the row's values of the columns that are or were in the key.
func (c *Copy) values(stored []value.Value) (out []value.Value, err error) {
	out = make([]value.Value, len(c.To.Columns))
	numbered := c.To.Numbered()
	for i := range out {
		if i == numbered && c.Number != nil {
			out[i], err = c.Number(c.largest + 1)
		} else {
			out[i], err = c.Value(i, stored)
		}
		if err != nil {
			return nil, err
		}
	}
	if numbered >= 0 {
		c.largest = max(c.largest, typed.AsNumber(out[numbered]))
	}
	return out, nil
}

// begin begins a transaction unless there is one.
func (c *Copy) begin(ctx context.Context, to *kv.Table) (err error) {
	if c.into != nil {
		return nil
	}
	if c.into, err = c.Store.Begin(ctx, kv.TxnOptions{}); err != nil {
		return err
	}
	if c.table = c.into.Catalog().TableByID(to.ID); c.table == nil {
		return kv.ErrCatalogChanged // it has been dropped
	}
	return nil
}

func (c *Copy) commit(ctx context.Context) error {
	if c.into == nil {
		return nil
	}
	err := c.into.Commit(ctx)
	c.into, c.written = nil, 0
	return err
}

// isTaken reports whether the copy has a row.
func (c *Copy) isTaken(ctx context.Context, row []byte) (bool, error) {
	at := kv.Position{Row: row, Depth: kv.DepthRow}
	end := at
	end.After = true
	cursor, err := c.into.Scan(ctx, []*kv.Table{c.table}, &kv.Scan{Ranges: []kv.Range{{Start: at, End: end}}, MaxVersions: 1, FirstPerRow: true})
	if err != nil {
		return false, err
	}
	found := cursor.Next()
	return found, cmp.Or(cursor.Err(), cursor.Close())
}

// put writes the cells of a row. A column that leaves the key gets a cell for each version of the row's marker.
func (c *Copy) put(ctx context.Context, row []byte, values []value.Value) error {
	for i := range c.cells {
		cell := c.cells[i]
		if !c.keeps(cell.Qualifier) {
			continue
		}
		cell.Row = row
		if err := c.into.Put(ctx, c.table, cell); err != nil {
			return err
		}
		if !c.From.IsMarker(cell.Qualifier) {
			continue
		}
		if err := c.putFreed(ctx, row, cell.Timestamp, values); err != nil {
			return err
		}
	}
	return nil
}

// keeps reports whether cells of a qualifier are copied: those of dropped columns, and of columns that no
// longer have cells, are not.
func (c *Copy) keeps(qualifier []byte) bool {
	return c.To.IsMarker(qualifier) || c.To.OfCell(0, qualifier) >= 0 ||
		c.From.OfCell(0, qualifier) < 0 && !c.From.IsRetired(qualifier)
}

// putFreed writes the cells of columns whose values were in the key only.
func (c *Copy) putFreed(ctx context.Context, row []byte, t int64, values []value.Value) error {
	for i, v := range values {
		if !c.To.HasCell(i) || v.IsNull() {
			continue
		}
		cell, err := c.To.AppendCell([]byte{}, i, v)
		if err != nil {
			return err
		}
		if err := c.into.Put(ctx, c.table, kv.Cell{Row: row, Qualifier: c.To.CellName(i), Timestamp: t, Value: cell}); err != nil {
			return err
		}
	}
	return nil
}
