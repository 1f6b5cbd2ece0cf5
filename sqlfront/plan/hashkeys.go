package plan

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// hashKeys are pairs of expressions, one of each side, of one kind, that must
// be equal.
func (b *blockPlanner) hashKeys(j *joinItem, both []expr.Node) (left, right []expr.Node) {
	for _, n := range both {
		c, ok := n.(*expr.Compare)
		if !ok || c.Op != expr.Eq || expr.IsVolatile(c) {
			continue
		}
		l, r, ok := hashable(c.L, c.R)
		switch {
		case !ok:
		case b.within(j.left, c.L) && b.within(j.right, c.R):
			left, right = append(left, l), append(right, r)
		case b.within(j.left, c.R) && b.within(j.right, c.L):
			left, right = append(left, r), append(right, l)
		}
	}
	return left, right
}

// hashable are two expressions whose keys are equal exactly where a and b are:
// these themselves, or the bytes of strings of which one is binary.
func hashable(a, b expr.Node) (x, y expr.Node, ok bool) {
	s, t := a.Type(), b.Type()
	plainA, plainB := isColumn(a), isColumn(b)
	switch {
	case plainA && plainB && s.Kind == t.Kind:
		return a, b, true
	case plainA && s.Kind == value.Bytes && givesString(b):
		return a, bytesOf(b), true
	case plainB && t.Kind == value.Bytes && givesString(a):
		return bytesOf(a), b, true
	case s.Kind == value.Bytes && t.Kind == value.Bytes && givesDeclared(a) && givesDeclared(b):
		return bytesOf(a), bytesOf(b), true
	}
	return nil, nil, false
}

// isColumn reports whether n is a plain column: of one, the kind of the values
// is the one declared.
func isColumn(n expr.Node) bool {
	_, ok := n.(*expr.Column)
	return ok
}

func bytesOf(n expr.Node) expr.Node {
	if c, ok := n.(*expr.Column); ok && c.T.Kind == value.Bytes {
		return n
	}
	return &expr.Cast{X: n, To: expr.ToBinary, Length: -1}
}

// stringFunctions give a string or NULL, whatever they are given.
var stringFunctions = map[string]bool{
	"SUBSTRING": true, "SUBSTR": true, "MID": true, "LEFT": true, "RIGHT": true, "SUBSTRING_INDEX": true, "CONCAT": true,
	"CONCAT_WS": true, "UPPER": true, "UCASE": true, "LOWER": true, "LCASE": true, "REPLACE": true, "REVERSE": true,
	"LPAD": true, "RPAD": true, "TRIM": true, "LTRIM": true, "RTRIM": true, "HEX": true, "UNHEX": true, "MD5": true,
	"SHA": true, "SHA1": true, "SHA2": true, "TO_BASE64": true, "FROM_BASE64": true,
}

// givesString reports whether all values of n are strings or NULL.
func givesString(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Column:
		return n.T.Kind.IsString()
	case *expr.Call:
		return stringFunctions[strings.ToUpper(n.Name)]
	case *expr.Cast:
		return n.To == expr.ToBinary || n.To == expr.ToChar
	}
	return false
}

// givesDeclared reports whether the values of n are NULL or of the kind declared: nothing in it
// chooses among values of several kinds.
func givesDeclared(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Column, *expr.Const, *expr.Param:
		return true
	case *expr.Cast:
		return givesString(n)
	case *expr.Call:
		return givesString(n) && strings.ToUpper(n.Name) != "CONCAT_WS" && // which leaves NULLs out
			!slices.ContainsFunc(n.Args, func(arg expr.Node) bool { return !givesDeclared(arg) })
	}
	return false
}
