package rows

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// settle updates the entries of a row in the indexes of its table. The error is a kv.DuplicateEntryError if
// another row has one of them in a unique index.
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

// duplicateOf returns the DuplicateEntryError in an error, or nil.
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

// entryError returns 1062 if err says that another row has an entry of these values in a unique index,
// otherwise err.
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

// undone makes the changes of a row. With IGNORE they are undone if another row has an entry of it in a
// unique index, which is known only after they are made.
func (w *writer) undone(change func() error) error {
	if !w.hasUnique() {
		return change()
	}
	return w.Whole(change)
}

// insertRow inserts a row whose key is free. If another row has its entry in a unique index, ON DUPLICATE KEY
// UPDATE changes that row.
func (w *insertWriter) insertRow(row *storedRow, values []value.Value, set []bool) error {
	before := w.savepoint()
	err := w.putRow(row, values)
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

// replaceRow replaces all rows that have the row's key, or its entry in a unique index, and counts each of
// them.
func (w *insertWriter) replaceRow(row *storedRow, values []value.Value, set []bool) error {
	for count := int64(1); ; count++ {
		before := w.savepoint()
		changed, err := w.putChanged(row, values)
		dup := duplicateOf(err)
		if dup == nil {
			if err == nil {
				err = w.noteNumber(values, set)
			}
			if row.there && (changed || w.hasUnique()) { // MySQL replaces even an equal row
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

// savepoint returns the savepoint for a statement that continues after a duplicate entry, or nil if there are
// no unique indexes.
func (w *insertWriter) savepoint() *kv.Savepoint {
	if !w.hasUnique() {
		return nil
	}
	before := w.Txn.Savepoint()
	return &before
}
