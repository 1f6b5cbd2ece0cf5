package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// Complete plans how the query's rows are found. Until then the query may take over conditions of its reader.
// Its error is that of the planner's context, or of a query that is planned in two ways.
func Complete(q *block.Query) error {
	if q.Union != nil {
		return completeUnion(q.Union, q.Out)
	}
	return (&builder{Block: q.Block}).complete(q.Out)
}

// complete plans how the block's rows are found.
func (b *builder) complete(q *query.Query) error {
	out := b.Out
	out.Projection = pipeline.NewProjection(b.Nodes)
	b.readOutside()
	var err error
	if b.From, err = b.inOneGrouping(b.From, true); err != nil {
		return err
	}
	if out.Source, err = b.build(b.From, b.Where); err != nil {
		return err
	}
	out.Projection.FindCells(out.Source)
	out.RowOnly = b.rowOnly(b.From, append(slices.Clone(b.Nodes), b.Having))
	b.completeOver(q)
	return nil
}

// completeOver completes what is computed from the source's rows.
func (b *builder) completeOver(q *query.Query) {
	b.addGroups(b.Out, b.From)
	b.addWindows(b.Out)
	q.Width, q.Body, q.Subqueries = b.Width, b.Out, b.Subqueries
}

// readOutside marks the columns that are read by more than the conditions of their own relation.
func (b *builder) readOutside() {
	b.used = condition.ColumnsIn(b.Computed())
	for _, n := range block.ReadByLaterals(b.From) {
		b.use(n)
	}
}
