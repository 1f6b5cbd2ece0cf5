package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// bindDefault binds DEFAULT(column).
func (b *blockPlanner) bindDefault(column string) (expr.Node, error) {
	n, err := b.Resolve("", column)
	if err != nil {
		return nil, err
	}
	return b.Scope.DefaultOf(n, column)
}

// bindValues binds VALUES(column): the value that was to be inserted, or NULL outside of ON DUPLICATE
// KEY UPDATE (https://dev.mysql.com/doc/refman/5.7/en/miscellaneous-functions.html#function_values).
func (b *blockPlanner) bindValues(column string) (expr.Node, error) {
	switch {
	case b.values != nil:
		return b.values(column)
	case b.outer == nil:
		_, err := b.Resolve("", column)
		return &expr.Const{}, err
	}
	n, err := b.outer.bindValues(column)
	if c, ok := n.(*expr.Column); ok && err == nil {
		return &expr.Column{Index: b.correlate(c), Name: column, T: c.T}, nil
	}
	return n, err
}
