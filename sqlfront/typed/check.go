package typed

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// BoundCheck is a CHECK constraint as an expression over the columns of its table.
type BoundCheck struct {
	Name string
	Node expr.Node
}

// Keep is error 3819 if the constraint is false for the row of the environment, or an error of the
// expression.
func (c *BoundCheck) Keep(env *expr.Env) error {
	v, err := c.Node.Eval(env)
	if err != nil {
		return err
	}
	if holds, null := value.Truth(v); !holds && !null {
		return mysqlerr.New(mysqlerr.CheckViolated, "Check constraint '%s' is violated.", c.Name)
	}
	return nil
}
