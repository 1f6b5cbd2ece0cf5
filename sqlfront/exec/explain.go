package exec

import (
	"io"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
)

// Explain describes how the query is run, in which nothing is read. With
// analyze it is run, as Open would, and its rows are counted and its time is taken.
func (q *Query) Explain(c *op.Context, countAll, analyze bool) (root *explain.Step, took time.Duration, err error) {
	c.Measured = analyze
	start := time.Now() // subqueries that keys are compared with are read while it is opened
	r, err := q.run(c, countAll, !analyze)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = r.Close() }()
	if analyze {
		if err := r.readAll(); err != nil {
			return nil, 0, err
		}
		took = time.Since(start)
	}
	r.x.Stmt.Explain = true
	return q.Step(r.rows.Source, r.x.Stmt), took, nil
}

func (r *Rows) readAll() error {
	for {
		if _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// ExplainSubqueries describes the subqueries of a statement's other expressions.
func ExplainSubqueries(c *op.Context, subqueries []*Subquery) []*explain.Step {
	return plannedSteps(subqueries, newRun(c, true))
}

// plannedStep describes a query without running it.
func (q *Query) plannedStep(run *op.Statement) *explain.Step {
	rows, _, err := q.Body.Open(run.NewFrame(q.Width), queryOptions{})
	if err != nil {
		out := explain.Failed(err)
		out.Block = &explain.Block{}
		return out
	}
	defer func() { _ = rows.Close() }()
	return q.Step(rows, run).Unmeasured()
}

// Step describes a query that runs, with the subqueries of its expressions.
func (q *Query) Step(rows op.Source, run *op.Statement) *explain.Step {
	out := rows.Step()
	_, isUnion := q.Body.(*Union)
	out.Block = &explain.Block{Union: isUnion}
	out.Queries = plannedSteps(q.Subqueries, run)
	return out
}

// plannedSteps describe the subqueries of a query's expressions.
func plannedSteps(subqueries []*Subquery, run *op.Statement) []*explain.Step {
	var out []*explain.Step
	for _, s := range subqueries {
		if sharedIn(run).merged[s.Query] != nil {
			continue // whose relation is one of the join's
		}
		under := s.Query.plannedStep(run)
		under.Block.Dependent, under.Block.Uncacheable = len(s.Outer) > 0, s.Differs
		under.Add("for all rows around", s.forAll(run))
		under.Took = run.Took[s.Query]
		out = append(out, under)
	}
	return out
}

// forAll says by what the rows of a subquery are kept for all rows around; of a statement that
// has run, whether they were.
func (s *Subquery) forAll(run *op.Statement) string {
	var q *Query
	var kept *spill.Index
	keys := 0
	switch {
	case s.Keyed != nil:
		q, keys = s.Keyed, len(s.KeyedBy)
		if k := sharedIn(run).keyed[q]; k != nil {
			kept = k.rows
		}
	case s.Partnered != nil:
		q, keys = s.Partnered.All, len(s.Partnered.Own)
		if k := sharedIn(run).partners[s.Partnered.Partners]; k != nil {
			kept = k.rows
		}
	default:
		return ""
	}
	by := " by " + op.PrintNodes(q.Body.(*Select).Projection.Nodes[:keys])
	if kept != nil {
		return "kept" + by
	}
	if run.Measured {
		return "not kept"
	}
	return "kept" + by + ", where lookups cost more"
}
