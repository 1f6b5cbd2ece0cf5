package bind

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
)

// isHex reports whether n is a hex or bit literal.
func isHex(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Const:
		return n.Hex
	case *expr.Param:
		return n.Hex
	}
	return false
}

// Bigint is n for a BIGINT column. A hex literal of more than 8 bytes is out of its range.
func Bigint(n expr.Node) expr.Node {
	if !isHex(n) {
		return n
	}
	c, ok := pinned(n).(*expr.Const)
	if !ok {
		return n
	}
	return &expr.Const{V: arithmetic.HexBigint(c.V)}
}

// IsHex reports whether n is a hex or bit literal.
func IsHex(n expr.Node) bool { return isHex(n) }

// stringy is n in string context: a BIT is the bytes of its number.
func stringy(n expr.Node) expr.Node {
	t := n.Type()
	if !t.IsBit() {
		return n
	}
	return expr.CallOf(function.Table()[text.BitBytes], []expr.Node{n, &expr.Const{V: value.NewInt(int64(t.Length))}})
}

// numeric is n in numeric context: a hex literal is the big-endian integer of its last 8 bytes
// (https://dev.mysql.com/doc/refman/5.7/en/hexadecimal-literals.html), and a column of ENUM or SET is the
// numbers of its members.
func numeric(n expr.Node) expr.Node {
	if p, ok := n.(*expr.Param); ok && p.Hex {
		n = pinned(n)
	}
	c, ok := n.(*expr.Const)
	if !ok || !c.Hex {
		return member.Numeric(n)
	}
	return &expr.Const{V: arithmetic.HexNumber(c.V)}
}
