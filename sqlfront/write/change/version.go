package change

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Version is one row to be written. Its bytes belong to the statement's values and are valid while
// the row is processed.
type Version struct {
	K, Q []byte
	T    int64
	// Clock is true if the server chooses T.
	Clock bool
	// V is nil if and only if it is NULL.
	V []byte
}

// Cell returns the version as the store takes it; the bytes are shared.
func (r *Version) Cell() kv.Cell {
	return kv.Cell{Row: r.K, Qualifier: r.Q, Timestamp: r.T, Value: r.V}
}

// cell returns the range of one version.
func cell(r *Version) kv.Range {
	start := kv.Position{Row: r.K, Qualifier: r.Q, Timestamp: r.T, Depth: kv.DepthCell}
	end := start
	end.After = true
	return kv.Range{Start: start, End: end}
}

// compare compares in HBase's order.
func (r *Version) compare(o *Version) int {
	return cmp.Or(bytes.Compare(r.K, o.K), bytes.Compare(r.Q, o.Q), cmp.Compare(o.T, r.T))
}

// Values returns the row as expressions see it: the first four columns of the table. Assignments do
// not read the generated ones, which follow K.
func (r *Version) Values() [4]value.Value {
	out := [4]value.Value{value.NewBytes(r.K), value.NewBytes(r.Q), value.NewInt(r.T), {}}
	if r.V != nil {
		out[ColV] = value.NewBytes(r.V)
	}
	return out
}

// Same reports whether both rows are the same version with the same value.
func (r *Version) Same(o *Version) bool {
	return r.T == o.T && r.SameCell(o) && r.SameValue(o)
}

// SameCell reports whether both are versions of one cell.
func (r *Version) SameCell(o *Version) bool {
	return bytes.Equal(r.K, o.K) && bytes.Equal(r.Q, o.Q)
}

// SameValue reports whether both have the same value, where NULL equals only NULL.
func (r *Version) SameValue(o *Version) bool {
	return (r.V == nil) == (o.V == nil) && bytes.Equal(r.V, o.V)
}

// Column returns the range of all versions of a row's cell.
func Column(r *Version) []kv.Range {
	start := kv.Position{Row: r.K, Qualifier: r.Q, Depth: kv.DepthColumn}
	end := start
	end.After = true
	return []kv.Range{{Start: start, End: end}}
}

// CloneValue copies a value; nil, for NULL, stays nil, and an empty value does not become nil.
func CloneValue(v []byte) []byte {
	if v == nil {
		return nil
	}
	return append([]byte{}, v...)
}

// Each calls fn for the cells of a scan of the table. The error is that of fn, or of the store.
func (w *Writer) Each(s kv.Scan, fn func(*kv.Cell, []byte) error) (err error) {
	return w.EachOf([]*kv.Table{w.Table}, &s, fn)
}

// EachOf is Each for several families of one group. It sets the scan's budget to the statement's.
func (w *Writer) EachOf(families []*kv.Table, s *kv.Scan, fn func(*kv.Cell, []byte) error) (err error) {
	s.Budget = w.Guard.Budget
	cursor, err := w.Txn.Scan(w.Ctx, families, s)
	if err != nil {
		return err
	}
	end := cursor.Close
	if r, ok := cursor.(kv.Releaser); ok {
		end = r.Release
	}
	defer func() {
		if closing := end(); err == nil {
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

// Existing reads the version at the row's exact K, Q and T; V is nil if there is none.
func (w *Writer) Existing(r *Version) (Version, error) {
	old := Version{K: r.K, Q: r.Q, T: r.T}
	err := w.Each(kv.Scan{Ranges: []kv.Range{cell(r)}, NeedValue: true}, func(_ *kv.Cell, v []byte) error {
		old.V = CloneValue(v)
		return nil
	})
	return old, err
}

// ReplaceVersion replaces old by next, and removes old if next has another key. The error is 1062
// if next exists; old may then be removed.
func (w *Writer) ReplaceVersion(old, next *Version) error {
	if !next.Clock && next.T == old.T && next.SameCell(old) {
		return w.Put(next)
	}
	// While old is there, it counts among the newest, and could push next out.
	if err := w.Txn.DeleteVersion(w.Ctx, w.Table, old.K, old.Q, old.T); err != nil {
		return err
	}
	if next.Clock {
		return w.PutClock(next)
	}
	if err := w.PutNew(next); err != nil {
		return err
	}
	return w.Written(next)
}

// DeleteCell removes all versions of a cell that the statement sees.
func (w *Writer) DeleteCell(k, q []byte) error {
	if !w.Selection.CutsTime() {
		return w.Txn.DeleteColumn(w.Ctx, w.Table, k, q)
	}
	seen := kv.Scan{Ranges: Column(&Version{K: k, Q: q})}
	w.Selection.Restrict(&seen)
	return w.Each(seen, func(c *kv.Cell, _ []byte) error {
		return w.Txn.DeleteVersion(w.Ctx, w.Table, k, q, c.Timestamp)
	})
}

// Delete removes a row of K, Q and T: a cell with all its versions, or one version.
func (w *Writer) Delete(row []value.Value, cell bool) (err error) {
	w.Found()
	k, q := row[ColK].Raw(), row[ColQ].Raw()
	if cell {
		err = w.DeleteCell(k, q)
	} else {
		err = w.Txn.DeleteVersion(w.Ctx, w.Table, k, q, row[ColT].Int())
	}
	if err == nil {
		w.Result.Changed++
	}
	return w.Skip(err)
}

// DeleteAll removes the rows, which are cells or single versions, together if the store can, and reports
// whether it did.
func (w *Writer) DeleteAll(rows *exec.Rows, cells bool) (bool, error) {
	n, done, err := rows.DeleteAll(cells && !w.Selection.CutsTime())
	if done {
		w.Result.Matched += n
		w.Result.Found += n
		w.Result.Changed += n
	}
	return done, err
}
