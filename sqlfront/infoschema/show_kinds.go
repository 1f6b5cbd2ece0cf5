package infoschema

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// Show runs SHOW; database is the current one, or empty. The context needs no transaction. Warnings and
// errors belong to the session and are not shown here. Its errors are MySQL's, and those of the store.
func (i *Information) Show(c *exec.Context, database string, st *ast.Show) (*relation.Result, error) {
	catalog, err := i.store.Catalog(c.Ctx)
	if err != nil {
		return nil, err
	}
	s := &show{Information: i, Context: c, st: st, database: database, catalog: catalog}
	r, err := s.all()
	if err != nil {
		return nil, err
	}
	return r, s.filter(r)
}

// all is the result before LIKE, WHERE and LIMIT.
func (s *show) all() (*relation.Result, error) {
	switch s.st.Kind {
	case ast.ShowCreateTable, ast.ShowCreateView:
		return s.createTable()
	case ast.ShowCreateDatabase:
		return s.createDatabase()
	case ast.ShowCreateTableGroup:
		return s.createGroup()
	case ast.ShowTableGroups:
		return s.groups()
	case ast.ShowPartitions:
		return s.partitions()
	case ast.ShowEngineStatus:
		return s.engineStatus()
	case ast.ShowBinaryLogs:
		return nil, mysqlerr.New(mysqlerr.NoBinaryLogging, "You are not using binary logging")
	}
	if names, ok := emptyResults[s.st.Kind]; ok {
		return texts(names), nil
	}
	if p, ok := projections[s.st.Kind]; ok {
		return s.project(p)
	}
	return nil, mysqlerr.Unsupported("SHOW " + string(s.st.Kind))
}
