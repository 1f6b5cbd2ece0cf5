package write

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// change executes ON DUPLICATE KEY UPDATE for a row whose exact version exists: it changes that version
// in place. A row that changes counts as two.
func (w *insertWriter) change(r *change.Version) error {
	old, err := w.Existing(r)
	if err != nil {
		return err
	}
	next := old
	env := w.Values
	env.Row = append(conflictRow(w.Table, &old, r), w.given[len(w.stmt.columns):]...)
	if _, err := w.Assign(&next, &env, w.stmt.onDuplicate); err != nil {
		return err
	}
	if !next.Clock && next.Same(&old) {
		w.Result.Found++
		return nil
	}
	return w.Count(2, w.Whole(func() error { return w.ReplaceVersion(&old, &next) }))
}

// conflictRow returns the row for the assignments of ON DUPLICATE KEY UPDATE: the existing row,
// followed by the row to be inserted, to which VALUES() refers.
func conflictRow(t *kv.Table, old, given *change.Version) []value.Value {
	width := change.ColV + 1 + schema.Of(t).Generated()
	row := make([]value.Value, 2*width)
	fill := func(at int, r *change.Version) {
		v := r.Values()
		copy(row[at:], v[:])
		showPrefixes(t, row[at:], r.K)
		showTime(t, row[at:], r.T)
	}
	fill(0, old)
	fill(width, given)
	return row
}
