package condition

import (
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// KeyPair is two expressions whose keys are equal wherever a condition holds.
type KeyPair struct{ X, Y expr.Node }

// ComparedAsEqual is expr.Equated, or the sides of <=>, which two NULLs satisfy.
func ComparedAsEqual(n expr.Node) [][2]expr.Node {
	if IsNullSafe(n) {
		c := n.(*expr.Compare)
		return [][2]expr.Node{{c.L, c.R}, {c.R, c.L}}
	}
	return expr.Equated(n)
}

// EqualKeys are the keys of the sides of a condition, none if it is unknown how they are compared. exact says
// that the condition accepts all rows with equal keys.
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

// KeysFor are the keys of a comparison of x and y. For <=> a NULL counts as a value, and a second key tells
// whether it is one.
func KeysFor(n expr.Node, x, y expr.Node) []KeyPair {
	if IsNullSafe(n) {
		return []KeyPair{{&expr.IsNull{X: x}, &expr.IsNull{X: y}}, {unlessNull(x), unlessNull(y)}}
	}
	return []KeyPair{{x, y}}
}

// unlessNull is n with NULL replaced by a value of its kind.
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

// IsComputedNumber reports whether n is computed and not a string: as a key it may warn or fail.
func IsComputedNumber(n expr.Node) bool { return !IsColumn(n) && !n.Type().Kind.IsString() }

// Hashable are two expressions whose keys are equal exactly if a and b are: these themselves, or the bytes of
// strings one of which is binary.
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

// comparedAsDoubles reports whether a number is compared with a number or a string: equal ones are then equal
// as doubles, except for quotients, which are equal if they print alike.
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

// AsDouble is a value as a comparison of a number with a string takes it.
func AsDouble(n expr.Node) expr.Node { return &expr.Cast{X: n, To: expr.ToDouble, Length: -1} }

// LeadsBy reports whether a value equal to n leads to few values of the key that n is, or is computed from.
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

// Settles recognizes conditions that set a key equal to constants: the few rows are found without a left row.
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

// comparedAsItself reports whether the column is compared without conversion: different strings may equal the
// same number.
func comparedAsItself(c *expr.Column, n expr.Node) bool {
	t := n.Type()
	return !c.T.Kind.IsString() || t.Kind.IsString()
}

// SettleByEquality adds to settled the columns, of those that may accepts, that a condition sets equal to a
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
