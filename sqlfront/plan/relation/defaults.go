package relation

import (
	"strconv"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// DefaultOf is DEFAULT(column) of a column that the scope has found: the literal or the time that a typed
// table declares, else NULL. The error is 1364 for a NOT NULL column without a default, and 3773 for a
// default that is an expression.
func (s *Scope) DefaultOf(n expr.Node, column string) (expr.Node, error) {
	if c, ok := n.(*expr.Column); ok {
		if p, i := s.Place(c.Index); p != nil && p.Relation.Typed != nil {
			return p.Relation.declaredDefault(i)
		}
	}
	if !n.Type().Nullable {
		return nil, NoDefault(column)
	}
	return &expr.Const{}, nil
}

// NoDefault is error 1364 about a column.
func NoDefault(column string) error {
	return mysqlerr.New(mysqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", column)
}

// declaredDefault is DEFAULT(column) of a typed table.
func (r *Relation) declaredDefault(column int) (expr.Node, error) {
	if column >= len(r.Typed.Columns) {
		return nil, NoDefault(r.Columns[column].Name)
	}
	c := &r.Typed.Columns[column]
	switch d := c.Default; {
	case d != nil && d.Expr != "":
		return nil, mysqlerr.New(mysqlerr.DefaultIsExpression, "DEFAULT function cannot be used with default value expressions")
	case d != nil && d.Clock:
		_, e, err := ParseValue("CURRENT_TIMESTAMP(" + strconv.Itoa(c.Type.Decimals) + ")")
		if err != nil {
			return nil, err
		}
		return (&bind.Binder{}).Bind(e)
	case d != nil && !d.Null:
		v, err := r.Typed.DefaultValue(column)
		return &expr.Const{V: v, T: r.Typed.Values(column)}, err
	case c.NotNull:
		return nil, NoDefault(c.Name)
	}
	return &expr.Const{}, nil
}
