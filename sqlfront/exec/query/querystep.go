package query

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
)

// Step describes a query that runs, with the subqueries of its expressions.
func (q *Query) Step(rows op.Operator, run *op.Statement) *explain.Step {
	out := rows.Step()
	out.Block = &explain.Block{Union: q.Body.IsUnion()}
	out.Queries = PlannedSteps(q.Subqueries, run)
	return out
}

// PlannedStep describes a query without running it.
func (q *Query) PlannedStep(run *op.Statement) *explain.Step {
	rows, _, err := q.Body.Open(run.NewFrame(q.Width), Options{})
	if err != nil {
		out := explain.Failed(err)
		out.Block = &explain.Block{}
		return out
	}
	defer func() { _ = rows.Close() }()
	return q.Step(rows, run).Unmeasured()
}

// PlannedSteps describes the subqueries of a query's expressions.
func PlannedSteps(subqueries []Planned, run *op.Statement) []*explain.Step {
	var out []*explain.Step
	for _, s := range subqueries {
		if step := s.PlannedStep(run); step != nil {
			out = append(out, step)
		}
	}
	return out
}
