package change

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// WithExtra adds to the SELECT of an INSERT the columns of its tables that ON DUPLICATE KEY UPDATE
// reads, which MySQL allows if it has neither GROUP BY, DISTINCT nor UNION
// (https://dev.mysql.com/doc/refman/5.7/en/insert-on-duplicate.html).
func WithExtra(r *relation.Relation, rows sqlparser.SelectStatement,
	onDuplicate sqlparser.UpdateExprs) (sqlparser.SelectStatement, []*sqlparser.ColName) {
	sel, ok := rows.(*sqlparser.Select)
	if !ok || sel.Distinct != "" || len(sel.GroupBy) > 0 {
		return rows, nil
	}
	var extra []*sqlparser.ColName
	for _, e := range onDuplicate {
		extra = appendForeign(extra, r, e.Expr)
	}
	if len(extra) == 0 {
		return rows, nil
	}
	out := *sel
	out.SelectExprs = slices.Clone(sel.SelectExprs)
	for _, c := range extra {
		out.SelectExprs = append(out.SelectExprs, ast.NewItem(c))
	}
	return &out, extra
}

// appendForeign appends the columns in e that are not r's, each once. Subqueries and VALUES() have
// their own.
func appendForeign(list []*sqlparser.ColName, r *relation.Relation, e sqlparser.Expr) []*sqlparser.ColName {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Subquery, *sqlparser.ValuesFuncExpr:
			return false, nil
		case *sqlparser.ColName:
			same := func(c *sqlparser.ColName) bool { return sqlparser.String(c) == sqlparser.String(n) }
			if !slices.ContainsFunc(list, same) && isForeign(r, n) {
				list = append(list, n)
			}
		}
		return true, nil
	}, e)
	return list
}

func isForeign(r *relation.Relation, c *sqlparser.ColName) bool {
	if table := c.Qualifier.Name.String(); table != "" {
		return table != r.Alias
	}
	return r.Find(c.Name.String()) < 0
}

// Duplicates resolves the names in ON DUPLICATE KEY UPDATE. Its rows have the columns of the
// existing row, followed by those of the given one, which VALUES() reads, and by the extra columns
// of the SELECT.
type Duplicates struct {
	Exprs    *plan.RowExprs
	Relation *relation.Relation
	// Source is the SELECT that gives the rows, nil for VALUES: the first Given of its columns are
	// values, and Extra are the others.
	Source *plan.Select
	Given  int
	Extra  []*sqlparser.ColName
}

// Binder returns the binder of the assignments.
func (d *Duplicates) Binder() *bind.Binder {
	r := d.Relation
	d.Exprs.SetValues(func(name string) (expr.Node, error) {
		i, err := ColumnNamed(r, name)
		if err != nil {
			return nil, err
		}
		return &expr.Column{Index: len(r.Columns) + i, Name: name, T: r.Columns[i].Type}, nil
	})
	return d.Exprs.Binder(d)
}

// Resolve finds a column of the table, or of the SELECT's tables. The error is 1054 if there is
// none, and 1052 if both have one.
func (d *Duplicates) Resolve(table, column string) (expr.Node, error) {
	n, err := d.Exprs.Resolve(table, column)
	if err == nil && d.Source != nil && d.Source.Has(table, column) {
		return nil, relation.Ambiguous(column, "field list")
	}
	if !mysqlerr.Is(err, mysqlerr.BadField) {
		return n, err
	}
	for i, c := range d.Extra {
		if c.Qualifier.Name.String() == table && c.Name.EqualString(column) {
			return &expr.Column{Index: 2*len(d.Relation.Columns) + i, Name: column, T: d.Source.Columns[d.Given+i].Type}, nil
		}
	}
	return nil, err
}
