package condition

import (
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// KeyPair are two expressions whose keys are equal wherever something holds.
type KeyPair struct{ X, Y expr.Node }

// ComparedAsEqual is expr.Equated, or the sides of <=>, which two NULLs satisfy.
func ComparedAsEqual(n expr.Node) [][2]expr.Node {
	if IsNullSafe(n) {
		c := n.(*expr.Compare)
		return [][2]expr.Node{{c.L, c.R}, {c.R, c.L}}
	}
	return expr.Equated(n)
}

// EqualKeys are those of the sides of a condition, none where nobody knows how they are
// compared. It is exact where rows with equal keys are all that it accepts.
func EqualKeys(n expr.Node, side [2]expr.Node) (keys []KeyPair, exact bool) {
	x, y, exact := Hashable(side[0], side[1])
	switch {
	case exact:
	case comparedAsDoubles(side[0], side[1]):
		x, y = AsDouble(side[0]), AsDouble(side[1])
	default:
		return nil, false
	}
	return KeysFor(n, x, y), exact
}

// KeysFor are two keys as they are compared: by <=> a NULL as if it were a value, beside
// whether it is one.
func KeysFor(n expr.Node, x, y expr.Node) []KeyPair {
	if IsNullSafe(n) {
		return []KeyPair{{&expr.IsNull{X: x}, &expr.IsNull{X: y}}, {unlessNull(x), unlessNull(y)}}
	}
	return []KeyPair{{x, y}}
}

// unlessNull is n, or a value of its kind in the place of NULL.
func unlessNull(n expr.Node) expr.Node {
	t := n.Type()
	none := value.NewInt(0)
	if t.Kind.IsString() {
		none = value.NewBytes(nil)
	}
	t.Nullable = false
	return &expr.Case{Whens: []expr.When{{Cond: &expr.IsNull{X: n}, Then: &expr.Const{V: none, T: t}}}, Else: n, T: t}
}

// Unsure reports whether a key may warn or fail.
func (k KeyPair) Unsure() bool { return IsComputedNumber(k.X) || IsComputedNumber(k.Y) }

// IsNullSafe reports whether a condition is a <=>.
func IsNullSafe(n expr.Node) bool {
	c, ok := n.(*expr.Compare)
	return ok && c.Op == expr.NullSafeEq
}

// IsComputedNumber reports whether n is computed and no string: as a key it may warn or fail.
func IsComputedNumber(n expr.Node) bool { return !IsColumn(n) && !n.Type().Kind.IsString() }

// Hashable are two expressions whose keys are equal exactly where a and b are:
// these themselves, or the bytes of strings of which one is binary.
func Hashable(a, b expr.Node) (x, y expr.Node, ok bool) {
	s, t := a.Type(), b.Type()
	plainA, plainB := IsColumn(a), IsColumn(b)
	switch {
	case plainA && plainB && s.Kind == t.Kind, givesText(a) && givesText(b) && s.Collation == t.Collation:
		return a, b, true
	case GivesInteger(a) && GivesInteger(b), givesDocument(a) && givesDocument(b):
		return a, b, true
	case plainA && s.Kind == value.Bytes && GivesString(b):
		return a, bytesOf(b), true
	case plainB && t.Kind == value.Bytes && GivesString(a):
		return bytesOf(a), b, true
	case s.Kind == value.Bytes && t.Kind == value.Bytes && givesDeclared(a) && givesDeclared(b):
		return bytesOf(a), bytesOf(b), true
	}
	return nil, nil, false
}

// comparedAsDoubles reports whether a number is compared with a number or a string: if both
// are equal, so are they as doubles, but for quotients, which are equal where they print
// alike.
func comparedAsDoubles(a, b expr.Node) bool {
	if mayHideDigits(a) || mayHideDigits(b) {
		return false
	}
	return givesNumber(a) && (givesNumber(b) || GivesString(b)) || GivesString(a) && givesNumber(b)
}

func bytesOf(n expr.Node) expr.Node {
	if c, ok := n.(*expr.Column); ok && c.T.Kind == value.Bytes {
		return n
	}
	return &expr.Cast{X: n, To: expr.ToBinary, Length: -1}
}

// AsDouble is a value as it is compared where a number and a string are.
func AsDouble(n expr.Node) expr.Node { return &expr.Cast{X: n, To: expr.ToDouble, Length: -1} }

// LeadsBy reports whether something that equals n leads to few values of the key that n is,
// or is made of.
func LeadsBy(n, other expr.Node, isKey func(index int) bool) bool {
	if column, ok := n.(*expr.Column); ok {
		return isKey(column.Index) && ByteKind(other)
	}
	column, exact := constrain.FunctionOf(n)
	return column != nil && isKey(column.Index) && ComparesAs(n, other) && (exact || ByteKind(other))
}

// ComparesAs reports whether both are strings, or both integers.
func ComparesAs(n, other expr.Node) bool {
	a, b := n.Type().Kind, other.Type().Kind
	return a.IsString() && b.IsString() || isInteger(a) && isInteger(b)
}

func isInteger(k value.Kind) bool { return k == value.Int || k == value.Uint }

// ByteKind reports whether n gives binary strings.
func ByteKind(n expr.Node) bool {
	return n.Type().Kind == value.Bytes
}

// Settles tells conditions that set a key equal to constants: no left row is
// needed to find the few rows there are.
func Settles(isKey func(index int) bool) func(expr.Node) bool {
	return func(n expr.Node) bool {
		var x expr.Node
		switch n := n.(type) {
		case *expr.Compare:
			if n.Op == expr.Eq {
				x = n.L
			}
		case *expr.In:
			if !n.Not {
				x = n.X
			}
		}
		c, ok := x.(*expr.Column)
		return ok && isKey(c.Index)
	}
}

// comparedAsItself reports whether the column is compared without conversion:
// strings that equal one number may differ.
func comparedAsItself(c *expr.Column, n expr.Node) bool {
	t := n.Type()
	return !c.T.Kind.IsString() || t.Kind.IsString()
}

// SettleByEquality adds to settled the columns, of those that may be, that a condition sets equal to a
// constant or to a settled column.
func SettleByEquality(n expr.Node, settled map[int]bool, may func(index int) bool) {
	for _, side := range expr.Equated(n) {
		column, ok := side[0].(*expr.Column)
		other, otherIsColumn := side[1].(*expr.Column)
		if ok && may(column.Index) && comparedAsItself(column, side[1]) && (expr.IsConst(side[1]) || otherIsColumn && settled[other.Index]) {
			settled[column.Index] = true
		}
	}
}
