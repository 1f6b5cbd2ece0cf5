package declare

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// numberColumn makes a column AUTO_INCREMENT: 1063 for what is no number, or one that is exact and
// not whole, and 1067 where it has a default.
func numberColumn(c *typed.Column, def *ast.ColumnDef) error {
	switch base := c.Type.Base; {
	case !base.IsInteger() && !base.IsFloat():
		return mysqlerr.New(mysqlerr.WrongFieldSpec, "Incorrect column specifier for column '%s'", c.Name)
	case def.Default != nil:
		return mysqlerr.New(mysqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name)
	}
	c.AutoIncrement, c.NotNull = true, true
	return nil
}

// checkNumbers is 1075 where several columns are AUTO_INCREMENT, or one that is not the first of the
// primary key.
func checkNumbers(t *typed.Table) error {
	for i := range t.Columns {
		if t.Columns[i].AutoIncrement && (len(t.Key) == 0 || t.Key[0] != i) {
			return mysqlerr.New(mysqlerr.WrongAutoKey,
				"Incorrect table definition; there can be only one auto column and it must be defined as a key")
		}
	}
	return nil
}
