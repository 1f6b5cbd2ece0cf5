package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// isHex reports whether n is a hex or bit literal.
func isHex(n Node) bool {
	switch n := n.(type) {
	case *Const:
		return n.Hex
	case *Param:
		return n.Hex
	}
	return false
}

// Bigint is n where a column of type BIGINT is given it. A hex literal of more than 8 bytes is out
// of its range.
func Bigint(n Node) Node {
	if !isHex(n) {
		return n
	}
	c, ok := pinned(n).(*Const)
	if !ok {
		return n
	}
	return &Const{V: value.HexBigint(c.V)}
}

// IsHex reports whether n is a hex or bit literal.
func IsHex(n Node) bool { return isHex(n) }

// numeric is n where a number is wanted: a hex literal is its big-endian
// integer then, of the last 8 bytes
// (https://dev.mysql.com/doc/refman/5.7/en/hexadecimal-literals.html).
func numeric(n Node) Node {
	if p, ok := n.(*Param); ok && p.Hex {
		n = pinned(n)
	}
	c, ok := n.(*Const)
	if !ok || !c.Hex {
		return n
	}
	return &Const{V: value.HexNumber(c.V)}
}
