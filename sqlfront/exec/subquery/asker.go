package subquery

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Asker is a statement as an op.Asker: it evaluates the subqueries of its expressions.
type Asker op.Statement

// Answer implements op.Asker.
func (a *Asker) Answer(x *op.Frame, n expr.Node, of op.Operator) (expr.Node, error) {
	var failed error
	out := expr.Rewrite(n, func(n expr.Node) expr.Node {
		if s, ok := n.(*Subquery); ok && failed == nil {
			var known expr.Node
			if known, failed = s.ofRows(x, of); known != nil {
				return known
			}
		}
		return n
	})
	return out, failed
}

// MergeMembers implements merger.
func (a *Asker) MergeMembers(s *scan.Scan, want op.Desired) (op.Operator, error) {
	return mergeMembers(s, want)
}

// Subquery implements expr.Subqueries.
func (a *Asker) Subquery(n expr.Node, env *expr.Env) (value.Value, error) {
	run := (*op.Statement)(a)
	s := n.(*Subquery)
	if run.Measured {
		defer run.Ran(s.Query, time.Now())
	}
	floor := env.Held.Enter()
	v, err := s.eval(env, run)
	if tooMuch := env.Held.Leave(floor, len(v.Raw())); err == nil {
		err = tooMuch
	}
	return v, err
}
