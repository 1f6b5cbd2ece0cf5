package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// planFor is the plan of a statement for these arguments, and the arguments to run it with.
func (s *Session) planFor(ctx context.Context, st *Statement, catalog *kv.Catalog,
	args []value.Value) (*statement.Plan, []value.Value, error) {
	of := statement.Session{Database: s.database, AnyValue: s.vars.AnyValue, Authority: s.authority, Host: planHost{s}}
	return s.engine.statements.PlanFor(ctx, &of, st, catalog, args, &s.plansFound)
}

// planHost is the session as the cache of plans sees it.
type planHost struct{ *Session }

// Info implements statement.Host.
func (s planHost) Info() *function.Session { return s.info() }

// Planner implements statement.Host.
func (s planHost) Planner(ctx context.Context, catalog *kv.Catalog, args []value.Value) *plan.Planner {
	return s.planner(ctx, catalog, args)
}
