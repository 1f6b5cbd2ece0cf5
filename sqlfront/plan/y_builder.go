package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// builder finds how the rows of a block are found.
type builder struct {
	*Block
	// used are the columns that are read by more than the conditions of their
	// own relation.
	used map[int]bool
	// ordering is true while a join is planned in several orders.
	ordering bool
}

// complete plans how the query's rows are found. Until then the query may take
// conditions of its reader into it.
func complete(q *query) error {
	if q.union != nil {
		return completeUnion(q.union, q.out)
	}
	return (&builder{Block: q.block}).complete(q.out)
}

// complete plans how the block's rows are found.
func (b *builder) complete(q *exec.Query) error {
	out := b.out
	out.Projection = exec.NewProjection(b.nodes)
	b.readOutside()
	var err error
	if b.from, err = b.inOneGrouping(b.from, true); err != nil {
		return err
	}
	if out.Source, err = b.build(b.from, b.where); err != nil {
		return err
	}
	out.Projection.FindCells(out.Source)
	out.RowOnly = b.rowOnly(b.from, append(slices.Clone(b.nodes), b.having))
	b.completeOver(q)
	return nil
}

// completeOver puts what is made of the rows over their source.
func (b *builder) completeOver(q *exec.Query) {
	b.addGroups(b.out, b.from)
	b.addWindows(b.out)
	q.Width, q.Body, q.Subqueries = b.width, b.out, b.subqueries
}

// readOutside marks the columns that are read by more than the conditions of
// their own relation.
func (b *builder) readOutside() {
	b.used = condition.ColumnsIn(b.computed())
	for _, n := range readByLaterals(b.from) {
		b.use(n)
	}
}

func (b *builder) use(n expr.Node) {
	expr.Columns(n, func(c *expr.Column) { b.used[c.Index] = true })
}

// readOf are the columns of a span that are read by more than the conditions of their own
// relation.
func (b *builder) readOf(first, end int) (out []int) {
	for index := first; index < end; index++ {
		if b.used[index] {
			out = append(out, index)
		}
	}
	return out
}
