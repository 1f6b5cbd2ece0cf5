package subquery

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
)

// PlannedStep implements query.Planned.
func (s *Subquery) PlannedStep(run *op.Statement) *explain.Step {
	if op.Kept[merged](run, s.Query) != nil {
		return nil // its relation is in the join
	}
	out := s.Query.PlannedStep(run)
	out.Block.Dependent, out.Block.Uncacheable = len(s.Outer) > 0, s.Differs
	out.Add("for all outer rows", s.ForAll(run))
	out.Took = run.Took[s.Query]
	return out
}

// ForAll says by which keys the rows of a subquery are kept for all outer rows; for a statement
// that has run, whether they were kept.
func (s *Subquery) ForAll(run *op.Statement) string {
	var q *query.Query
	var kept *spill.Index
	keys := 0
	switch {
	case s.Decorrelated != nil:
		q, keys = s.Decorrelated, len(s.DecorrelatedBy)
		if k := op.Kept[decorrelatedRows](run, q); k != nil {
			kept = k.rows
		}
	case s.Partnered != nil:
		q, keys = s.Partnered.All, len(s.Partnered.Own)
		if k := op.Kept[partnerRows](run, s.Partnered.Partners); k != nil {
			kept = k.rows
		}
	default:
		return ""
	}
	by := " by " + op.PrintNodes(q.Body.(*query.Select).Projection.Nodes[:keys])
	if kept != nil {
		return "kept" + by
	}
	if run.Measured {
		return "not kept"
	}
	return "kept" + by + ", if lookups cost more"
}
