package declare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// check is a CHECK in a declaration, of a column or, if that is empty, of the table.
type check struct {
	ast.KeyDef
	column string
}

// checksOf are the constraints of columns and of the table.
func checksOf(columns []ast.ColumnDef, keys []ast.KeyDef) (out []check) {
	for i := range columns {
		for _, k := range columns[i].Checks {
			out = append(out, check{k, columns[i].Name})
		}
	}
	for _, k := range keys {
		if k.Kind == "CHECK" {
			out = append(out, check{k, ""})
		}
	}
	return out
}

// addChecks adds constraints to a table, and names those without a name.
func addChecks(face *typed.Table, table string, checks []check) error {
	for _, c := range checks {
		name := c.Name
		for n := 1; name == "" || c.Name == "" && face.Check(name) >= 0; n++ {
			name = fmt.Sprintf("%s_chk_%d", table, n)
		}
		if face.Check(name) >= 0 {
			return mysqlerr.New(mysqlerr.CheckDuplicateName, "Duplicate check constraint name '%s'.", name)
		}
		if err := c.allowed(face, name); err != nil {
			return err
		}
		face.Checks = append(face.Checks, typed.Check{Name: name, Text: c.Text, NotEnforced: c.NotEnforced})
	}
	return nil
}

// allowed refuses what a constraint must not contain: columns other than the table's, or than its own column
// for a column's constraint; variables, subqueries and parameters.
func (c *check) allowed(face *typed.Table, name string) error {
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.ColName:
			column := n.Name.String()
			if face.Column(column) < 0 {
				return false, mysqlerr.New(mysqlerr.CheckUnknownColumn,
					"Check constraint '%s' refers to non-existing column '%s'.",
					name, column)
			}
			if c.column != "" && !strings.EqualFold(c.column, column) {
				return false, mysqlerr.New(mysqlerr.CheckOtherColumn,
					"Column check constraint '%s' references other column.", name)
			}
		case *ast.UserVar, *ast.SetUserVar, *ast.SystemVar:
			return false, mysqlerr.New(mysqlerr.CheckVariables,
				"An expression of a check constraint '%s' cannot refer to a user or system variable.", name)
		case *sqlparser.Subquery, *sqlparser.ExistsExpr, *ast.Param:
			return false, mysqlerr.New(mysqlerr.CheckFunction,
				"An expression of a check constraint '%s' contains disallowed function.", name)
		}
		return true, nil
	}, c.Expr)
}

// bindCheck binds a constraint of a table; the error is 3814 if its result may vary.
func (d *Declaration) bindCheck(t *kv.Table, c *typed.Check) (expr.Node, error) {
	n, err := d.Bind(t, c.Text)
	if err != nil {
		return nil, err
	}
	if name := varying(n); name != "" {
		return nil, mysqlerr.New(mysqlerr.CheckNamedFunction,
			"An expression of a check constraint '%s' contains disallowed function: %s.", c.Name, name)
	}
	if expr.IsVolatile(n) {
		return nil, mysqlerr.New(mysqlerr.CheckFunction,
			"An expression of a check constraint '%s' contains disallowed function.", c.Name)
	}
	return n, nil
}

// BindRules checks the constraints and the expressions of a table that has been declared.
func (d *Declaration) BindRules(t *kv.Table, face *typed.Table) error {
	if _, err := d.bindComputed(t, face); err != nil {
		return err
	}
	for i := range face.Checks {
		if _, err := d.bindCheck(t, &face.Checks[i]); err != nil {
			return err
		}
	}
	return nil
}

// bindOld finds the columns that the table's constraints and expressions used before.
func (a *alteration) bindOld(t *kv.Table) error {
	if err := a.computedOf(t); err != nil {
		return err
	}
	a.uses = map[string][]int{}
	for _, c := range a.from.Checks {
		n, err := a.Bind(t, c.Text)
		if err != nil {
			return err
		}
		expr.Columns(n, func(column *expr.Column) { a.uses[c.Name] = append(a.uses[c.Name], column.Index) })
	}
	return nil
}

// dropConstraint is DROP CHECK, DROP FOREIGN KEY and DROP CONSTRAINT; done is false for other keys.
func (a *alteration) dropConstraint(action *ast.AlterDropKey) (done bool, err error) {
	at := a.from.Check(action.Name)
	isForeign := action.Kind == foreignKey || action.Kind == "CONSTRAINT" && foreignNamed(a.from, action.Name) >= 0
	switch {
	case isForeign:
		err = a.dropForeign(action.Name)
	case at >= 0 && (action.Kind == "CHECK" || action.Kind == "CONSTRAINT"):
		a.removed[a.from.Checks[at].Name] = true
	case action.Kind == "CHECK":
		err = noCheck(action.Name)
	case action.Kind == "CONSTRAINT" && strings.EqualFold(action.Name, primary):
		err = a.dropKey()
	case action.Kind == "CONSTRAINT":
		err = mysqlerr.New(mysqlerr.ConstraintNotFound, "Constraint '%s' does not exist.", action.Name)
	default:
		return false, nil
	}
	return true, err
}

// enforce is ALTER CHECK.
func (a *alteration) enforce(action *ast.AlterCheck) error {
	at := a.from.Check(action.Name)
	if at < 0 {
		return noCheck(action.Name)
	}
	a.notEnforced[a.from.Checks[at].Name] = action.NotEnforced
	return nil
}

func noCheck(name string) error {
	return mysqlerr.New(mysqlerr.CheckNotFound, "Check constraint '%s' is not found in the table.", name)
}

// keepChecks keeps the constraints that are not dropped. The error is 3959 if one uses a column that is
// dropped or renamed, unless its only column is a dropped one.
func (a *alteration) keepChecks() error {
	a.to.Checks = nil
	for _, c := range a.from.Checks {
		if a.removed[c.Name] {
			continue
		}
		name, dropped := a.changed(a.uses[c.Name])
		switch {
		case name == "":
			if not, altered := a.notEnforced[c.Name]; altered {
				c.NotEnforced = not
			}
			a.to.Checks = append(a.to.Checks, c)
		case !dropped:
			return mysqlerr.New(mysqlerr.DependentByCheck,
				"Check constraint '%s' uses column '%s', hence column cannot be dropped or renamed.", c.Name, name)
		}
	}
	return nil
}

// changed is the first of columns that is dropped or renamed, or empty; alone says that it is dropped and the
// only one.
func (a *alteration) changed(columns []int) (name string, alone bool) {
	for _, was := range columns {
		name = a.from.Columns[was].Name
		at := slices.IndexFunc(a.columns, func(c altered) bool { return c.was == was })
		if at < 0 {
			return name, !slices.ContainsFunc(columns, func(other int) bool { return other != was })
		}
		if a.columns[at].Name != name {
			return name, false
		}
	}
	return "", false
}

// bindNew binds the expressions of columns, and the constraints that are added or enforced again, which
// existing rows must satisfy.
func (a *alteration) bindNew(t *kv.Table) error {
	bound, err := a.bindComputed(t, a.to)
	if err == nil {
		err = a.setComputedAbsent(bound)
	}
	if err != nil {
		return err
	}
	for i := range a.to.Checks {
		c := &a.to.Checks[i]
		if _, altered := a.notEnforced[c.Name]; !altered && i < len(a.to.Checks)-len(a.checks) {
			continue
		}
		n, err := a.bindCheck(t, c)
		if err != nil {
			return err
		}
		if !c.NotEnforced {
			a.bound = append(a.bound, typed.BoundCheck{Name: c.Name, Node: n})
		}
	}
	return nil
}
