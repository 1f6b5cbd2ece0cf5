package query

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Query is a SELECT or UNION that can be run: a whole statement, a subquery or a derived table.
type Query struct {
	// Types are those of the result's columns.
	Types []value.Type
	Width int // of the frame
	Body  Body
	// Subqueries are those in the query's expressions.
	Subqueries []Planned
}

// Planned is a subquery in an expression, as EXPLAIN describes it.
type Planned interface {
	// PlannedStep describes it without running it; nil if its relation is in a join.
	PlannedStep(run *op.Statement) *explain.Step
}

// Select is a SELECT without enclosing set operations.
type Select struct {
	// Source returns the rows from which the result is computed: those of FROM and WHERE, grouped
	// if the SELECT aggregates, and without those for which HAVING is not true.
	Source     op.Node
	Projection pipeline.Projection
	Columns    int // of the result; the projection may have more
	Distinct   bool
	// RowOnly says that the result depends on K alone.
	RowOnly bool
	Order   []order.OrderItem
	Limit   pipeline.Limit
	Lock    *op.Locking
	// Changes says that the statement will change the rows.
	Changes bool
}

// Body returns the rows of a query; they may have more columns than the query.
type Body interface {
	Open(x *op.Frame, o Options) (op.Operator, op.Provided, error)
	// IsUnion reports whether there are set operations in it.
	IsUnion() bool
}

// Options say how to run a query.
type Options struct {
	// CountAll continues reading after the LIMIT, for SQL_CALC_FOUND_ROWS.
	CountAll bool
	// AtMost is the number of rows after which the reader stops; 0 for all.
	AtMost int64
	// Whole says that the rows are a statement's result.
	Whole bool
	// above, if not nil, are the reader's wishes, in the query's own expressions.
	above *op.Desired
}

// IsUnion returns false.
func (b *Select) IsUnion() bool { return false }

func (b *Select) Open(x *op.Frame, o Options) (op.Operator, op.Provided, error) {
	offset, count := int64(0), pipeline.NoLimit
	var err error
	if b.Limit.Present {
		if offset, count, err = b.Limit.Values(x.Env.Params); err != nil {
			return nil, op.Provided{}, err
		}
	}
	x.Nothing = b.Limit.Present && count == 0 && !o.CountAll
	want, passes := b.desired(offset, count, o), o.above != nil && b.passes(o.above)
	if passes {
		want = b.below(*o.above)
	}
	b, src, g, err := b.openSource(x, want)
	if err != nil {
		return nil, op.Provided{}, err
	}
	p := b.Projection.Start(x, src)
	var r op.Operator = p
	s, plain := src.(*scan.Scan)
	if o.Whole && (!plain || s.Con.Remaining != nil) && want.Limit == 0 && !b.Distinct && !b.Changes &&
		(len(b.Order) == 0 || g.Ordered) && !o.CountAll {
		r = pipeline.InParallel(x, src, p)
	}
	if b.Distinct && !b.givesOnce(src, g) {
		r = b.distinct(x, src, p, g.Together, !b.Limit.Present && o.AtMost == 0 && !passes)
		r = x.Timed(r)
	}
	if passes {
		return r, op.Provided{Ordered: g.Ordered, Leading: g.Leading, Together: !b.Distinct && g.Together}, nil
	}
	if len(b.Order) > 0 && !g.Ordered {
		r = x.Timed(b.sort(x, r, src, g, Wanted(offset, count, o)))
	}
	if b.Projection.Late != nil {
		r = b.Projection.WhenGiven(x, r, offset, count)
	}
	if b.Limit.Present || o.CountAll {
		r = pipeline.NewLimited(r, offset, count, o.CountAll)
	}
	return r, op.Provided{}, nil
}

// openSource opens the source, and returns the block adapted to it.
func (b *Select) openSource(x *op.Frame, want op.Desired) (*Select, op.Operator, op.Provided, error) {
	if x.Context.LockRows {
		x.Lock = b.Lock
	}
	src, g, err := b.Source.Open(x, want)
	if err != nil {
		return nil, nil, g, err
	}
	if x.Stmt.Measured {
		src = x.Timed(src)
	}
	if b.Changes && x.Context.LockAhead {
		if err := scan.LockAhead(unfiltered(src), b.Limit.Present); err != nil {
			return nil, nil, g, cmp.Or(err, src.Close())
		}
	}
	if b.Projection.Asks && want.Limit == 0 {
		if b, err = b.withSubqueries(x, src); err != nil {
			return nil, nil, g, cmp.Or(err, src.Close())
		}
	}
	return b, src, g, nil
}

// unfiltered returns an operator without the conditions on its rows.
func unfiltered(src op.Operator) op.Operator {
	if f, ok := op.Untimed(src).(*pipeline.Filtered); ok {
		return f.Operator
	}
	return src
}

// passes reports whether a desired order of the result is an order of the rows of FROM. The block's
// own order counts only if the reader has no wish.
func (b *Select) passes(above *op.Desired) bool {
	return !b.Limit.Present && b.Projection.Late == nil && (len(above.Order) > 0 || len(b.Order) == 0)
}

// below returns the desired properties to pass to Source.
func (b *Select) below(above op.Desired) op.Desired {
	if b.Distinct {
		above.Together, above.OneTogether = b.Projection.Nodes[:b.Columns], true
		above.OnePerRow, above.Limit = b.RowOnly, 0
	}
	return above
}

// givesOnce reports whether all rows of a scan are distinct: each K is returned once, and is one of
// the columns. Such a relation is a pipeline, whose joins by K can be merged.
func (b *Select) givesOnce(src op.Operator, g op.Provided) bool {
	s, plain := scan.Of(src)
	return plain && g.OnePerRow && slices.Contains(b.Projection.Columns[:b.Columns], s.Access.Columns.K)
}

// desired returns the SELECT's wishes for its rows of FROM.
func (b *Select) desired(offset, count int64, o Options) op.Desired {
	want := op.Desired{}
	for _, k := range b.Order {
		want.Order = append(want.Order, k.Key)
	}
	if len(b.Order) > 0 {
		want.Leading = b.leading(Wanted(offset, count, o))
	}
	if b.Distinct {
		want.Together, want.OneTogether = b.Projection.Nodes[:b.Columns], true
		want.OnePerRow = b.RowOnly
		return want
	}
	want.Limit = Wanted(offset, count, o)
	return want
}

// Wanted is the number of rows from the first to the last that is wanted, 0 for all.
func Wanted(offset, count int64, o Options) int64 {
	if o.CountAll {
		return 0
	}
	if o.AtMost > 0 {
		count = min(count, o.AtMost)
	}
	if count == pipeline.NoLimit || count > pipeline.NoLimit-offset {
		return 0
	}
	return offset + count
}

// withSubqueries returns the SELECT with its result's subqueries answered, if they are evaluated
// for many rows: they then work like functions, in batches and on several goroutines.
func (b *Select) withSubqueries(x *op.Frame, src op.Operator) (*Select, error) {
	if scan.RowsAsking(src) < x.Context.ManyRows() {
		return b, nil
	}
	nodes, err := x.AnswerAll(b.Projection.Nodes, src)
	out := *b
	out.Projection = pipeline.NewProjection(nodes)
	out.Projection.Late = b.Projection.Late
	return &out, err
}
