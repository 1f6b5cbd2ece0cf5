package index

import (
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// sweep removes those of up to so many entries whose rows do not have them.
func (b *builder) sweep(ctx context.Context, most int) error {
	rows := b.rows
	err := b.piece(ctx, most, (*piece).sweep)
	b.rows = rows
	return err
}

// errEnough ends the reading of entries.
var errEnough = errors.New("the piece has enough entries")

func (p *piece) sweep(ctx context.Context) error {
	var gone []Entry
	entries := checker{txn: p.txn, index: p.index}
	err := entries.read(ctx, &kv.Scan{Ranges: []kv.Range{{Start: p.at}}, Ordered: true}, func(e *Entry) error {
		if p.rows == p.most {
			p.more = true
			return errEnough
		}
		row, err := p.index.BaseRow(e.Row, e.Qualifier)
		has := false
		if err == nil {
			has, err = p.unit.has(ctx, p.txn, row, e)
		}
		if err != nil && !errors.Is(err, kv.ErrFormat) {
			return err
		}
		if !has {
			gone = append(gone, Entry{Row: slices.Clone(e.Row), Qualifier: slices.Clone(e.Qualifier)})
		}
		p.rows++
		p.at = kv.Position{Row: slices.Clone(e.Row), Qualifier: slices.Clone(e.Qualifier), Depth: kv.DepthColumn, After: true}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	for i := range gone {
		if err := p.remove(ctx, &gone[i]); err != nil {
			return err
		}
	}
	return nil
}

// remove removes an entry that its row did not have. The row is locked, which fails where it has got the entry since.
func (p *piece) remove(ctx context.Context, e *Entry) error {
	if row, err := p.index.BaseRow(e.Row, e.Qualifier); err == nil {
		if err := p.txn.LockRow(ctx, p.unit.Table, row, kv.RowLock{}); err != nil {
			return err
		}
	}
	return p.txn.DeleteColumn(ctx, p.index.table, e.Row, e.Qualifier)
}
