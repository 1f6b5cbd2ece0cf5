package write

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// Join is a planned UPDATE or DELETE of tables of a join. Each row of a table is
// changed once, by the first row of the join that has it, and all that is read is as it
// was before (https://dev.mysql.com/doc/refman/8.0/en/update.html).
type Join struct {
	rows  *plan.Select
	exprs *plan.RowExprs
	parts []part
	// deletes is true of DELETE.
	deletes, ignore bool
}

// part is a table of a join that is changed.
type part struct {
	relation *relation.Relation
	// at is where its columns stand in the rows of the join: all of them, or K, Q and T
	// where it is deleted from.
	at int
	// set are the assignments, which count columns from at on. There are none where all
	// are of DEFAULT to generated columns.
	set []change.Assignment
	// round is how many parts before update the same table.
	round int
}

// Exprs are none: the SELECT gives the values.
func (s *Join) Exprs() *plan.RowExprs { return s.exprs }

// Reads is the SELECT that finds the rows.
func (s *Join) Reads() *plan.Select { return s.rows }

// Target is the tables' aliases.
func (s *Join) Target() string {
	names := make([]string, len(s.parts))
	for i := range s.parts {
		names[i] = s.parts[i].relation.Alias
	}
	return strings.Join(names, ", ")
}

// Run implements Statement.
func (s *Join) Run(ctx *exec.Context) (change.Result, error) {
	ctx = change.Before(ctx, true, s.ignore)
	writers, err := s.writers(ctx)
	if err != nil {
		return change.Result{}, err
	}
	for round := 0; err == nil && slices.ContainsFunc(s.parts, func(p part) bool { return p.round == round }); round++ {
		err = s.run(ctx, writers, round)
	}
	var all change.Result
	for i := range writers {
		w := &writers[i]
		err = w.End(err)
		all.Matched, all.Changed, all.Found = all.Matched+w.Result.Matched, all.Changed+w.Result.Changed, all.Found+w.Result.Found
	}
	return all, err
}

// run changes the tables whose turn it is. One that is updated under several names is
// as MySQL has it: under one after the other.
func (s *Join) run(ctx *exec.Context, writers []joinWriter, round int) error {
	return change.EachRow(ctx, s.rows, func(row []value.Value) error {
		for i := range writers {
			if s.parts[i].round != round {
				continue
			}
			if err := writers[i].change(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// joinWriter changes one table of a join.
type joinWriter struct {
	updateWriter
	deletes bool
	at      int // of the table's columns in a row of the join
	// seen are the rows of the table that the join has given.
	seen map[rowKey]bool
	// now are rows of a table that is updated under several names as they are by now.
	now map[rowKey]change.Version
}

// rowKey tells the rows of a table from each other.
type rowKey struct {
	k, q string
	t    int64
}

// writers are those of the parts. Those of one table delete no row twice, and see what
// the ones before them have updated.
func (s *Join) writers(ctx *exec.Context) ([]joinWriter, error) {
	writers := make([]joinWriter, len(s.parts))
	for i := range writers {
		w, p := &writers[i], &s.parts[i]
		view, err := writable(ctx, p.relation)
		if err != nil {
			return nil, err
		}
		w.deletes, w.at, w.seen = s.deletes, p.at, map[rowKey]bool{}
		if j := s.before(i); j >= 0 && s.deletes {
			w.seen = writers[j].seen
		} else if j >= 0 {
			if writers[j].now == nil {
				writers[j].now = map[rowKey]change.Version{}
			}
			w.now = writers[j].now
		}
		w.updateWriter = updateWriter{cells: view.Versions == 1, set: p.set,
			Writer: change.Writer{Context: ctx, Table: p.relation.Table(), Selection: p.relation.Selected(), Ignore: s.ignore}}
		w.Start(s.exprs)
	}
	return writers, nil
}

// before is the last part in front of one that changes the same table; -1 is none.
func (s *Join) before(i int) int {
	for j := i - 1; j >= 0; j-- {
		if s.parts[j].relation.Table() == s.parts[i].relation.Table() {
			return j
		}
	}
	return -1
}

// change makes the part's change of a row of the join. Where an outer join has no row
// of the table there is none.
func (w *joinWriter) change(row []value.Value) error {
	row = row[w.at:]
	if row[change.ColK].IsNull() {
		return nil
	}
	key := rowKey{string(row[change.ColK].Raw()), string(row[change.ColQ].Raw()), row[change.ColT].Int()}
	if w.seen[key] {
		return nil
	}
	w.seen[key] = true
	if w.deletes {
		return w.Delete(row, w.cells)
	}
	if now, ok := w.now[key]; ok {
		row = slices.Clone(row)
		values := now.Values()
		copy(row, values[:])
	}
	w.changed = change.Version{}
	err := w.update(row)
	if w.now != nil && w.changed.K != nil {
		now := w.changed
		now.K, now.Q, now.V = bytes.Clone(now.K), bytes.Clone(now.Q), bytes.Clone(now.V) // the row is the SELECT's
		w.now[key] = now
	}
	return err
}
