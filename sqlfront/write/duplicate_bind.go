package write

import (
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// bindDuplicate binds ON DUPLICATE KEY UPDATE over the existing row, behind it
// the given one, which VALUES() reads, and behind that what the SELECT gives
// besides. Unqualified columns are the existing row's.
func (s *Insert) bindDuplicate(r *relation.Relation, exprs sqlparser.UpdateExprs) ([]change.Assignment, error) {
	s.exprs.SetValues(func(name string) (expr.Node, error) {
		i, err := change.ColumnNamed(r, name)
		if err != nil {
			return nil, err
		}
		return &expr.Column{Index: len(r.Columns) + i, Name: name, T: r.Columns[i].Type}, nil
	})
	return assignments(r, s.exprs.Binder(duplicateScope{s, r}), exprs)
}

// duplicateScope finds the names of ON DUPLICATE KEY UPDATE.
type duplicateScope struct {
	stmt *Insert
	r    *relation.Relation
}

// Resolve finds a column of the table, or of the SELECT's.
func (s duplicateScope) Resolve(table, column string) (expr.Node, error) {
	n, err := s.stmt.exprs.Resolve(table, column)
	if !mysqlerr.Is(err, mysqlerr.BadField) {
		return n, err
	}
	for i, c := range s.stmt.extra {
		if c.Qualifier.Name.String() == table && c.Name.EqualString(column) {
			return &expr.Column{Index: 2*len(s.r.Columns) + i, Name: column,
				T: s.stmt.source.Columns[len(s.stmt.columns)+i].Type}, nil
		}
	}
	return nil, err
}
