package index

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// stepRows is how many rows, or entries, a transaction of a build handles.
const stepRows = 64

// steps calls step in one transaction after another, with the most rows or entries to handle, until advance
// returns false. advance is called once the transaction is committed. After a transaction that fails because
// of others, or is too large, the next one tries fewer.
func (b *builder) steps(ctx context.Context, step func(now *snapshot, most int) (advance func() (more bool), err error)) error {
	for most, more := stepRows, true; more; {
		advance, err := b.step(ctx, most, step)
		switch {
		case err == nil:
			most, more = min(2*most, stepRows), advance()
		case ctx.Err() == nil && (passes(err) || most > 1 && errors.Is(err, kv.ErrTooLarge)):
			most = max(most/2, 1)
		default:
			return err
		}
	}
	return nil
}

func (b *builder) step(ctx context.Context, most int, step func(*snapshot, int) (func() bool, error)) (func() bool, error) {
	now, err := b.open(ctx, kv.TxnOptions{LockTimeout: b.LockTimeout, Single: true})
	if err != nil {
		return nil, err
	}
	defer now.Rollback()
	advance, err := step(now, most)
	if err != nil {
		return nil, err
	}
	return advance, now.Commit(ctx)
}

// passes reports whether a new transaction may succeed after the error.
func passes(err error) bool {
	for _, e := range []error{kv.ErrConflict, kv.ErrDeadlock, kv.ErrLockTimeout, kv.ErrCatalogChanged} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// mend updates the entries of rows, which have those of a snapshot, to their present ones.
func (b *builder) mend(ctx context.Context, before *snapshot, rows []part) error {
	return b.steps(ctx, func(now *snapshot, most int) (func() bool, error) {
		n := 0
		for ; n < min(most, len(rows)); n++ {
			// It waits only for the first row, so that writers do not wait for a waiting build.
			err := now.LockRow(ctx, now.unit.Table, rows[n].row, kv.RowLock{NoWait: n > 0})
			if n > 0 && errors.Is(err, kv.ErrRowLocked) {
				break
			}
			if err == nil {
				err = now.mend(ctx, before, &rows[n])
			}
			if err != nil {
				return nil, err
			}
		}
		return func() bool { rows = rows[n:]; return len(rows) > 0 }, nil
	})
}

func (s *snapshot) mend(ctx context.Context, before *snapshot, p *part) error {
	was, err := before.entriesOf(ctx, p)
	if err != nil {
		return err
	}
	is, err := s.entriesOf(ctx, p)
	if err != nil {
		return err
	}
	c := change{one: s.index, of: s.unit.Table}
	c.gone, c.come = differences(was, is)
	if err := c.remove(ctx, s); err != nil {
		return err
	}
	return c.write(ctx, s)
}

// entriesOf returns the entries of a row, or of one of its columns.
func (s *snapshot) entriesOf(ctx context.Context, p *part) ([]Entry, error) {
	cells, err := s.unit.read(ctx, s, p.row, p.qualifier)
	if err != nil {
		return nil, err
	}
	return s.index.of(p.row, cells)
}

// distinct returns kv.DuplicateEntryError if two rows have the same entry in a unique index.
func (b *builder) distinct(ctx context.Context) error {
	s, err := b.open(ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer s.Rollback()
	if !s.index.Unique {
		return nil
	}
	var last Entry
	c := checker{txn: s, index: s.index}
	return c.read(ctx, &kv.Scan{MaxVersions: 1, Ordered: true}, func(e *Entry) error {
		if last.Row != nil && bytes.Equal(last.Row, e.Row) {
			row, err := s.index.BaseRow(last.Row, last.Qualifier)
			if err != nil {
				return err
			}
			return &kv.DuplicateEntryError{Table: s.unit.Table, Index: s.index.Name, Entry: last.Row, Row: slices.Clone(row)}
		}
		last.Row, last.Qualifier = append(last.Row[:0], e.Row...), append(last.Qualifier[:0], e.Qualifier...)
		return nil
	})
}
