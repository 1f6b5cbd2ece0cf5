package write

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/go-sql-driver/mysql"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// The columns of every table, by their index. Generated columns follow.
const (
	colK = iota
	colQ
	colT
	colV
)

// target is the table that UPDATE and DELETE change, and how its rows are
// found.
type target struct {
	table    *kv.Table
	relation *relation.Relation
	rows     *plan.Select
	exprs    *plan.RowExprs
	// rereads is true where the statement reads its table in subqueries too.
	rereads bool
}

// Exprs are the values of the assignments.
func (s *target) Exprs() *plan.RowExprs { return s.exprs }

// Reads is the SELECT that finds the rows.
func (s *target) Reads() *plan.Select { return s.rows }

// Target is the table's alias.
func (s *target) Target() string { return s.relation.Alias }

// writable is the view that a statement acts through. Those that restrict times
// are for reading (1235).
func writable(ctx *exec.Context, r *relation.Relation) (versions.View, error) {
	view, err := r.View.Resolve(ctx.View, ctx.Env)
	if err == nil && !view.Writable() {
		err = mysqlerr.Unsupported("UPDATE or DELETE of an as-of, time-range or period view")
	}
	return view, err
}

// before is the context in which a statement runs: one that reads what it writes
// sees nothing of what it wrote itself. Bad values are errors in all that it reads, as
// in MySQL's strict mode, or V = 0 would delete every text that is no number; IGNORE
// makes warnings of them, and so does a session without that mode.
func before(ctx *exec.Context, rereads, ignore bool) *exec.Context {
	ctx.Env.Strict = !ignore && !loose(ctx)
	if !rereads && !ignore {
		return ctx
	}
	out := *ctx
	out.Ignore = ignore
	if rereads {
		out.At = ctx.Txn.Savepoint()
	}
	return &out
}

// loose reports whether the session's sql_mode is not strict.
func loose(ctx *exec.Context) bool { return ctx.Env.Session != nil && ctx.Env.Session.Loose }

// preparer plans one statement.
type preparer struct {
	*plan.Planner
	parsed *ast.Parsed
}

// Prepare plans an INSERT, REPLACE, UPDATE or DELETE.
func Prepare(p *plan.Planner, parsed *ast.Parsed) (Statement, error) {
	prep := &preparer{Planner: p, parsed: parsed}
	switch st := parsed.Stmt.(type) {
	case *ast.Insert:
		return prep.insert(st)
	case *ast.Update:
		return prep.update(st)
	case *ast.Delete:
		return prep.delete(st)
	}
	return nil, mysqlerr.Unsupported("this statement")
}

// named finds a table that can be changed, which takes such rights; verb is for the
// error's sentence.
func (p *preparer) named(table *ast.Table, hints ast.Hints, alias, verb string,
	want rights.Privileges) (*relation.Relation, error) {
	if table.Common != nil {
		return nil, notUpdatable(table.Name.String(), verb)
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
	case r.Table() == nil:
		return nil, NotUpdatable(r, verb)
	}
	r.Restrict(&p.Resolver)
	return r, nil
}

