package scan

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// namer converts a condition for EXPLAIN: names such as <e.V> and <left(e.V,4)> replace values that
// are known only when the access is opened.
type namer struct {
	*Access
	x *op.Frame
	// quote escapes a name for its place.
	quote *strings.Replacer
	// length is the number of bytes of the key with which a value is compared; 0 for any.
	length int
}

var (
	asIs      = strings.NewReplacer()
	inPattern = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`) // for LIKE
)

func (a *Access) named(x *op.Frame, n expr.Node) expr.Node {
	return namer{Access: a, x: x, quote: asIs}.condition(n)
}

func (n namer) condition(c expr.Node) expr.Node {
	switch at := c.(type) {
	case KeySubquery:
		return c
	case *expr.Compare:
		return expr.RewriteOperands(c, func(operand expr.Node) expr.Node {
			other := at.L
			if operand == at.L {
				other = at.R
			}
			return n.Beside(other).value(operand)
		})
	case *expr.In:
		return expr.RewriteOperands(c, n.Beside(at.X).value)
	case *expr.Like:
		return expr.RewriteOperands(c, func(operand expr.Node) expr.Node {
			if operand == at.Pattern && at.Escape == nil {
				return namer{Access: n.Access, x: n.x, quote: inPattern}.value(operand)
			}
			return n.condition(operand)
		})
	}
	return n.value(c)
}

// Beside returns the namer for the value with which an operand is compared.
func (n namer) Beside(operand expr.Node) namer {
	n.length = constrain.PrefixLength(operand, n.Columns, &n.x.Env)
	return n
}

// value names the largest parts that are given. CONCAT is known to begin and end as its arguments
// do.
func (n namer) value(v expr.Node) expr.Node {
	c, ok := v.(*expr.Call)
	concat := ok && c.Name == "CONCAT" && n.length == 0
	if !concat && n.isGiven(v) {
		return n.name(v)
	}
	if concat {
		return expr.RewriteOperands(v, n.value)
	}
	return expr.RewriteOperands(v, namer{Access: n.Access, x: n.x, quote: asIs}.condition)
}

// isGiven reports whether a value is computed from columns of other relations.
func (n namer) isGiven(v expr.Node) bool {
	if !expr.Reads(v, n.Given) || !expr.OnlyColumns(v, n.Given) {
		return false
	}
	switch v.(type) {
	case *expr.Column, *expr.Call, *expr.Arith:
		return true
	}
	return v.Type().Kind.IsString()
}

// name returns the constant that replaces a given value.
func (n namer) name(v expr.Node) expr.Node {
	t := v.Type()
	name := []byte(n.quote.Replace("<" + strings.ReplaceAll(expr.Print(v), "`", "") + ">"))
	if n.length > 0 {
		name = n.x.Stmt.StandIn(name, n.length)
	}
	if t.Kind.IsString() { // as bytes: a text would match other spellings, too
		return &expr.Const{V: value.NewBytes(name), T: t}
	}
	return &expr.Const{V: value.NewInt(1), T: t}
}
