package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// kill runs KILL [CONNECTION | QUERY] id (https://dev.mysql.com/doc/refman/5.7/en/kill.html).
func (s *Session) kill(ctx context.Context, p *ast.Parsed, st *ast.Kill, args []value.Value) error {
	id, err := s.evaluate(ctx, p, st.ID, args)
	if err != nil {
		return err
	}
	victim := s.engine.session(id.String())
	if victim == nil {
		return mysqlerr.New(mysqlerr.NoSuchThread, "Unknown thread id: %s", id.String())
	}
	if err := s.mayKill(victim); err != nil {
		return err
	}
	if !st.Query {
		victim.underWay.Kill()
	}
	victim.underWay.Interrupt()
	return ctx.Err() // it has killed itself
}
