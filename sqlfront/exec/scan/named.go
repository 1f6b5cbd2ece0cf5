package scan

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// namer makes of a condition what EXPLAIN shows of it: names stand for what has its value only
// when the access is opened, such as <e.V> and <left(e.V,4)>.
type namer struct {
	*Access
	x *op.Frame
	// quote has a name stand for itself where it is put.
	quote *strings.Replacer
	// length is how many bytes a value has that is compared with so many of a key; 0 is any.
	length int
}

var (
	asIs      = strings.NewReplacer()
	inPattern = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`) // of LIKE
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

// Beside is the namer of what an operand is compared with.
func (n namer) Beside(operand expr.Node) namer {
	n.length = constrain.PrefixLength(operand, n.Columns, &n.x.Env)
	return n
}

// value names the largest parts that are given. What is known of CONCAT is that it begins and
// ends as its arguments do.
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

// isGiven reports whether a value is made of columns of other relations.
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

// name is the constant that stands for what is given.
func (n namer) name(v expr.Node) expr.Node {
	t := v.Type()
	name := []byte(n.quote.Replace("<" + strings.ReplaceAll(expr.Print(v), "`", "") + ">"))
	if n.length > 0 {
		name = n.x.Stmt.StandIn(name, n.length)
	}
	if t.Kind.IsString() { // as bytes: text would be all that is spelled otherwise, too
		return &expr.Const{V: value.NewBytes(name), T: t}
	}
	return &expr.Const{V: value.NewInt(1), T: t}
}
