package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// wholeDigits is the maximum number of digits before the number's point.
func wholeDigits(n Node) int {
	if n.Type().Kind == value.Decimal {
		if digits, ok := Ask(n, function.Whole); ok {
			return digits
		}
	}
	switch n := n.(type) {
	case *Const:
		return value.WholeDigits(n.V)
	case *Neg:
		return wholeDigits(n.X)
	case *Arith:
		return n.wholeDigits()
	case *Cast:
		if n.To == ToDecimal {
			return castDigits(n) - n.Scale
		}
	case *Case:
		return n.wholeDigits()
	case *Call:
		return n.wholeDigits()
	}
	return typeDigits(n.Type())
}

func (c *Case) wholeDigits() int {
	most := 1
	for _, w := range c.Whens {
		most = max(most, wholeDigits(w.Then))
	}
	if c.Else != nil {
		most = max(most, wholeDigits(c.Else))
	}
	return most
}

// widthKept are the functions whose result is about as long as their arguments; other functions return short
// integers.
var widthKept = map[string]bool{"ABS": true, "ROUND": true, "TRUNCATE": true, "CEILING": true, "CEIL": true, "FLOOR": true, "GREATEST": true,
	"LEAST": true, "COALESCE": true, "IFNULL": true, "ANY_VALUE": true}

// intDigits is the number of digits of an INT.
const intDigits = 10

func (c *Call) wholeDigits() int {
	switch {
	case widthKept[c.Name]:
		most := 1
		for _, a := range c.Args {
			most = max(most, wholeDigits(a))
		}
		return most + 1
	case c.typ.Kind == value.Int && c.Name != "BYTES_TO_LONG":
		return intDigits
	}
	return typeDigits(c.typ)
}

func castDigits(c *Cast) int {
	if c.Length > 0 {
		return c.Length
	}
	return 10
}

func (a *Arith) wholeDigits() int {
	l, r := wholeDigits(a.L), wholeDigits(a.R)
	switch a.Op {
	case Plus, Minus:
		return max(l, r) + 1
	case Times:
		return l + r
	case Divide:
		return l + a.R.Type().Decimals
	case Modulo:
		return min(l, r)
	}
	return typeDigits(a.Type())
}

// typeDigits is the number of digits by type, if the expression does not tell. For a DECIMAL it is its length
// without sign and point.
func typeDigits(t value.Type) int {
	switch {
	case t.Bool:
		return 1
	case t.Kind == value.Int:
		return value.IntDigits + 1
	case t.Kind == value.Decimal && t.Length > 0:
		digits := t.Length - 1
		if t.Decimals > 0 {
			digits--
		}
		return digits - t.Decimals
	}
	return value.MaxDigits
}
