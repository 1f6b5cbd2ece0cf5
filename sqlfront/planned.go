package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// planFor returns the plan of a statement for these arguments, from the cache or a new one, and the arguments
// to run it with.
func (s *Session) planFor(ctx context.Context, st *Statement, catalog *kv.Catalog,
	args []value.Value) (*statement.Plan, []value.Value, error) {
	of := statement.Session{Database: s.database, AnyValue: s.vars.AnyValue, Authority: s.authority,
		Host: host{s}, Own: &s.temp.Plans}
	return s.engine.statements.PlanFor(ctx, &of, st, catalog, args, &s.plansFound)
}
