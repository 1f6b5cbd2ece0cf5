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
	// joined is true where the rows are those of a join, with the values of set
	// behind the table's columns.
	joined bool
}

// Run implements Statement.
func (s *Update) Run(ctx *exec.Context) (Result, error) {
	view, err := s.view(ctx)
	if err != nil {
		return Result{}, err
	}
	ctx = before(ctx, s.rereads, s.ignore)
	w := updateWriters.Get().(*updateWriter)
	defer w.release()
	w.stmt, w.cells = s, view.Versions == 1
	w.writer = writer{Context: ctx, table: s.table, selection: s.relation.Selected(), ignore: s.ignore}
	w.start(s.exprs)
	if s.joined {
		w.changing = map[string]bool{}
	}
	err = w.end(w.eachRow(s.rows, w.update))
	return w.result, err
}

type updateWriter struct {
	writer
	stmt *Update
	// cells is true where the rows are cells, as in the latest view, not
	// single versions.
	cells bool
	seen  []value.Value // the row that the assignments see
}

// updateWriters are those of statements that are over, empty all of them: an UPDATE
// of one cell in a transaction takes 15 % longer with one of its own.
var updateWriters = sync.Pool{New: func() any { return new(updateWriter) }}

func (w *updateWriter) release() {
	clear(w.seen)
	*w = updateWriter{seen: w.seen[:0]}
	updateWriters.Put(w)
}

// eachRow calls fn for each row of the SELECT that finds them: the table's
// columns in their order, or some of them, K, Q and T first.
func (w *writer) eachRow(sel *plan.Select, fn func([]value.Value) error) error {
	rows, err := sel.Open(w.Context)
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
		if w.changing != nil && !w.fresh(row) {
			continue
		}
		w.row++
		w.result.Matched++
		w.result.Found++
		if err := w.skip(fn(row)); err != nil {
			return err
		}
	}
}

func (w *updateWriter) update(row []value.Value) error {
	old := version{k: row[colK].Raw(), q: row[colQ].Raw(), t: row[colT].Int(), v: valueBytes(row[colV])}
	next := old
	w.seen = append(w.seen[:0], row...)
	w.env.Row = w.seen
	w.env.Held.NewRow()
	timed, err := w.assign(&next, &w.env, w.stmt.set)
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
	view, err := s.view(ctx)
	if err != nil {
		return Result{}, err
	}
	ctx = before(ctx, s.rereads, s.ignore)
	w := &writer{Context: ctx, table: s.table, selection: s.relation.Selected(), ignore: s.ignore}
	err = w.eachRow(s.rows, func(row []value.Value) error {
		k, q := row[colK].Raw(), row[colQ].Raw()
		if view.Versions == 1 {
			return w.deleted(w.deleteCell(k, q))
		}
		return w.deleted(ctx.Txn.DeleteVersion(ctx.Ctx, s.table, k, q, row[colT].Int()))
	})
	return w.result, err
}

func (w *writer) deleted(err error) error {
	if err == nil {
		w.result.Changed++
	}
	return err
}
