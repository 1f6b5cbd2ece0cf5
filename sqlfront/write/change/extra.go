package change

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// WithExtra adds to the SELECT that gives the rows of an INSERT what ON
// DUPLICATE KEY UPDATE reads of its tables, as MySQL allows where it neither
// groups nor unites
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

// appendForeign appends the columns in e that are not of r, each once.
// Subqueries and VALUES() have their own.
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
