package write

import (
	"io"
	"math"
	"sync"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Update is a planned UPDATE.
type Update struct {
	target
	set    []assignment
	ignore bool
}

// Run implements Statement.
func (s *Update) Run(ctx *exec.Context) (Result, error) {
	view, err := writable(ctx, s.relation)
	if err != nil {
		return Result{}, err
	}
	ctx = before(ctx, s.rereads, s.ignore)
	w := updateWriters.Get().(*updateWriter)
	defer w.release()
	w.set, w.cells = s.set, view.Versions == 1
	w.writer = writer{Context: ctx, table: s.table, selection: s.relation.Selected(), ignore: s.ignore}
	w.start(s.exprs)
	err = w.end(eachRow(ctx, s.rows, w.update))
	return w.result, err
}

type updateWriter struct {
	writer
	set []assignment
	// cells is true where the rows are cells, as in the latest view, not
	// single versions.
	cells bool
	seen  []value.Value // the row that the assignments see
	// changed is the last row that was changed, as it is now.
	changed version
}

// updateWriters are those of statements that are over, empty all of them: an UPDATE
// of one cell in a transaction takes 15 % longer with one of its own.
var updateWriters = sync.Pool{New: func() any { return new(updateWriter) }}

func (w *updateWriter) release() {
	clear(w.seen)
	*w = updateWriter{seen: w.seen[:0]}
	updateWriters.Put(w)
}

// eachRow calls fn for each row of the SELECT that finds those to change.
func eachRow(c *exec.Context, sel *plan.Select, fn func([]value.Value) error) error {
	rows, err := sel.Open(c)
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

// found counts a row to change.
func (w *writer) found() {
	w.row++
	w.result.Matched++
	w.result.Found++
}

// update changes a row of the table's columns in their order, with what the
// assignments read behind them.
func (w *updateWriter) update(row []value.Value) error {
	w.found()
	return w.skip(w.updateRow(row))
}

func (w *updateWriter) updateRow(row []value.Value) error {
	old := version{k: row[colK].Raw(), q: row[colQ].Raw(), t: row[colT].Int(), v: valueBytes(row[colV])}
	next := old
	w.seen = append(w.seen[:0], row...)
	w.env.Row = w.seen
	w.env.Held.NewRow()
	timed, err := w.assign(&next, &w.env, w.set)
	if err != nil {
		return err
	}
	if next.same(&old) && (w.cells || !next.clock) {
		return nil
	}
	err = w.whole(func() error {
		if w.cells {
			return w.updateCell(&old, &next, timed)
		}
		return w.replaceVersion(&old, &next)
	})
	if err == nil {
		w.result.Changed++
		w.changed = next
	}
	return err
}

// whole makes the changes of a row. A row that IGNORE skips is left as it was,
// though it may fail after a part of them.
func (w *writer) whole(change func() error) error {
	if !w.ignore {
		return change()
	}
	before := w.Txn.Savepoint()
	err := change()
	if err != nil {
		w.Txn.RollbackTo(before)
	}
	return err
}

// valueBytes is a column's bytes, nil for NULL alone.
func valueBytes(v value.Value) []byte {
	if v.IsNull() {
		return nil
	}
	if b := v.Raw(); b != nil {
		return b
	}
	return []byte{}
}

// updateCell changes a cell as the latest view has it: it moves where its key
// changes, and gets a version more where its value or timestamp does.
func (w *updateWriter) updateCell(old, next *version, timed bool) error {
	if !next.sameCell(old) {
		if err := w.moveCell(old, next); err != nil {
			return err
		}
		if next.sameValue(old) && next.t == old.t {
			return nil
		}
	}
	switch {
	case !timed:
		return w.addNewer(next, old.t)
	case next.t == old.t:
		return w.put(next)
	}
	if err := w.putNew(next); err != nil {
		return err
	}
	return w.written(next)
}

// addNewer writes a version at the clock that is newer than every version of
// the cell, newest being the newest.
func (w *updateWriter) addNewer(next *version, newest int64) error {
	if w.selection.CutsTime() {
		err := w.each(kv.Scan{Ranges: column(next), MaxVersions: 1}, func(c *kv.Cell, _ []byte) error {
			newest = c.Timestamp
			return nil
		})
		if err != nil {
			return err
		}
	}
	if newest == math.MaxInt64 {
		return outOfRange(w.table, w.row)
	}
	next.t = max(w.now(), newest+1)
	return w.put(next)
}

// moveCell moves all versions of a cell, of those that the statement sees. The
// cell that it moves to must not exist (1062): two histories are never mixed.
func (w *updateWriter) moveCell(from, to *version) error {
	taken := false
	err := w.each(kv.Scan{Ranges: column(to), MaxVersions: 1}, func(c *kv.Cell, _ []byte) error {
		taken = true
		return duplicate(&version{k: to.k, q: to.q, t: c.Timestamp})
	})
	if err != nil || taken {
		return err
	}
	seen := kv.Scan{Ranges: column(from), NeedValue: true}
	w.selection.Restrict(&seen)
	err = w.each(seen, func(c *kv.Cell, v []byte) error {
		return w.put(&version{k: to.k, q: to.q, t: c.Timestamp, v: v})
	})
	if err != nil {
		return err
	}
	return w.deleteCell(from.k, from.q)
}

// deleteCell removes all versions of a cell that the statement sees.
func (w *writer) deleteCell(k, q []byte) error {
	if !w.selection.CutsTime() {
		return w.Txn.DeleteColumn(w.Ctx, w.table, k, q)
	}
	seen := kv.Scan{Ranges: column(&version{k: k, q: q})}
	w.selection.Restrict(&seen)
	return w.each(seen, func(c *kv.Cell, _ []byte) error {
		return w.Txn.DeleteVersion(w.Ctx, w.table, k, q, c.Timestamp)
	})
}

// column is the range of all versions of a row's cell.
func column(r *version) []kv.Range {
	start := kv.Position{Row: r.k, Qualifier: r.q, Depth: kv.DepthColumn}
	end := start
	end.After = true
	return []kv.Range{{Start: start, End: end}}
}

// Delete is a planned DELETE.
type Delete struct {
	target
	ignore bool
}

// Run implements Statement.
func (s *Delete) Run(ctx *exec.Context) (Result, error) {
	view, err := writable(ctx, s.relation)
	if err != nil {
		return Result{}, err
	}
	ctx = before(ctx, s.rereads, s.ignore)
	w := &writer{Context: ctx, table: s.table, selection: s.relation.Selected(), ignore: s.ignore}
	err = eachRow(ctx, s.rows, func(row []value.Value) error { return w.delete(row, view.Versions == 1) })
	return w.result, err
}

// delete removes a row of K, Q and T, which is a cell with all its versions or one
// version.
func (w *writer) delete(row []value.Value, cell bool) (err error) {
	w.found()
	k, q := row[colK].Raw(), row[colQ].Raw()
	if cell {
		err = w.deleteCell(k, q)
	} else {
		err = w.Txn.DeleteVersion(w.Ctx, w.table, k, q, row[colT].Int())
	}
	if err == nil {
		w.result.Changed++
	}
	return w.skip(err)
}
