package coltype

import (
	"bytes"
	"math/bits"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Ordinal is the number by which a value of ENUM or SET sorts: the number of an ENUM's member from 1, 0 for
// the empty text of an invalid value; the bits of a SET's members.
func (t Type) Ordinal(v value.Value) uint64 {
	if t.Base == Enum {
		return uint64(t.member(t.By(), v.Raw()) + 1)
	}
	set, _ := t.memberSet(t.By(), v.Raw())
	return set
}

// Member is the value of ENUM or SET with the Ordinal n; ok is false if there is none.
func (t Type) Member(n uint64) (v value.Value, ok bool) {
	if t.Base == Enum {
		if n == 0 {
			return t.text(nil), true
		}
		if n > uint64(len(t.Members)) {
			return v, false
		}
		return t.text([]byte(t.Members[n-1])), true
	}
	if n>>len(t.Members) != 0 {
		return v, false
	}
	var names []string
	for rest := n; rest != 0; rest &= rest - 1 {
		names = append(names, t.Members[bits.TrailingZeros64(rest)])
	}
	return t.text([]byte(strings.Join(names, ","))), true
}

// member is the index of the member that equals a text, -1 if there is none.
func (t Type) member(by collation.Collation, text []byte) int {
	for i, name := range t.Members {
		if by.Compare([]byte(name), text) == 0 {
			return i
		}
	}
	return -1
}

// memberSet are the bits of members separated by commas; all is false if one is not a member.
func (t Type) memberSet(by collation.Collation, text []byte) (set uint64, all bool) {
	for all, more := true, len(text) > 0; ; {
		if !more {
			return set, all
		}
		var name []byte
		name, text, more = bytes.Cut(text, []byte(","))
		if at := t.member(by, name); at >= 0 {
			set |= 1 << at
		} else {
			all = false
		}
	}
}

// enum accepts a member, or its number.
func (c conversion) enum(v value.Value) (value.Value, error) {
	n := uint64(0)
	if v.Kind().IsNumber() {
		n, _ = clipped(cutNumber(v), 0, uint64(len(c.Type.Members))+1)
	} else {
		n = c.memberNamed(bytes.TrimRight(v.AsBytes(), " "))
	}
	if out, ok := c.Type.Member(n); ok && n > 0 {
		return out, nil
	}
	return c.truncated(c.Type.text(nil))
}

// memberNamed is the number, from 1, of the member that a text equals, or names as a number; 0 if there is
// none.
func (c conversion) memberNamed(text []byte) uint64 {
	if at := c.Type.member(c.by, text); at >= 0 {
		return uint64(at + 1)
	}
	if n, _, whole := value.ParseInteger(text); whole && n <= uint64(len(c.Type.Members)) {
		return n
	}
	return 0
}

// set accepts members separated by commas, or their bits.
func (c conversion) set(v value.Value) (value.Value, error) {
	all := uint64(1)<<len(c.Type.Members) - 1
	n, fits := uint64(0), false
	if v.Kind().IsNumber() {
		n, fits = cutNumber(v).AsUint(), true
	} else {
		n, fits = c.setText(v.AsBytes())
	}
	out, _ := c.Type.Member(n & all)
	if !fits || n&^all != 0 {
		return c.truncated(out)
	}
	return out, nil
}

// cutNumber is a number without the digits after its point.
func cutNumber(v value.Value) value.Value {
	if v.Kind() == value.Decimal {
		return v.Truncate(0)
	}
	return cutFloat(v)
}

// setText reads members, or otherwise a number.
func (c conversion) setText(text []byte) (set uint64, fits bool) {
	if set, fits = c.Type.memberSet(c.by, text); fits {
		return set, true
	}
	if n, _, whole := value.ParseInteger(text); whole && !bytes.HasSuffix(text, []byte(" ")) {
		return n, true
	}
	return set, false
}
