package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
)

// owns reports whether a name is that of a temporary table of the session.
func (s *Session) owns(name ast.TableName) bool { return s.temp.Owns(s.database, name) }

// viewPlanner plans the SELECT of a view that is stored in the catalog. A temporary table of the
// session, which others would not see, is refused.
func (s *Session) viewPlanner(ctx context.Context, c *kv.Catalog) *plan.Planner {
	p := s.planner(ctx, s.temp.Over(c), nil)
	p.ForView = true
	return p
}

// information answers SHOW and DESCRIBE of a table. For a temporary table of the session it sees a catalog
// with only such tables.
func (s *Session) information(c *exec.Context, table ast.TableName) *infoschema.Information {
	if !s.owns(table) {
		return s.engine.info
	}
	c.Authority = nil // no privileges are needed on a temporary table
	return infoschema.New(s.temp.Own(), server{s.engine})
}
