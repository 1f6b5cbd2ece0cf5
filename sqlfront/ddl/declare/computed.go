package declare

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// computed is a kind of expressions in column declarations, with the errors for what these must not contain.
type computed struct {
	clause                                   string
	variables, function, autoIncrement       mysqlerr.Number
	nonPrior                                 mysqlerr.Number
	subject, autoIncrementText, nonPriorText string
}

var generatedKind = computed{"generated column function", mysqlerr.GeneratedVariables, mysqlerr.GeneratedFunction,
	mysqlerr.GeneratedAutoIncrement, mysqlerr.GeneratedNonPrior, "Expression of generated column",
	"Generated column '%s' cannot refer to auto-increment column.",
	"Generated column can refer only to generated columns defined prior to it: column '%s'."}

var defaultKind = computed{"default value expression", mysqlerr.DefaultVariables, mysqlerr.DefaultFunction,
	mysqlerr.DefaultAutoIncrement, mysqlerr.DefaultNonPrior, "Default value expression of column",
	"Default value expression of column '%s' cannot refer to an auto-increment column.",
	"Default value expression of column '%s' cannot refer to a column defined after it if that column is a " +
		"generated column or has an expression as default value."}

// allowed refuses variables, subqueries and parameters in the expression of a column.
func (k *computed) allowed(column string, e sqlparser.Expr) error {
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n.(type) {
		case *ast.UserVar, *ast.SetUserVar, *ast.SystemVar:
			return false, mysqlerr.New(k.variables, "%s '%s' cannot refer user or system variables.", k.subject, column)
		case *sqlparser.Subquery, *sqlparser.ExistsExpr, *ast.Param:
			return false, k.disallowed(column)
		}
		return true, nil
	}, e)
}

func (k *computed) disallowed(column string) error {
	return mysqlerr.New(k.function, "%s '%s' contains a disallowed function.", k.subject, column)
}

// isComputed reports whether a column has an expression.
func isComputed(c *typed.Column) bool {
	return c.Generated != nil || c.Default != nil && c.Default.Expr != ""
}

// computedText is the expression of a column that has one, and its kind.
func computedText(c *typed.Column) (*computed, string) {
	if c.Generated != nil {
		return &generatedKind, c.Generated.Text
	}
	return &defaultKind, c.Default.Expr
}

// bindComputed binds the column expressions of a table that has been declared.
func (d *Declaration) bindComputed(t *kv.Table, face *typed.Table) (out []typed.BoundColumn, err error) {
	for i := range face.Columns {
		c := &face.Columns[i]
		if !isComputed(c) {
			continue
		}
		kind, text := computedText(c)
		n, err := d.Bind(t, text)
		if err != nil {
			return nil, inClause(err, kind.clause)
		}
		if err := kind.check(face, i, n); err != nil {
			return nil, err
		}
		out = append(out, typed.BoundColumn{Column: i, Node: n})
	}
	return out, checkVirtualIndexes(face, out)
}

// inClause sets the clause in the error about an unknown column.
func inClause(err error, clause string) error {
	if known, ok := err.(*mysql.MySQLError); ok && mysqlerr.Is(err, mysqlerr.BadField) {
		out := *known
		out.Message = strings.Replace(out.Message, "'field list'", "'"+clause+"'", 1)
		return &out
	}
	return err
}

// check checks the columns that the bound expression of a column reads and, if the column is generated, the
// functions that it calls.
func (k *computed) check(face *typed.Table, column int, n expr.Node) (err error) {
	name := face.Columns[column].Name
	expr.Columns(n, func(read *expr.Column) {
		c := &face.Columns[read.Index]
		switch {
		case err != nil:
		case c.AutoIncrement:
			err = mysqlerr.New(k.autoIncrement, k.autoIncrementText, name)
		case isComputed(c) && read.Index >= column && (c.Generated != nil || k == &defaultKind):
			err = mysqlerr.New(k.nonPrior, k.nonPriorText, name)
		}
	})
	if err != nil || k == &defaultKind {
		return err
	}
	if called := varying(n); called != "" {
		return mysqlerr.New(mysqlerr.GeneratedNamedFunction, "Expression of generated column '%s' contains a disallowed function: %s.",
			name, called)
	}
	if expr.IsVolatile(n) {
		return k.disallowed(name)
	}
	return nil
}

// varying is a function in an expression that returns different values at different times or for different
// sessions, or empty.
func varying(n expr.Node) (name string) {
	expr.Walk(n, func(n expr.Node) bool {
		if call, ok := n.(*expr.Call); ok && name == "" {
			if called, varies := call.Varies(); varies {
				name = strings.ToLower(called)
			}
		}
		return name == ""
	})
	return name
}

// computedOf finds the columns that column expressions read, by the index of the column.
func (a *alteration) computedOf(t *kv.Table) error {
	a.reads = map[int][]int{}
	bound, err := a.bindComputed(t, a.from)
	for _, c := range bound {
		expr.Columns(c.Node, func(read *expr.Column) { a.reads[c.Column] = append(a.reads[c.Column], read.Index) })
	}
	return err
}

