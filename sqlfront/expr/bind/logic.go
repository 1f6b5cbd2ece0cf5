package bind

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// bindLogic flattens chains of AND and of OR into one node each.
func (b *Binder) bindLogic(e sqlparser.Expr) (expr.Node, error) {
	if not, ok := e.(*sqlparser.NotExpr); ok {
		x, err := b.Bind(not.Expr)
		if err != nil {
			return nil, err
		}
		return &expr.Not{X: numeric(x)}, nil
	}
	_, conjunction := e.(*sqlparser.AndExpr)
	list, err := b.bindChain(nil, e, conjunction)
	if err != nil {
		return nil, err
	}
	if conjunction {
		return &expr.And{List: list}, nil
	}
	return &expr.Or{List: list}, nil
}

// bindChain appends the members of a chain. It loops down the left side, where the parser nests long chains,
// so that their length needs no stack.
func (b *Binder) bindChain(list []expr.Node, e sqlparser.Expr, conjunction bool) ([]expr.Node, error) {
	members := chainMembers(e, conjunction)
	for _, m := range members {
		n, err := b.Bind(m)
		if err != nil {
			return nil, err
		}
		list = append(list, numeric(n))
	}
	return list, nil
}

func chainMembers(e sqlparser.Expr, conjunction bool) []sqlparser.Expr {
	var members []sqlparser.Expr
	todo := []sqlparser.Expr{e}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if left, right, ok := chainParts(e, conjunction); ok {
			todo = append(todo, right, left)
			continue
		}
		members = append(members, e)
	}
	return members
}

func chainParts(e sqlparser.Expr, conjunction bool) (left, right sqlparser.Expr, ok bool) {
	switch e := ast.Unparenthesized(e).(type) {
	case *sqlparser.AndExpr:
		return e.Left, e.Right, conjunction
	case *sqlparser.OrExpr:
		return e.Left, e.Right, !conjunction
	}
	return nil, nil, false
}

func (b *Binder) bindIs(e *sqlparser.IsExpr) (expr.Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	switch e.Operator {
	case sqlparser.IsNullStr:
		return &expr.IsNull{X: x}, nil
	case sqlparser.IsNotNullStr:
		return &expr.IsNull{X: x, Not: true}, nil
	}
	x = numeric(x)
	want := e.Operator == sqlparser.IsTrueStr || e.Operator == sqlparser.IsNotTrueStr
	not := e.Operator == sqlparser.IsNotTrueStr || e.Operator == sqlparser.IsNotFalseStr
	return &expr.IsTruth{X: x, Want: want, Not: not}, nil
}

var compareOps = map[string]expr.CompareOp{
	sqlparser.EqualStr: expr.Eq, sqlparser.NullSafeEqualStr: expr.NullSafeEq, sqlparser.NotEqualStr: expr.Ne,
	sqlparser.LessThanStr: expr.Lt, sqlparser.LessEqualStr: expr.Le,
	sqlparser.GreaterThanStr: expr.Gt, sqlparser.GreaterEqualStr: expr.Ge,
}

func (b *Binder) bindComparison(e *sqlparser.ComparisonExpr) (expr.Node, error) {
	switch e.Operator {
	case sqlparser.InStr, sqlparser.NotInStr:
		return b.bindIn(e)
	case sqlparser.LikeStr, sqlparser.NotLikeStr:
		return b.bindLike(e)
	case sqlparser.RegexpStr, sqlparser.NotRegexpStr:
		n, err := b.bindAll(e.Left, e.Right)
		if err == nil {
			n, err = collated("regexp", n)
		}
		if err != nil {
			return nil, err
		}
		n = expr.BesideBytes(n)
		return &expr.Regexp{X: n[0], Pattern: n[1], Not: e.Operator == sqlparser.NotRegexpStr}, nil
	}
	return b.bindCompare(compareOps[e.Operator], e.Left, e.Right)
}

func (b *Binder) bindCompare(op expr.CompareOp, left, right sqlparser.Expr) (expr.Node, error) {
	l, err := b.bindOperand(left)
	if err != nil {
		return nil, leftOf(isQuantified(right), left, err)
	}
	if n, ok, err := b.bindQuantified(op, l, right); ok {
		return n, err
	}
	if q, ok := right.(*sqlparser.Subquery); ok {
		if _, row := l.(*expr.Tuple); row {
			return b.bindSubquery(q, expr.SubqueryUse{Kind: expr.SubqueryRow, Left: l, Op: op})
		}
	}
	r, err := b.bind(right)
	if err != nil {
		return nil, err
	}
	return newCompare(op, l, r)
}

// bindOperand binds a left operand, which may be a row: (a, b), or a subquery with several columns.
func (b *Binder) bindOperand(e sqlparser.Expr) (expr.Node, error) {
	if q, ok := e.(*sqlparser.Subquery); ok {
		return b.bindSubquery(q, expr.SubqueryUse{Kind: expr.SubqueryOperand})
	}
	return b.bind(e)
}

