package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
)

// shared is what the queries of a statement keep in it.
type shared struct {
	kept     map[*Query]*keptResult
	keyed    map[*Query]*keyedRows
	partners map[*Partners]*partnerRows
	derived  map[*Derived]*derivedRows
	// merged are the subqueries whose rows are merged with those that ask for them, and
	// what of them.
	merged map[*Query]*Query
	// working are the rows of the steps before of the recursions that run.
	working map[*Union]*spill.List
}

func newShared() any { return &shared{} }

// sharedIn is what the queries of a statement have kept in it so far.
func sharedIn(run *op.Statement) *shared { return run.Keeps(newShared).(*shared) }

// asker evaluates the subqueries of a statement's expressions.
type asker op.Statement

// askerOf is that of a statement.
func askerOf(run *op.Statement) op.Asker { return (*asker)(run) }

// Answer implements op.Asker.
func (a *asker) Answer(x *op.Frame, n expr.Node, of op.Source) (expr.Node, error) {
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
func (a *asker) MergeMembers(s *scan.Scan, want op.Request) (op.Source, error) {
	return mergeMembers(s, want)
}

// RowEnv is Env for expressions with subqueries, which keep their results in it:
// it is for one statement. done gives up what they keep.
func RowEnv(c *op.Context) (env expr.Env, done func() error) {
	run := newRun(c, false)
	env = *c.Env
	env.Ctx, env.Subqueries, env.Lists, env.Held = c.Ctx, run.Asker, &run.Lists, &run.Held
	return env, run.Space.Close
}

// newRun is the run of a statement's expressions.
func newRun(c *op.Context, explain bool) *op.Statement {
	run := &op.Statement{}
	run.Start(c, askerOf, explain)
	return run
}