// keepComputed refuses to drop or rename a column that the unchanged expression of another one reads: 3108,
// and 3766 for defaults.
func (a *alteration) keepComputed() error {
	for i := range a.columns {
		was, c := a.columns[i].was, &a.to.Columns[i]
		if was < 0 || !isComputed(c) || !isComputed(&a.from.Columns[was]) {
			continue
		}
		kind, text := computedText(&a.from.Columns[was])
		if now, is := computedText(c); now != kind || is != text {
			continue // new expressions are bound
		}
		name, _ := a.changed(a.reads[was])
		switch {
		case name == "":
		case kind == &generatedKind:
			return mysqlerr.New(mysqlerr.DependentByGenerated, "Column '%s' has a generated column dependency.", name)
		default:
			return mysqlerr.New(mysqlerr.DependentByDefault,
				"Column '%s' of table '%s' has a default value expression dependency and cannot be dropped or renamed.", name, a.name)
		}
	}
	return nil
}

// compareGenerated reports whether existing rows have no values of a column that its new type must hold: it is new,
// or its values are computed. The error is 3106 if it becomes STORED or VIRTUAL. old is nil for a new column.
func (a *alteration) compareGenerated(old *typed.Column, at int) (done bool, err error) {
	is := &a.to.Columns[at]
	isVirtual := func(c *typed.Column) bool { return c != nil && c.Generated != nil && !c.Generated.Stored }
	switch {
	case old != nil && isVirtual(old) != isVirtual(is):
		return true, mysqlerr.New(mysqlerr.UnsupportedOnGenerated, "'Changing the STORED status' is not supported for generated columns.")
	case isVirtual(is):
		return true, nil
	case is.Generated != nil && (old == nil || old.Generated == nil || old.Generated.Text != is.Generated.Text):
		a.compute(at)
		return true, nil
	}
	return old == nil, nil
}

// compute notes that existing rows get stored values of a column by its expression. Rows of mapped tables are
// refused, since other programs use their cells, and so are rows that get another key.
func (a *alteration) compute(at int) {
	c := &a.to.Columns[at]
	switch what := "giving existing rows values of the stored column '" + c.Name + "'"; {
	case a.from.Mapped:
		a.refuseRows(what + " of a mapped table: declare it VIRTUAL")
	case a.rekeys:
		a.refuseRows(what + " and another primary key: use two statements")
	}
	c.Absent, c.Earlier = nil, nil
	a.computes = append(a.computes, at)
}

// refuseRows refuses the alteration if there are any rows.
func (a *alteration) refuseRows(what string) {
	if a.zero == nil {
		a.zero = mysqlerr.Unsupported(what)
	}
}

// setComputedAbsent sets the value that existing rows have in new columns whose default is an expression.
func (a *alteration) setComputedAbsent(bound []typed.BoundColumn) error {
	for _, b := range bound {
		c := &a.to.Columns[b.Column]
		switch {
		case c.Generated != nil:
			a.generated = append(a.generated, b)
		case a.columns[b.Column].was >= 0:
		case varying(b.Node) != "" || expr.IsVolatile(b.Node):
			a.refuseRows("giving existing rows values of the new column '" + c.Name + "', whose default is not constant")
		case !expr.IsConst(b.Node):
			a.compute(b.Column)
			a.generated = append(a.generated, b)
		default:
			v, err := b.Node.Eval(&expr.Env{Env: *a.writing().Env})
			if err != nil {
				return err
			}
			if err := a.storeAbsent(b.Column, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *alteration) storeAbsent(column int, v value.Value) error {
	c := &a.to.Columns[column]
	converter := c.Converter()
	v, err := converter.Convert(a.writing(), v)
	if err == nil && !v.IsNull() {
		c.Absent, err = a.to.AppendCell([]byte{}, column, v)
	}
	return err
}

// generate computes the value of a column in the row, and checks that its cell is stored if it needs one.
func (l *looking) generate(g typed.BoundColumn) (err error) {
	at := slices.Index(l.computes, g.Column)
	switch {
	case l.to.IsVirtual(g.Column):
		l.env.Row[g.Column], err = l.to.VirtualOf(g.Node, g.Column).Eval(&l.env)
		return err
	case at < 0:
		return nil
	}
	v, err := g.Node.Eval(&l.env)
	if err == nil {
		v, err = l.to.Converter(g.Column).Convert(l.storing, v)
	}
	var cell []byte
	if err == nil && !v.IsNull() {
		cell, err = l.to.AppendCell([]byte{}, g.Column, v)
	}
	if err != nil {
		return err
	}
	l.env.Row[g.Column] = l.to.Shown(&l.env, g.Column, v)
	return l.hasComputed(at, cell)
}

// hasComputed checks that the row has the cell of a computed column. NULL has none.
func (l *looking) hasComputed(at int, cell []byte) error {
	column := l.computes[at]
	switch {
	case l.emit != nil:
		return l.emit(column, cell)
	case l.reserved(column) != "" && (cell == nil) == (l.made[at] == nil) && bytes.Equal(cell, l.made[at]):
		return nil
	}
	if err := l.distinct(column, "giving existing rows values of the stored column '"+l.columns[column].Name+"'"); err != nil {
		return err
	}
	l.isPostponed(&unwritten{retyped{l.columns[column].was, column}})
	return nil
}

// writeComputed writes the cells of a computed column for all rows, with the newest timestamp of the row, in one
// transaction. Older versions of the rows have no value.
func (a *Alter) writeComputed(column int, fresh string) error {
	scan := a.altered.from.Cells()
	return a.writeCells(fresh, &scan, func(cursor kv.Cursor, put putCell) error {
		l := a.altered.looking(a.altered.storing(nil))
		l.emit = func(of int, cell []byte) error {
			if of != column || cell == nil {
				return nil
			}
			return put(l.key, l.newest, cell)
		}
		return l.rows(cursor)
	})
}
