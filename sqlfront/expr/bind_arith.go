package expr

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

var arithOps = map[string]ArithOp{
	sqlparser.PlusStr: Plus, sqlparser.MinusStr: Minus, sqlparser.MultStr: Times, sqlparser.DivStr: Divide,
	sqlparser.IntDivStr: IntDivide, sqlparser.ModStr: Modulo, sqlparser.BitAndStr: BitAnd, sqlparser.BitOrStr: BitOr,
	sqlparser.BitXorStr: BitXor, sqlparser.ShiftLeftStr: ShiftLeft, sqlparser.ShiftRightStr: ShiftRight,
}

func (b *Binder) bindBinary(e *sqlparser.BinaryExpr) (Node, error) {
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
	return &Arith{arithOps[e.Operator], numeric(n[0]), numeric(n[1])}, nil
}

func (b *Binder) bindUnary(e *sqlparser.UnaryExpr) (Node, error) {
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
		return &BitNot{numeric(x)}, nil
	case sqlparser.BangStr:
		return &Not{numeric(x)}, nil
	case sqlparser.BinaryStr, sqlparser.UBinaryStr:
		return &Cast{X: Encoded(x), To: ToBinary, Length: -1}, nil
	}
	return nil, mysqlerr.Unsupported(e.Operator)
}

// isBoolean reports whether an expression is TRUE or FALSE.
func isBoolean(n Node) bool {
	c, ok := n.(*Const)
	return ok && c.T.Bool
}

func (b *Binder) bindCase(e *sqlparser.CaseExpr) (Node, error) {
	var x, otherwise Node
	var err error
	if e.Expr != nil {
		if x, err = b.Bind(e.Expr); err != nil {
			return nil, err
		}
	}
	if x != nil && (isHex(x) || isBoolean(x)) { // compared with each as its type wants
		return b.bindSearched(x, e)
	}
	whens := make([]When, len(e.Whens))
	for i, w := range e.Whens {
		n, err := b.bindAll(w.Cond, w.Val)
		if err != nil {
			return nil, err
		}
		whens[i] = When{n[0], n[1]}
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
func (b *Binder) bindSearched(x Node, e *sqlparser.CaseExpr) (_ Node, err error) {
	whens := make([]When, len(e.Whens))
	for i, w := range e.Whens {
		n, err := b.bindAll(w.Cond, w.Val)
		if err != nil {
			return nil, err
		}
		if whens[i].Cond, err = newCompare(Eq, x, n[0]); err != nil {
			return nil, err
		}
		whens[i].Then = n[1]
	}
	var otherwise Node
	if e.Else != nil {
		if otherwise, err = b.Bind(e.Else); err != nil {
			return nil, err
		}
	}
	return collatedCase("case", nil, whens, otherwise)
}

// newNeg is -x. That of a constant or an argument which has no negative of 64 bits
// is a DECIMAL.
func newNeg(x Node) Node {
	kind := x.Type().Kind
	if _, param := x.(*Param); kind != value.Uint && (kind != value.Int || param) {
		return &Neg{x} // as MariaDB has it of an argument
	}
	if tooLarge, _ := Ask(x, askNegative); tooLarge != 0 {
		if c, ok := x.(*Const); ok {
			return &Const{V: value.NewDecimal(c.V.AsDecimal().Neg())}
		}
		x = &Cast{X: x, To: ToDecimal, Length: value.MaxDigits}
	}
	return &Neg{x}
}
