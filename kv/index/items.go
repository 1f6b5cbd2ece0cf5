package index

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// item is a row, or a column of one where each has its own entries, as a scan comes upon it.
type item struct {
	row, qualifier []byte
	cells          []kv.Cell
}

// after is the place behind an item.
func (u *unit) after(it *item) kv.Position {
	if u.single {
		return kv.Position{Row: it.row, Qualifier: it.qualifier, Depth: kv.DepthColumn, After: true}
	}
	return kv.Position{Row: it.row, Depth: kv.DepthRow, After: true}
}

// each calls fn with each item of a range, in their order, until it reports false. The item's
// memory is fn's.
func (u *unit) each(ctx context.Context, txn kv.Txn, in kv.Range, fn func(*item) (more bool, err error)) (err error) {
	scan := kv.Scan{Ranges: []kv.Range{in}, Qualifiers: u.ranges, MaxVersions: 1, NeedValue: true, Ordered: true}
	cursor, err := txn.Scan(ctx, []*kv.Table{u.Table}, &scan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	var it *item
	for cursor.Next() {
		c := cursor.Cell()
		if it != nil && (u.single || !bytes.Equal(it.row, c.Row)) {
			if more, err := fn(it); err != nil || !more {
				return err
			}
			it = nil
		}
		value, err := cursor.Value()
		if err != nil {
			return err
		}
		if it == nil {
			it = &item{row: slices.Clone(c.Row), qualifier: slices.Clone(c.Qualifier)}
		}
		it.cells = append(it.cells, copied(c, value))
	}
	if err := cursor.Err(); err != nil || it == nil {
		return err
	}
	_, err = fn(it)
	return err
}

// has reports whether an entry is one of a row's in the unit's only index.
func (u *unit) has(ctx context.Context, txn kv.Txn, row []byte, e *Entry) (has bool, err error) {
	err = u.each(ctx, txn, rowOnly(row), func(it *item) (bool, error) {
		entries, err := u.indexes[0].of(it.row, it.cells)
		has = slices.ContainsFunc(entries, func(each Entry) bool { return compare(&each, e) == 0 })
		return !has, err
	})
	return has, err
}
