package parse

import "github.com/xwb1989/sqlparser"

// Shareable reports whether a statement that Lift made means with its
// placeholders what it would mean with the literals, wherever the table is a
// stored one: it reads that one table, and each placeholder is compared with a
// column by a condition of WHERE that has no other part in an expression, or is
// all that a column is set to.
func Shareable(p *Parsed) (*Table, bool) {
	var from sqlparser.TableExprs
	var where *sqlparser.Where
	found := 0
	switch st := p.Stmt.(type) {
	case *Select:
		node, ok := st.Node.(*sqlparser.Select)
		if !ok {
			return nil, false
		}
		from, where = node.From, node.Where
	case *Update:
		from, where = st.Node.TableExprs, st.Node.Where
		for _, e := range st.Node.Exprs {
			found += placeholders(e.Expr)
		}
	case *Delete:
		from, where = st.Node.TableExprs, st.Node.Where
	}
	if where != nil {
		found += comparedInside(where.Expr)
	}
	table, ok := onlyTable(from)
	return table, ok && found > 0 && found == p.NumParams
}

// onlyTable is the one table of a FROM.
func onlyTable(from sqlparser.TableExprs) (*Table, bool) {
	if len(from) != 1 {
		return nil, false
	}
	aliased, ok := from[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return nil, false
	}
	table, ok := aliased.Expr.(*Table)
	return table, ok && table.Common == nil
}

// comparedInside counts the placeholders of the conditions that AND, OR and NOT
// join to the whole.
func comparedInside(e sqlparser.Expr) int {
	switch e := e.(type) {
	case *sqlparser.AndExpr:
		return comparedInside(e.Left) + comparedInside(e.Right)
	case *sqlparser.OrExpr:
		return comparedInside(e.Left) + comparedInside(e.Right)
	case *sqlparser.NotExpr:
		return comparedInside(e.Expr)
	case *sqlparser.ParenExpr:
		return comparedInside(e.Expr)
	case *sqlparser.RangeCond:
		if isName(e.Left) {
			return placeholders(e.From, e.To)
		}
	case *sqlparser.ComparisonExpr:
		if isName(e.Left) {
			return comparedWith(e)
		}
	}
	return 0
}

func comparedWith(e *sqlparser.ComparisonExpr) int {
	switch e.Operator {
	case sqlparser.EqualStr, sqlparser.NotEqualStr, sqlparser.LessThanStr, sqlparser.LessEqualStr,
		sqlparser.GreaterThanStr, sqlparser.GreaterEqualStr:
		return placeholders(e.Right)
	case sqlparser.LikeStr, sqlparser.NotLikeStr:
		if e.Escape == nil {
			return placeholders(e.Right)
		}
	case sqlparser.InStr, sqlparser.NotInStr:
		if list, ok := e.Right.(sqlparser.ValTuple); ok {
			return placeholders(list...)
		}
	}
	return 0
}

func isName(e sqlparser.Expr) bool {
	_, ok := e.(*sqlparser.ColName)
	return ok
}

func placeholders(list ...sqlparser.Expr) int {
	n := 0
	for _, e := range list {
		if _, ok := e.(*Param); ok {
			n++
		}
	}
	return n
}
