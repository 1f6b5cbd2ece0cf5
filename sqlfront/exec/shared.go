package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// RowEnv returns an environment for expressions with subqueries, which keep their results in it,
// for one statement. done frees these results.
func RowEnv(c *op.Context) (env expr.Env, done func() error) {
	run := newRun(c)
	env = *c.Env
	env.Ctx, env.Subqueries, env.Lists, env.Held = c.Ctx, run.Asker, &run.Lists, &run.Held
	return env, run.Space.Close
}

// newRun returns the run of a statement's expressions.
func newRun(c *op.Context) *op.Statement {
	run := &op.Statement{}
	run.Start(c, (*subquery.Asker)(run))
	return run
}
