package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// What the reader of a join's batches does not read, and the join does not either, is left
// out of the batches of its sides, and of its pairs. All cells of a table joined with
// themselves on K and Q, of which T and V of one side are read, take 0.82 of the processor
// time so, and as they are paired many at a time and stay where they are.

// ReadFor leaves out what nobody reads; of a semi join, on the left side.
func (j *rowJoin) ReadFor(above kernel.Reader) {
	j.above = above
	j.l.in.ReadFor(j)
	if j.gives == inPairs {
		j.r.in.ReadFor(j)
	} else {
		j.r.in.ReadFor(j.r)
	}
}

// ColumnsRead implements kernel.Reader.
func (j *rowJoin) ColumnsRead() kernel.Columns {
	c := op.ReadOf(j.above).Union(j.l.ColumnsRead())
	if j.gives == inPairs {
		c = c.Union(j.r.ColumnsRead())
	}
	if j.rest != nil {
		c = c.Reading(j.rest)
	}
	return c
}

// ColumnsRead implements kernel.Reader.
func (s *joinSide) ColumnsRead() (c kernel.Columns) {
	for _, key := range s.keys {
		c = c.Add(key)
	}
	return c.Reading(s.asked...)
}

func (j *keptJoin) ReadFor(above kernel.Reader) { j.above = above }

// ColumnsRead implements kernel.Reader.
func (j *keptJoin) ColumnsRead() kernel.Columns {
	c := op.ReadOf(j.above).Reading(j.LeftKeys...)
	for _, n := range []expr.Node{j.On, j.Sure} {
		if n != nil {
			c = c.Reading(n)
		}
	}
	return c
}

func (j *mergeJoin) ReadFor(above kernel.Reader) {
	j.above = above
	if j.rows != nil {
		j.rows.ReadFor(above)
	}
}

// ReadFor is told to the join that is chosen before any row is joined.
func (j *adaptiveJoin) ReadFor(above kernel.Reader) { j.above = above }
