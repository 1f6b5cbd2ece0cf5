package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
)

// Step describes a query that runs, with the subqueries of its expressions.
func (q *Query) Step(rows op.Source, run *op.Statement) *explain.Step {
	out := rows.Step()
	out.Block = &explain.Block{Union: q.Body.IsUnion()}
	out.Queries = plannedSteps(q.Subqueries, run)
	return out
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

// plannedSteps describe the subqueries of a query's expressions.
func plannedSteps(subqueries []Planned, run *op.Statement) []*explain.Step {
	var out []*explain.Step
	for _, s := range subqueries {
		if step := s.PlannedStep(run); step != nil {
			out = append(out, step)
		}
	}
	return out
}
