package write

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
	"github.com/hbasekv/hbasekv/sqlfront/write/rows"
)

// Join is a planned UPDATE or DELETE of tables of a join. Each row of a table is changed once, by the
// first row of the join that has it, and all expressions read the values from before the statement
// (https://dev.mysql.com/doc/refman/8.0/en/update.html).
type Join struct {
	rows  *plan.Select
	exprs *plan.RowExprs
	parts []part
	// deletes is true for DELETE.
	deletes, ignore bool
}

// part is a table of a join that is changed.
type part struct {
	relation *relation.Relation
	// at is the position of its columns in the rows of the join: of all columns, or of the key's if
	// rows are deleted from it.
	at int
	// set are the assignments, with columns numbered from at on. They are empty if all assign DEFAULT
	// to generated columns.
	set []change.Assignment
	// rules are those of a typed table that is updated.
	rules typed.Rules
	// round is how many earlier parts update the same table.
	round int
}

// Exprs returns no expressions: the SELECT computes the values.
func (s *Join) Exprs() *plan.RowExprs { return s.exprs }

// Reads returns the SELECT that finds the rows.
func (s *Join) Reads() *plan.Select { return s.rows }

// Target returns the tables' aliases.
func (s *Join) Target() string {
	names := make([]string, len(s.parts))
	for i := range s.parts {
		names[i] = s.parts[i].relation.Alias
	}
	return strings.Join(names, ", ")
}

// Run implements Statement.
func (s *Join) Run(ctx *exec.Context) (change.Result, error) {
	change.Before(ctx, true, s.ignore)
	writers, err := s.writers(ctx)
	if err != nil {
		return change.Result{}, err
	}
	for round := 0; err == nil && slices.ContainsFunc(s.parts, func(p part) bool { return p.round == round }); round++ {
		err = s.run(ctx, writers, round)
	}
	var all change.Result
	for _, w := range writers {
		err = w.End(err)
		done := w.Counts()
		all.Matched, all.Changed, all.Found = all.Matched+done.Matched, all.Changed+done.Changed, all.Found+done.Found
	}
	return all, err
}

// run changes the tables of one round. A table that is updated under several aliases is updated under
// one after the other, as in MySQL.
func (s *Join) run(ctx *exec.Context, writers []partWriter, round int) error {
	return change.EachRow(ctx, s.rows, nil, func(row []value.Value) error {
		for i := range writers {
			if s.parts[i].round != round {
				continue
			}
			if err := writers[i].Change(row[s.parts[i].at:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// partWriter changes one table of a join.
type partWriter interface {
	// Change changes the table's row in a row of the join, which begins with the table's columns. An
	// outer join may have none.
	Change(row []value.Value) error
	// End releases the writer; err is how the statement ended.
	End(err error) error
	// Counts returns the numbers of found and changed rows.
	Counts() change.Result
}

// joinWriter changes one column family of a join.
type joinWriter struct {
	updateWriter
	deletes bool
	// seen has the rows of the table that the join has already given.
	seen map[rowKey]bool
	// now has the current state of the rows of a table that is updated under several aliases.
	now map[rowKey]change.Version
}

// rowKey identifies a row of a table.
type rowKey struct {
	k, q string
	t    int64
}

// writers returns the writers of the parts. Parts of one table share their seen and updated rows, so
// that no row is deleted twice and each sees earlier updates.
func (s *Join) writers(ctx *exec.Context) ([]partWriter, error) {
	writers := make([]partWriter, len(s.parts))
	for i := range writers {
		p := &s.parts[i]
		if p.relation.Typed != nil {
			var before *rows.PartWriter
			if j := s.before(i); j >= 0 && s.deletes {
				before = writers[j].(*rows.PartWriter)
			}
			rowsOf := rows.Part{Set: p.set, Rules: p.rules, Deletes: s.deletes, Ignore: s.ignore}
			writers[i] = rows.NewPartWriter(ctx, p.relation, s.exprs, rowsOf, before)
			continue
		}
		w, err := s.familyWriter(ctx, i, writers)
		if err != nil {
			return nil, err
		}
		writers[i] = w
	}
	return writers, nil
}

// familyWriter returns the writer of a part that is a column family; before has the writers of earlier
// parts.
func (s *Join) familyWriter(ctx *exec.Context, i int, before []partWriter) (*joinWriter, error) {
	p := &s.parts[i]
	view, err := writable(ctx, p.relation)
	if err != nil {
		return nil, err
	}
	w := &joinWriter{deletes: s.deletes, seen: map[rowKey]bool{}}
	if j := s.before(i); j >= 0 {
		other := before[j].(*joinWriter)
		if s.deletes {
			w.seen = other.seen
		} else if other.now == nil {
			other.now = map[rowKey]change.Version{}
		}
		w.now = other.now
	}
	w.updateWriter = updateWriter{cells: view.Versions == 1, set: p.set,
		Writer: change.Writer{Context: ctx, Table: p.relation.Table(), Selection: p.relation.Selected(), Ignore: s.ignore}}
	w.Start(s.exprs)
	return w, nil
}

// before returns the last earlier part that changes the same table, or -1.
func (s *Join) before(i int) int {
	for j := i - 1; j >= 0; j-- {
		if s.parts[j].relation.IsSame(s.parts[i].relation) {
			return j
		}
	}
	return -1
}

// Change implements partWriter.
func (w *joinWriter) Change(row []value.Value) error {
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
		now.K, now.Q, now.V = bytes.Clone(now.K), bytes.Clone(now.Q), bytes.Clone(now.V) // the SELECT reuses the row
		w.now[key] = now
	}
	return err
}
