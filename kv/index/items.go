package index

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// item is a row, or a column of one if each has its own entries, as a scan returns it.
type item struct {
	row, qualifier []byte
	cells          []kv.Cell
	buf            []byte // memory for the cells
}

// begin starts the item with a cell.
func (it *item) begin(c *kv.Cell) {
	it.row, it.qualifier = append(it.row[:0], c.Row...), append(it.qualifier[:0], c.Qualifier...)
	it.cells, it.buf = it.cells[:0], it.buf[:0]
}

// add adds a copy of a cell. If the buffer is reallocated, earlier cells keep the old one.
func (it *item) add(c *kv.Cell) {
	n := len(it.buf)
	it.buf = append(append(it.buf, c.Qualifier...), c.Value...)
	m := n + len(c.Qualifier)
	out := kv.Cell{Qualifier: it.buf[n:m:m], Timestamp: c.Timestamp}
	if c.Value != nil {
		out.Value = it.buf[m:len(it.buf):len(it.buf)]
	}
	it.cells = append(it.cells, out)
}

// before returns the place before an item, in memory of its own.
func (u *unit) before(it *item) kv.Position {
	if u.single {
		return kv.Position{Row: slices.Clone(it.row), Qualifier: slices.Clone(it.qualifier), Depth: kv.DepthColumn}
	}
	return kv.Position{Row: slices.Clone(it.row), Depth: kv.DepthRow}
}

// Cells are read in batches, which grow from fewCells to manyCells: a single row has few.
const (
	fewCells  = 16
	manyCells = 1024
)

// each calls fn with each item of a range, in order, until it returns false. The item is valid
// during the call.
func (u *unit) each(ctx context.Context, txn kv.Txn, in kv.Range, fn func(*item) (more bool, err error)) (err error) {
	scan := kv.Scan{Ranges: []kv.Range{in}, Qualifiers: u.ranges, MaxVersions: 1, NeedValue: true, Ordered: true}
	cursor, err := txn.Scan(ctx, []*kv.Table{u.Table}, &scan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(cursor)) }()
	it := item{row: []byte{}, qualifier: []byte{}, buf: []byte{}} // no part may be nil, which is null
	for c, err := range cellsOf(cursor) {
		if err != nil {
			return err
		}
		if u.single || len(it.cells) == 0 || !bytes.Equal(it.row, c.Row) {
			if len(it.cells) > 0 {
				if more, err := fn(&it); err != nil || !more {
					return err
				}
			}
			it.begin(c)
		}
		it.add(c)
	}
	if len(it.cells) == 0 {
		return nil
	}
	_, err = fn(&it)
	return err
}

// cellsOf returns the cells of a cursor, which are valid until the next one. They are read in batches, except
// from tables in memory, which have none.
func cellsOf(cursor kv.Cursor) iter.Seq2[*kv.Cell, error] {
	batcher, ok := cursor.(kv.Batcher)
	if !ok {
		return oneByOne(cursor)
	}
	return func(yield func(*kv.Cell, error) bool) {
		b := kv.Batch{Shares: true}
		for n := fewCells; batcher.NextBatch(&b, n); n = min(4*n, manyCells) {
			for i := range b.Len() {
				if c := b.Cell(i); !yield(&c, nil) {
					return
				}
			}
		}
		if err := cursor.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// oneByOne is cellsOf for a cursor without batches.
func oneByOne(cursor kv.Cursor) iter.Seq2[*kv.Cell, error] {
	return func(yield func(*kv.Cell, error) bool) {
		for cursor.Next() {
			c, err := *cursor.Cell(), error(nil)
			if c.Value, err = cursor.Value(); !yield(&c, err) || err != nil {
				return
			}
		}
		if err := cursor.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// has reports whether a row has an entry in the unit's only index.
func (u *unit) has(ctx context.Context, txn kv.Txn, row []byte, e *Entry) (has bool, err error) {
	err = u.each(ctx, txn, rowOnly(row), func(it *item) (bool, error) {
		entries, err := u.indexes[0].of(it.row, it.cells)
		has = slices.ContainsFunc(entries, func(each Entry) bool { return compare(&each, e) == 0 })
		return !has, err
	})
	return has, err
}
