package rows

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// Part is what a statement does to one typed table of a join.
type Part struct {
	// Set are the assignments, over rows of the join from the table's first column on.
	Set []change.Assignment
	// Rules are the constraints, defaults and generated columns of changed rows.
	Rules typed.Rules
	// Deletes is true for DELETE, where the rows of the join begin with the key's columns.
	Deletes, Ignore bool
}

// PartWriter changes the rows of a typed table in the rows of a join, each once.
type PartWriter struct {
	writer
	part Part
	// seen are the HBase rows that the join has given.
	seen map[string]bool
}

// NewPartWriter returns the writer of a typed table of a join. before is nil, or the writer of the
// same table under another alias, whose rows are not deleted again.
func NewPartWriter(ctx *exec.Context, r *relation.Relation, exprs *plan.RowExprs, p Part, before *PartWriter) *PartWriter {
	w := &PartWriter{part: p, seen: map[string]bool{}}
	if before != nil {
		w.seen = before.seen
	}
	w.begin(ctx, r, p.Ignore, exprs)
	w.rules = p.Rules
	return w
}

// Change changes the row that a row of the join begins with. If an outer join has none, it does
// nothing. The errors are the store's, and those of values that a column cannot hold.
func (w *PartWriter) Change(row []value.Value) error {
	tuple := row[:len(w.face.Key)]
	if !w.part.Deletes {
		tuple = w.keyOf(row)
	}
	if tuple[0].IsNull() {
		return nil
	}
	key, err := w.rowOf(tuple)
	if err != nil || w.seen[string(key)] {
		return err
	}
	w.seen[string(key)] = true
	w.Found()
	if w.part.Deletes {
		return w.Skip(w.delete(tuple))
	}
	return w.Skip(w.Whole(func() error { return w.update(slices.Clone(row), w.part.Set) }))
}
