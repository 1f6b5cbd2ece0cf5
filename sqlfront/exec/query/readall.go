package query

import (
	"cmp"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// ReadAllOf calls fn for each row of a query that reads nothing of the outer blocks. Errors are
// those of the query, and of fn.
func ReadAllOf(run *op.Statement, q *Query, fn func(row []value.Value) error) error {
	return ReadWithin(run, q, partition.RowRange{}, fn)
}

// ReadWithin is ReadAllOf, but may omit rows that come from rows of the table outside within.
// Errors are those of the query, and of fn.
func ReadWithin(run *op.Statement, q *Query, within partition.RowRange, fn func(row []value.Value) error) error {
	x := run.NewFrame(q.Width)
	own := func(row []value.Value) error { return fn(row[:len(q.Types)]) }
	if b, ok := q.Body.(*Select); ok && b.GivesAll() && !run.Context.LockRows {
		src, _, err := b.Source.Open(x, op.Desired{Within: within})
		if err != nil {
			return err
		}
		return cmp.Or(b.readAll(x, src, own), src.Close())
	}
	r, _, err := q.Body.Open(x, Options{})
	if err != nil {
		return err
	}
	rows := op.Input{Operator: r}
	return cmp.Or(spill.Each(rows.AllRows, own), r.Close())
}

// GivesAll reports whether the rows are all those of the source.
func (b *Select) GivesAll() bool { return !b.Distinct && !b.Limit.Present && len(b.Order) == 0 }

// keptList keeps the rows of a part.
type keptList struct{ *spill.List }

func (k keptList) Keep(row []value.Value) (bool, error) {
	err := k.Add(row)
	return k.Spilled(), err
}

func (k keptList) End() error   { return k.Rewind() }
func (k keptList) Close() error { return k.List.Close() }

// readAll calls fn for each row of a block, in order; its source must not have been read. Several
// goroutines read them if the result stays the same.
func (b *Select) readAll(x *op.Frame, src op.Operator, fn func(row []value.Value) error) error {
	parallel := pipeline.RowsOf(x, src, b.Projection.Nodes)
	if parallel != nil {
		parallel.Bounded(pipeline.KeptCell)
		parallel.Keeping(b.Projection.RowsOf, func() pipeline.Keeper { return keptList{x.Stmt.Space.NewList()} })
	}
	done, err := parallel.ReadParts()
	switch {
	case err != nil:
	case done:
		for _, each := range parallel.Parts {
			err = cmp.Or(err, spill.Each(each.(*pipeline.RowPart).Keep.(keptList).Next, fn))
		}
	default:
		err = spill.Each(b.Projection.RowsOf(src, x), fn)
	}
	return cmp.Or(err, parallel.Close())
}

// Each calls fn for the rows of the query, at most atMost unless that is 0, as long as fn returns
// true. Errors are those of the query, and of fn.
func (q *Query) Each(x *op.Frame, atMost int64, fn func([]value.Value) (bool, error)) error {
	r, _, err := q.Body.Open(x, Options{AtMost: atMost})
	if err != nil {
		return err
	}
	rows := op.Input{Operator: r}
	for more := true; more && err == nil; {
		var row []value.Value
		if row, err = rows.Result(1); row == nil || err != nil {
			break
		}
		more, err = fn(row[:len(q.Types)])
	}
	return cmp.Or(err, r.Close())
}
