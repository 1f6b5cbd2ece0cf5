package bind

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

var arithOps = map[string]expr.ArithOp{
	sqlparser.PlusStr: expr.Plus, sqlparser.MinusStr: expr.Minus, sqlparser.MultStr: expr.Times,
	sqlparser.DivStr: expr.Divide, sqlparser.IntDivStr: expr.IntDivide, sqlparser.ModStr: expr.Modulo,
	sqlparser.BitAndStr: expr.BitAnd, sqlparser.BitOrStr: expr.BitOr,
	sqlparser.BitXorStr: expr.BitXor, sqlparser.ShiftLeftStr: expr.ShiftLeft, sqlparser.ShiftRightStr: expr.ShiftRight,
}

func (b *Binder) bindBinary(e *sqlparser.BinaryExpr) (expr.Node, error) {
	if e.Operator == sqlparser.JSONExtractOp || e.Operator == sqlparser.JSONUnquoteExtractOp {
		return b.bindArrow(e.Operator, e.Left, e.Right)
	}
	if n, ok, err := b.bindIntervalArith(e); ok {
		return n, err
	}
	n, err := b.bindAll(e.Left, e.Right)
	if err != nil {
		return nil, err
	}
	return &expr.Arith{Op: arithOps[e.Operator], L: numeric(n[0]), R: numeric(n[1])}, nil
}

func (b *Binder) bindUnary(e *sqlparser.UnaryExpr) (expr.Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	switch e.Operator {
	case sqlparser.UMinusStr:
		return newNeg(numeric(x)), nil
	case sqlparser.UPlusStr:
		return x, nil
	case sqlparser.TildaStr:
		return &expr.BitNot{X: numeric(x)}, nil
	case sqlparser.BangStr:
		return &expr.Not{X: numeric(x)}, nil
	case sqlparser.BinaryStr, sqlparser.UBinaryStr:
		return &expr.Cast{X: expr.Encoded(x), To: expr.ToBinary, Length: -1}, nil
	}
	return nil, mysqlerr.Unsupported(e.Operator)
}

// isBoolean reports whether an expression is TRUE or FALSE.
func isBoolean(n expr.Node) bool {
	c, ok := n.(*expr.Const)
	return ok && c.T.Bool
}

func (b *Binder) bindCase(e *sqlparser.CaseExpr) (expr.Node, error) {
	var x, otherwise expr.Node
	var err error
	if e.Expr != nil {
		if x, err = b.Bind(e.Expr); err != nil {
			return nil, err
		}
	}
	if x != nil && (isHex(x) || isBoolean(x) || member.Is(x)) { // compared with each as its type requires
		return b.bindSearched(x, e)
	}
	whens := make([]expr.When, len(e.Whens))
	for i, w := range e.Whens {
		n, err := b.bindAll(w.Cond, w.Val)
		if err != nil {
			return nil, err
		}
		whens[i] = expr.When{Cond: n[0], Then: n[1]}
		if x == nil {
			whens[i].Cond = numeric(n[0])
		} else {
			whens[i].Cond = comparedWith(n[0], x)
		}
	}
	if e.Else != nil {
		if otherwise, err = b.Bind(e.Else); err != nil {
			return nil, err
		}
	}
	return collatedCase("case", x, whens, otherwise)
}

// bindSearched binds CASE of a literal as a CASE of conditions.
func (b *Binder) bindSearched(x expr.Node, e *sqlparser.CaseExpr) (_ expr.Node, err error) {
	whens := make([]expr.When, len(e.Whens))
	for i, w := range e.Whens {
		n, err := b.bindAll(w.Cond, w.Val)
		if err != nil {
			return nil, err
		}
		if whens[i].Cond, err = newCompare(expr.Eq, x, n[0]); err != nil {
			return nil, err
		}
		whens[i].Then = n[1]
	}
	var otherwise expr.Node
	if e.Else != nil {
		if otherwise, err = b.Bind(e.Else); err != nil {
			return nil, err
		}
	}
	return collatedCase("case", nil, whens, otherwise)
}

// newNeg is -x. For a constant or an argument whose negative does not fit into 64 bits it is a DECIMAL.
func newNeg(x expr.Node) expr.Node {
	kind := x.Type().Kind
	if _, param := x.(*expr.Param); kind != value.Uint && (kind != value.Int || param) {
		return &expr.Neg{X: x} // as in MariaDB for an argument
	}
	if tooLarge, _ := expr.Ask(x, askNegative); tooLarge != 0 {
		if c, ok := x.(*expr.Const); ok {
			return &expr.Const{V: value.NewDecimal(c.V.AsDecimal().Neg())}
		}
		x = &expr.Cast{X: x, To: expr.ToDecimal, Length: value.MaxDigits}
	}
	return &expr.Neg{X: x}
}
