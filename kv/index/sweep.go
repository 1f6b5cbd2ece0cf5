package index

import (
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// sweep removes the entries whose rows do not have them.
func (b *builder) sweep(ctx context.Context) error {
	var at kv.Position
	return b.steps(ctx, func(now *snapshot, most int) (func() bool, error) {
		next, more, err := now.sweep(ctx, at, most)
		return func() bool { at = next; return more }, err
	})
}

// errEnough stops reading entries.
var errEnough = errors.New("the transaction has enough entries")

// sweep checks up to most entries, and returns where to continue.
func (s *snapshot) sweep(ctx context.Context, at kv.Position, most int) (next kv.Position, more bool, err error) {
	var gone []Entry
	n := 0
	entries := checker{txn: s, index: s.index}
	err = entries.read(ctx, &kv.Scan{Ranges: []kv.Range{{Start: at}}, Ordered: true}, func(e *Entry) error {
		if n++; n > most {
			more = true
			return errEnough
		}
		row, err := s.index.BaseRow(e.Row, e.Qualifier)
		has := false
		if err == nil {
			has, err = s.unit.has(ctx, s, row, e)
		}
		if err != nil && !errors.Is(err, kv.ErrFormat) {
			return err
		}
		if !has {
			gone = append(gone, Entry{Row: slices.Clone(e.Row), Qualifier: slices.Clone(e.Qualifier)})
		}
		next = kv.Position{Row: slices.Clone(e.Row), Qualifier: slices.Clone(e.Qualifier), Depth: kv.DepthColumn, After: true}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return next, false, err
	}
	for i := range gone {
		if err := s.remove(ctx, &gone[i]); err != nil {
			return next, false, err
		}
	}
	return next, more, nil
}

// remove removes an entry that its row did not have. It locks the row, which fails if the row has got the
// entry since.
func (s *snapshot) remove(ctx context.Context, e *Entry) error {
	if row, err := s.index.BaseRow(e.Row, e.Qualifier); err == nil {
		if err := s.LockRow(ctx, s.unit.Table, row, kv.RowLock{}); err != nil {
			return err
		}
	}
	return s.DeleteColumn(ctx, s.index.table, e.Row, e.Qualifier)
}
