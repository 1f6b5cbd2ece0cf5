package write

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// assignment is one column = expression of SET or ON DUPLICATE KEY UPDATE. A
// nil expression is DEFAULT.
type assignment struct {
	column int
	node   expr.Node
}

// assign changes r as the assignments say, one after the other: each sees what
// the ones before it did, as in MySQL
// (https://dev.mysql.com/doc/refman/5.7/en/update.html). env's row starts with
// the table's columns. It reports whether T was given a value.
func (w *writer) assign(r *version, env *expr.Env, list []assignment) (timed bool, err error) {
	for _, a := range list {
		if a.node == nil {
			err = w.assignDefault(r, a.column)
		} else {
			err = w.assignValue(r, env, a)
			timed = timed || a.column == colT
		}
		if err != nil {
			return timed, err
		}
		copyValue(env, r, a.column)
	}
	return timed, nil
}

func (w *writer) assignValue(r *version, env *expr.Env, a assignment) error {
	v, err := a.node.Eval(env)
	if err != nil {
		return err
	}
	if a.column == colT {
		r.clock = false
	}
	return w.fitted(r, a.column, &v, r.set(w.table, a.column, &v, w.row))
}

func (w *writer) assignDefault(r *version, column int) error {
	if column == colT {
		r.clock = true
		return nil
	}
	var set [4]bool
	for i := range set {
		set[i] = i != column
	}
	r.v = nil
	return w.fillDefaults(r, set)
}

func copyValue(env *expr.Env, r *version, column int) {
	if column <= colV {
		env.Row[column] = r.values()[column]
	}
}

// change is ON DUPLICATE KEY UPDATE for a row whose exact version exists: that
// version is changed in place. It counts 2 where it changes something.
func (w *insertWriter) change(r *version) error {
	old, err := w.existing(r)
	if err != nil {
		return err
	}
	next := old
	env := w.env
	env.Row = append(conflictRow(w.table, &old, r), w.given[len(w.stmt.columns):]...)
	if _, err := w.assign(&next, &env, w.stmt.onDuplicate); err != nil {
		return err
	}
	if !next.clock && next.same(&old) {
		w.result.Found++
		return nil
	}
	return w.count(2, w.whole(func() error { return w.replaceVersion(&old, &next) }))
}

// conflictRow is what ON DUPLICATE KEY UPDATE sees: the existing row, and
// behind it the row that was to be inserted, which VALUES() refers to.
func conflictRow(t *kv.Table, old, given *version) []value.Value {
	width := colV + 1 + schema.Of(t).Generated()
	row := make([]value.Value, 2*width)
	fill := func(at int, r *version) {
		v := r.values()
		copy(row[at:], v[:])
		showPrefixes(t, row[at:], r.k)
		showTime(t, row[at:], r.t)
	}
	fill(0, old)
	fill(width, given)
	return row
}

// existing reads the version at the row's exact place.
func (w *writer) existing(r *version) (version, error) {
	old := version{k: r.k, q: r.q, t: r.t}
	err := w.each(kv.Scan{Ranges: []kv.Range{cell(r)}, NeedValue: true}, func(_ *kv.Cell, v []byte) error {
		old.v = cloneValue(v)
		return nil
	})
	return old, err
}

// cloneValue copies a value and keeps NULL apart from empty.
func cloneValue(v []byte) []byte {
	if v == nil {
		return nil
	}
	return append([]byte{}, v...)
}

// each calls fn for the cells of a scan of the table.
func (w *writer) each(s kv.Scan, fn func(*kv.Cell, []byte) error) (err error) {
	s.Budget = w.Guard.Budget
	cursor, err := w.Txn.Scan(w.Ctx, []*kv.Table{w.table}, &s)
	if err != nil {
		return err
	}
	defer func() {
		if closing := cursor.Close(); err == nil {
			err = closing
		}
	}()
	for cursor.Next() {
		var v []byte
		if s.NeedValue {
			if v, err = cursor.Value(); err != nil {
				return err
			}
		}
		if err := fn(cursor.Cell(), v); err != nil {
			return err
		}
	}
	return cursor.Err()
}

// same reports whether both rows are the same version with the same value.
func (r *version) same(o *version) bool {
	return r.t == o.t && r.sameCell(o) && r.sameValue(o)
}

func (r *version) sameCell(o *version) bool {
	return bytes.Equal(r.k, o.k) && bytes.Equal(r.q, o.q)
}

func (r *version) sameValue(o *version) bool {
	return (r.v == nil) == (o.v == nil) && bytes.Equal(r.v, o.v)
}

// replaceVersion puts next in the place of old, which goes where next has
// another key (1062 where next's exists, and old may be gone).
func (w *writer) replaceVersion(old, next *version) error {
	if !next.clock && next.t == old.t && next.sameCell(old) {
		return w.put(next)
	}
	// While it is there, old counts among the newest, and could push next out.
	if err := w.Txn.DeleteVersion(w.Ctx, w.table, old.k, old.q, old.t); err != nil {
		return err
	}
	if next.clock {
		return w.putClock(next)
	}
	if err := w.putNew(next); err != nil {
		return err
	}
	return w.written(next)
}
