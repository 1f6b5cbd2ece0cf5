package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
)

// owns reports whether a name is that of one of the session's own tables.
func (s *Session) owns(name ast.TableName) bool { return s.temp.Owns(s.database, name) }

// viewPlanner plans the SELECT of a view that becomes a part of a catalog: a table of the
// session's own hides what others would see there, and is refused.
func (s *Session) viewPlanner(ctx context.Context, c *kv.Catalog) *plan.Planner {
	p := s.planner(ctx, s.temp.Over(c), nil)
	p.ForView = true
	return p
}

// information answers SHOW and DESCRIBE of a table: of one of the session's own as of a catalog
// that has no others.
func (s *Session) information(c *exec.Context, table ast.TableName) *infoschema.Information {
	if !s.owns(table) {
		return s.engine.info
	}
	c.Authority = nil // nobody else has rights on it
	return infoschema.New(s.temp.Own(), server{s.engine})
}