// bindQuantified binds l op ANY (SELECT ..) and l op ALL (SELECT ..).
func (b *Binder) bindQuantified(op expr.CompareOp, l expr.Node, right sqlparser.Expr) (expr.Node, bool, error) {
	q, ok := right.(*ast.Quantified)
	if !ok {
		return nil, false, nil
	}
	if _, row := l.(*expr.Tuple); row {
		return nil, true, expr.OperandColumns(1)
	}
	use := expr.SubqueryUse{Kind: expr.SubqueryAny, Left: l, Op: op}
	switch {
	case !q.All && op == expr.Eq:
		use.Kind = expr.SubqueryIn // https://dev.mysql.com/doc/refman/8.0/en/any-in-some-subqueries.html
	case q.All && op == expr.Ne:
		use = expr.SubqueryUse{Kind: expr.SubqueryIn, Left: l, Op: expr.Eq, Not: true}
	case q.All:
		use.Kind = expr.SubqueryAll
	}
	n, err := b.bindSubquery(q.Subquery, use)
	return n, true, err
}

func (b *Binder) bindIn(e *sqlparser.ComparisonExpr) (expr.Node, error) {
	not := e.Operator == sqlparser.NotInStr
	x, err := b.bindOperand(e.Left)
	if err != nil {
		_, ofSubquery := e.Right.(*sqlparser.Subquery)
		return nil, leftOf(ofSubquery, e.Left, err)
	}
	switch right := e.Right.(type) {
	case *sqlparser.Subquery:
		return b.bindSubquery(right, expr.SubqueryUse{Kind: expr.SubqueryIn, Left: x, Op: expr.Eq, Not: not})
	case sqlparser.ValTuple:
		list, err := b.bindRows(sqlparser.Exprs(right))
		if err != nil {
			return nil, err
		}
		return b.newIn(x, list, not)
	}
	return nil, mysqlerr.Unsupported("IN with a right side that is neither a list nor a subquery")
}

func (b *Binder) newIn(x expr.Node, list []expr.Node, not bool) (expr.Node, error) {
	all, err := collated("in", append([]expr.Node{x}, list...))
	if err != nil {
		return nil, err
	}
	x, list = all[0], all[1:]
	var others []expr.Node // comparisons with items, x being converted for them
	rest := list[:0:0]
	for _, item := range list {
		if err := b.Meter.Step(bindUnits); err != nil {
			return nil, err
		}
		n, err := compareCollated(expr.Eq, x, item)
		if err != nil {
			return nil, err
		}
		if c := n.(*expr.Compare); converted(x, c.L) {
			others = append(others, c)
		} else {
			rest = append(rest, c.R)
		}
	}
	if others == nil {
		return expr.NewIn(x, rest, not), nil
	}
	if len(rest) > 0 {
		others = append(others, expr.NewIn(x, rest, false))
	}
	if not {
		return &expr.Not{X: &expr.Or{List: others}}, nil
	}
	return &expr.Or{List: others}, nil
}

func (b *Binder) bindBetween(e *sqlparser.RangeCond) (expr.Node, error) {
	n, err := b.bindAll(e.Left, e.From, e.To)
	if err == nil {
		n, err = collated("between", n)
	}
	if err != nil {
		return nil, err
	}
	x, lo, hi := n[0], expr.IntFor(n[0], n[1]), expr.IntFor(n[0], n[2])
	if !isInt(lo) || !isInt(hi) {
		lo, hi = n[1], n[2]
	}
	for _, other := range n {
		x, lo, hi = comparedWith(x, other), comparedWith(lo, other), comparedWith(hi, other)
	}
	return expr.NewBetween(x, lo, hi, e.Operator == sqlparser.NotBetweenStr), nil
}

func isInt(n expr.Node) bool {
	c, ok := n.(*expr.Const)
	return ok && c.V.Kind() == value.Int
}

func (b *Binder) bindLike(e *sqlparser.ComparisonExpr) (expr.Node, error) {
	n, err := b.bindAll(e.Left, e.Right)
	if err == nil {
		n, err = collated("like", n)
	}
	if err != nil {
		return nil, err
	}
	n = expr.BesideBytes(n)
	like := &expr.Like{X: n[0], Pattern: n[1], Not: e.Operator == sqlparser.NotLikeStr}
	if e.Escape != nil {
		if like.Escape, err = b.Bind(e.Escape); err != nil {
			return nil, err
		}
		like.Escape = pinned(like.Escape)
		if _, ok := like.Escape.(*expr.Const); ok {
			_, err = like.EscapeByte(&expr.Env{})
		}
	}
	return like, err
}
