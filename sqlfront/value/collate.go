package value

import (
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
)

// Collation is the collation of a Text; other kinds have the default as texts.
func (v Value) Collation() collation.Collation {
	if v.kind != Text {
		return collation.General
	}
	return collation.Collation(v.aux)
}

// WithCollation makes a Text compare by a collation. Other kinds are returned as they are.
func (v Value) WithCollation(c collation.Collation) Value {
	if v.kind == Text {
		v.aux = uint8(c)
	}
	return v
}

// WithBinaryCollation makes a Text compare by its bytes, with trailing spaces
// ignored, as utf8mb4_bin does. Other kinds are returned as they are.
func (v Value) WithBinaryCollation() Value { return v.WithCollation(collation.Bin) }

// IsCaseSensitive reports whether the value compares by its bytes.
func (v Value) IsCaseSensitive() bool {
	return v.kind == Bytes || v.kind == Text && v.Collation().IsBinary()
}

// Collated is the collation by which texts compare, and its precedence over others.
type Collated struct {
	Collation  collation.Collation
	Derivation Derivation
}

// Derivation is the source of a collation, from the weakest on
// (https://dev.mysql.com/doc/refman/8.4/en/charset-collation-coercibility.html).
type Derivation uint8

// The derivations.
const (
	Coercible Derivation = iota // of a literal
	Implicit                    // of a column, and of expressions over one
	Undecided                   // of texts by different collations, which cannot be compared
	Explicit                    // of COLLATE
)

func (d Derivation) String() string {
	return [...]string{"COERCIBLE", "IMPLICIT", "NONE", "EXPLICIT"}[d]
}

// With is the collation of two texts that are compared, or of a text that is made from both; ok is false if
// COLLATE names two different ones.
func (a Collated) With(b Collated) (joint Collated, ok bool) {
	switch {
	case a.Derivation > b.Derivation || a == b:
		return a, true
	case a.Derivation < b.Derivation:
		return b, true
	case a.Derivation == Explicit:
		return a, false
	case a.Collation.IsBinary():
		return a, true
	case b.Collation.IsBinary():
		return b, true
	}
	return Collated{collation.Bin, Undecided}, true
}

// OfColumn is the type of a column with the values of an expression.
func (t Type) OfColumn() Type {
	if t.Kind == Text && t.Derivation != Undecided {
		t.Derivation = Implicit
	}
	return t
}

// IsPlain reports whether only the default is known about the texts.
func (c Collated) IsPlain() bool { return c.Collation == collation.General && c.Derivation <= Implicit }

// JointCollation is the collation by which two texts compare. Plans give both the same one, except for values
// whose types they do not know.
func JointCollation(a, b Value) collation.Collation {
	x, y := a.Collation(), b.Collation()
	if x == collation.General || y.IsBinary() && !x.IsBinary() {
		return y
	}
	return x
}

func compareText(a, b Value) int { return JointCollation(a, b).Compare(a.Raw(), b.Raw()) }

// NextRune is utf8.DecodeRune, but never confuses an invalid byte with a character of the text.
func NextRune(b []byte) (rune, int) {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size <= 1 {
		return -2, 1
	}
	return r, size
}
