package rows

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// settle writes the entries that a row has, or has no longer, in the indexes of its table. It is a
// kv.DuplicateEntryError where another row has one of them in a unique index.
func (w *writer) settle(row []byte) error {
	if len(w.Table.Indexes) == 0 {
		return nil
	}
	if txn, ok := w.Txn.(kv.Indexed); ok {
		return txn.Settle(w.Ctx, w.Table, row)
	}
	return nil
}

// hasUnique reports whether the table has unique indexes.
func (w *writer) hasUnique() bool { return len(w.face.Indexes) > 0 && w.face.Indexes[0].Unique }

// duplicateOf is what is said of the other row that has an entry in a unique index; nil of other errors.
func duplicateOf(err error) *kv.DuplicateEntryError {
	if err == nil {
		return nil
	}
	var out *kv.DuplicateEntryError
	if errors.As(err, &out) {
		return out
	}
	return nil
}

// entryError is 1062 for a row of these values whose entry in a unique index another row has, and else err.
func (w *writer) entryError(err error, values []value.Value) error {
	dup := duplicateOf(err)
	if dup == nil {
		return err
	}
	at := w.face.Index(dup.Index)
	if at < 0 {
		return err
	}
	index := &w.face.Indexes[at]
	shown := w.face.AllShown(&w.Values, values)
	parts := make([]value.Value, len(index.Parts))
	for i, p := range index.Parts {
		parts[i] = typed.Prefix(shown[p.Column], p.Length)
	}
	return duplicateEntry(parts, index.Name)
}

// undone makes the changes of a row, of which IGNORE leaves none where another row has an entry of it in a unique
// index, which is only known when they are made.
func (w *writer) undone(change func() error) error {
	if !w.hasUnique() {
		return change()
	}
	return w.Whole(change)
}

// insertRow inserts a row whose key is free. Where another row has its entry in a unique index, ON DUPLICATE KEY UPDATE
// changes that one.
func (w *insertWriter) insertRow(row *storedRow, values []value.Value, set []bool) error {
	before := w.savepoint()
	_, err := w.putRow(row, values, true)
	dup := duplicateOf(err)
	switch {
	case dup == nil:
		if err == nil {
			err = w.noteNumber(values, set)
		}
		return w.Count(1, err)
	case !w.stmt.duplicates:
		return w.entryError(err, values)
	}
	w.Txn.RollbackTo(*before)
	other, err := w.lock(dup.Row)
	if err != nil {
		return err
	}
	return w.change(other, values)
}

// replaceRow puts a row in the place of all that have its key, or its entry in a unique index. Each of them counts.
func (w *insertWriter) replaceRow(row *storedRow, values []value.Value, set []bool) error {
	for count := int64(1); ; count++ {
		before := w.savepoint()
		changed, err := w.putRow(row, values, !row.there)
		dup := duplicateOf(err)
		if dup == nil {
			if err == nil {
				err = w.noteNumber(values, set)
			}
			if row.there && (changed || w.hasUnique()) { // MySQL replaces it without looking whether it is the same
				count++
			}
			return w.Count(count, err)
		}
		w.Txn.RollbackTo(*before)
		other, err := w.lock(dup.Row)
		if err == nil {
			err = w.deleteRow(other)
		}
		if err != nil {
			return err
		}
	}
}

// savepoint is what a statement goes back to that does not end with a row whose entry another one has; nil where no
// row can have one.
func (w *insertWriter) savepoint() *kv.Savepoint {
	if !w.hasUnique() {
		return nil
	}
	before := w.Txn.Savepoint()
	return &before
}
