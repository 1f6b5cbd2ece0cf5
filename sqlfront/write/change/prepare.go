package change

import (
	"io"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Preparer plans statements that change rows.
type Preparer struct {
	*plan.Planner
	Parsed *ast.Parsed
}

// Named finds a table that can be changed, and checks these privileges; verb is for error messages.
func (p *Preparer) Named(table *ast.Table, hints ast.Hints, alias, verb string,
	want rights.Privileges) (*relation.Relation, error) {
	if table.Common != nil {
		return nil, NonUpdatable(table.Name.String(), verb)
	}
	if err := p.Allow(want, table); err != nil {
		return nil, err
	}
	r, err := p.TableNamed(hints, table, alias)
	if err != nil {
		return nil, err
	}
	switch {
	case r.IsVirtual():
		return nil, mysqlerr.CatalogDenied(verb, r.Database, r.Name)
	case r.Table() == nil && r.Typed == nil:
		return nil, NotUpdatable(r, verb)
	case r.Typed != nil && table.Period != nil:
		return nil, mysqlerr.Unsupported(verb + " with FOR SYSTEM_TIME")
	}
	r.Restrict(&p.Resolver)
	return r, nil
}

// NonUpdatable returns error 1288 for a name; verb is for the message.
func NonUpdatable(name, verb string) *mysql.MySQLError {
	return mysqlerr.New(mysqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", name, verb)
}

// NotUpdatable returns error 1288 for a relation that is not a table. For a table group, whose virtual table
// is read-only, it names the families and mentions quoting, because shells replace an unquoted $family.
func NotUpdatable(r *relation.Relation, verb string) error {
	err := NonUpdatable(r.Name, verb)
	if names := r.FamilyTables(); len(names) > 0 {
		err.Message += "; " + r.Name + " is a table group, and its tables are " + mysqlerr.Some(names) +
			" (in a shell a name with $ needs single quotes)"
	}
	return err
}

// Single finds the only table of UPDATE or DELETE.
func (p *Preparer) Single(from sqlparser.TableExprs, hints ast.Hints, verb string,
	want rights.Privileges) (*relation.Relation, error) {
	aliased := from[0].(*sqlparser.AliasedTableExpr)
	table, ok := aliased.Expr.(*ast.Table)
	if !ok {
		return nil, NonUpdatable(aliased.As.String(), verb)
	}
	return p.Named(table, hints, aliased.As.String(), verb, want)
}

// Found is the table that UPDATE and DELETE change, and how its rows are found.
type Found struct {
	Relation *relation.Relation
	Rows     *plan.Select
	Values   *plan.RowExprs // for the assignments
	// Rereads is true if the statement also reads its table in subqueries.
	Rereads bool
}

// Exprs returns the expressions of the assignments.
func (f *Found) Exprs() *plan.RowExprs { return f.Values }

// Reads returns the SELECT that finds the rows.
func (f *Found) Reads() *plan.Select { return f.Rows }

// Target returns the table's alias.
func (f *Found) Target() string { return f.Relation.Alias }

// Find plans the SELECT of the columns that changing a row needs. values are those of the assignments.
func (p *Preparer) Find(r *relation.Relation, values *plan.RowExprs, hints ast.Hints, sel *sqlparser.Select) (Found, error) {
	if err := readOrder(r, sel.OrderBy); err != nil {
		return Found{}, err
	}
	rows, err := p.SelectPlain(p.Parsed, &ast.Select{Node: sel, Hints: hints}, []*relation.Relation{r}, len(sel.SelectExprs))
	if err != nil {
		return Found{}, err
	}
	return Found{r, rows, values, Rereads(r, rows.Reads()[1:])}, nil
}

// readOrder checks the privilege to read the columns of ORDER BY: the items of the SELECT with their names
// are exempt from that check.
func readOrder(r *relation.Relation, by sqlparser.OrderBy) error {
	for _, o := range by {
		if c, ok := o.Expr.(*sqlparser.ColName); ok {
			if err := r.Read(c.Name.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Rereads reports whether a statement that changes r also reads its table. MySQL 5.7 refuses most such
// statements (1093); here they read the table as it was when the statement began, as in MariaDB.
func Rereads(r *relation.Relation, reads []*relation.Relation) bool {
	return slices.ContainsFunc(reads, r.Shares)
}

// ColumnOf returns the column on an assignment's left side. The error is 1054 if there is none.
func ColumnOf(r *relation.Relation, name *sqlparser.ColName) (int, error) {
	if table := name.Qualifier.Name.String(); table != "" && table != r.Alias {
		return 0, unknownColumn(table + "." + name.Name.String())
	}
	return ColumnNamed(r, name.Name.String())
}

// ColumnNamed returns the index of the column with that name. The error is 1054 if there is none.
func ColumnNamed(r *relation.Relation, name string) (int, error) {
	if i := r.Find(name); i >= 0 {
		return i, nil
	}
	return 0, unknownColumn(name)
}

func unknownColumn(name string) error {
	return mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", name)
}

// IsDefault reports whether the expression is DEFAULT, or DEFAULT of the column
// that it is assigned to.
func IsDefault(e sqlparser.Expr, column string) bool {
	d, ok := e.(*sqlparser.Default)
	return ok && (d.ColName == "" || strings.EqualFold(d.ColName, column))
}

// InsertColumns returns the named columns, or all of the table's. An INSERT of only defaults has none.
func InsertColumns(r *relation.Relation, node *sqlparser.Insert) ([]int, error) {
	var out []int
	if len(node.Columns) == 0 {
		if rows, ok := node.Rows.(sqlparser.Values); ok && len(rows) > 0 && len(rows[0]) == 0 {
			return nil, nil
		}
		for i := range r.Columns {
			if !r.Columns[i].Hidden {
				out = append(out, i)
			}
		}
		return out, nil
	}
	seen := map[int]bool{}
	if err := checkCounts(node); err != nil {
		return nil, err
	}
	for _, name := range node.Columns {
		i, err := ColumnNamed(r, name.String())
		if err != nil {
			return nil, err
		}
		if seen[i] {
			return nil, mysqlerr.New(mysqlerr.FieldSpecifiedTwice, "Column '%s' specified twice", name.String())
		}
		seen[i] = true
		out = append(out, i)
	}
	return out, nil
}

// checkCounts checks the first row, as MySQL does before it checks the columns, but leaves SELECTs with * to
// the planner.
func checkCounts(node *sqlparser.Insert) error {
	given := -1
	switch rows := node.Rows.(type) {
	case sqlparser.Values:
		given = len(rows[0])
	case *sqlparser.Select:
		given = len(rows.SelectExprs)
		for _, e := range rows.SelectExprs {
			if _, star := e.(*sqlparser.StarExpr); star {
				return nil
			}
		}
	}
	if given >= 0 && given != len(node.Columns) {
		return WrongCount(1)
	}
	return nil
}

// WrongCount returns error 1136.
func WrongCount(row int) error {
	return mysqlerr.New(mysqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d", row)
}

// Before prepares the context in which a statement runs. A statement that reads the table that it changes sees
// none of its own changes. Bad values are errors in everything that it reads, as in MySQL's strict mode:
// otherwise V = 0 would delete every text that is not a number. With IGNORE, or in a session without that
// mode, they are warnings.
func Before(ctx *exec.Context, rereads, ignore bool) {
	ctx.Env.Strict, ctx.Ignore = !ignore && !Loose(ctx), ignore
	if rereads {
		ctx.At = ctx.Txn.Savepoint()
	}
}

// Loose reports whether the session's sql_mode is not strict.
func Loose(ctx *exec.Context) bool { return ctx.Env.Session != nil && ctx.Env.Session.Loose }

// EachRow calls fn for each row of the SELECT that finds the rows to change, unless all, which may be nil,
// has processed them together.
func EachRow(c *exec.Context, sel *plan.Select, all func(*exec.Rows) (bool, error), fn func([]value.Value) error) error {
	rows, err := sel.Open(c)
	if err != nil {
		return err
	}
	defer rows.Close()
	if all != nil {
		if done, err := all(rows); done || err != nil {
			return err
		}
	}
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

// The columns of every table, by their index. Generated columns follow.
const (
	ColK = iota
	ColQ
	ColT
	ColV
)