func notUpdatable(name, verb string) *mysql.MySQLError {
	return mysqlerr.New(mysqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", name, verb)
}

// NotUpdatable is 1288 for a relation that is no table. Of a table group, whose virtual table is
// read-only, it names the families: a shell takes $family out of a name that it is not told to
// leave.
func NotUpdatable(r *relation.Relation, verb string) error {
	err := notUpdatable(r.Name, verb)
	if names := r.FamilyTables(); len(names) > 0 {
		err.Message += "; " + r.Name + " is a table group, and its tables are " + mysqlerr.Some(names) +
			" (in a shell a name with $ needs single quotes)"
	}
	return err
}

// single is the one table of UPDATE or DELETE.
func (p *preparer) single(from sqlparser.TableExprs, hints ast.Hints, verb string,
	want rights.Privileges) (*relation.Relation, error) {
	aliased := from[0].(*sqlparser.AliasedTableExpr)
	table, ok := aliased.Expr.(*ast.Table)
	if !ok {
		return nil, notUpdatable(aliased.As.String(), verb)
	}
	return p.named(table, hints, aliased.As.String(), verb, want)
}

// find plans the SELECT of the columns of the rows to change; no columns are
// all of them.
func (p *preparer) find(r *relation.Relation, hints ast.Hints, sel *sqlparser.Select, columns ...string) (target, error) {
	for _, c := range columns {
		sel.SelectExprs = append(sel.SelectExprs, ast.NewItem(&sqlparser.ColName{Name: sqlparser.NewColIdent(c)}))
	}
	if len(columns) == 0 {
		sel.SelectExprs = sqlparser.SelectExprs{&sqlparser.StarExpr{}}
	}
	for _, o := range sel.OrderBy { // an item of that name would be found first
		if c, ok := o.Expr.(*sqlparser.ColName); ok {
			if err := r.Read(c.Name.String()); err != nil {
				return target{}, err
			}
		}
	}
	rows, err := p.SelectPlain(p.parsed, &ast.Select{Node: sel, Hints: hints}, []*relation.Relation{r}, len(sel.SelectExprs))
	if err != nil {
		return target{}, err
	}
	t := target{table: r.Table(), relation: r, rows: rows, exprs: p.RowExprs(p.parsed, hints, r)}
	t.rereads = rereads(r, rows.Reads()[1:])
	return t, nil
}

// rereads reports whether a statement that changes r reads its table besides.
// MySQL 5.7 refuses most such statements (1093); here they read the table as it
// was when the statement began, as MariaDB has them.
func rereads(r *relation.Relation, reads []*relation.Relation) bool {
	return slices.ContainsFunc(reads, func(read *relation.Relation) bool { return read.Holds(r.Table()) })
}

func (p *preparer) update(st *ast.Update) (Statement, error) {
	if isJoin(st.Node.TableExprs) {
		return p.updateJoin(st)
	}
	r, err := p.single(st.Node.TableExprs, st.Hints, "UPDATE", rights.Update)
	if err != nil {
		return nil, err
	}
	t, err := p.find(r, st.Hints, &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where,
		OrderBy: st.Node.OrderBy, Limit: st.Node.Limit})
	if err != nil {
		return nil, err
	}
	set, err := assignments(r, t.exprs.Binder(nil), st.Node.Exprs)
	if err != nil {
		return nil, err
	}
	t.rereads = t.rereads || rereads(r, t.exprs.Reads())
	return &Update{target: t, set: set, ignore: st.Ignore}, nil
}

func (p *preparer) delete(st *ast.Delete) (Statement, error) {
	if st.Node.Targets != nil {
		return p.deleteNamed(st)
	}
	return p.deleteOne(st)
}

func (p *preparer) deleteOne(st *ast.Delete) (Statement, error) {
	r, err := p.single(st.Node.TableExprs, st.Hints, "DELETE", rights.Delete)
	if err != nil {
		return nil, err
	}
	t, err := p.find(r, st.Hints, &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where,
		OrderBy: st.Node.OrderBy, Limit: st.Node.Limit}, relation.ColumnK, relation.ColumnQ, relation.ColumnT)
	if err != nil {
		return nil, err
	}
	return &Delete{target: t, ignore: st.Ignore}, nil
}

// assignments binds SET or ON DUPLICATE KEY UPDATE. An assignment of DEFAULT
// to a generated column says nothing and is left out.
func assignments(r *relation.Relation, b *bind.Binder, exprs sqlparser.UpdateExprs) ([]assignment, error) {
	out := []assignment{}
	for _, e := range exprs {
		column, err := columnOf(r, e.Name)
		if err != nil {
			return nil, err
		}
		a := assignment{column: column}
		if !isDefault(e.Expr, r.Columns[column].Name) {
			if column > colV {
				return nil, generatedValue(r.Table(), column)
			}
			if a.node, err = bindFor(b, column, e.Expr); err != nil {
				return nil, err
			}
		}
		if column <= colV {
			out = append(out, a)
		}
	}
	return out, nil
}

// columnOf is the column that an assignment's left side names.
func columnOf(r *relation.Relation, name *sqlparser.ColName) (int, error) {
	if table := name.Qualifier.Name.String(); table != "" && table != r.Alias {
		return 0, unknownColumn(table + "." + name.Name.String())
	}
	return columnNamed(r, name.Name.String())
}

func columnNamed(r *relation.Relation, name string) (int, error) {
	if i := r.Find(name); i >= 0 {
		return i, nil
	}
	return 0, unknownColumn(name)
}

func unknownColumn(name string) error {
	return mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", name)
}

// isDefault reports whether the expression is DEFAULT, or DEFAULT of the column
// that it is assigned to.
func isDefault(e sqlparser.Expr, column string) bool {
	d, ok := e.(*sqlparser.Default)
	return ok && (d.ColName == "" || strings.EqualFold(d.ColName, column))
}
