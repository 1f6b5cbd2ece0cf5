package function

import "github.com/hbasekv/hbasekv/sqlfront/value"

// Fixed is the type of a function whose kind does not depend on its arguments; it is nullable if one of these
// is.
func Fixed(k value.Kind) func(Args) value.Type {
	return func(a Args) value.Type { return value.Type{Kind: k, Nullable: a.Nullable()} }
}

// FixedNotNull is Fixed for functions that are never NULL.
func FixedNotNull(k value.Kind) func(Args) value.Type {
	return func(Args) value.Type { return value.Type{Kind: k} }
}

// Maybe is Fixed for functions that may be NULL with any arguments.
func Maybe(k value.Kind) func(Args) value.Type {
	return func(Args) value.Type { return value.Type{Kind: k, Nullable: true} }
}

// Small is an integer of 32 bits, as MySQL types lengths and positions.
func Small(a Args) value.Type {
	return value.Type{Kind: value.Int, Name: "INT", Nullable: a.Nullable()}
}

// SmallNotNull is Small for functions that are never NULL.
func SmallNotNull(Args) value.Type { return value.Type{Kind: value.Int, Name: "INT"} }

// MaybeSmall is Small for functions that may be NULL with any arguments.
func MaybeSmall(Args) value.Type { return value.Type{Kind: value.Int, Name: "INT", Nullable: true} }

// Truth is the type of a condition.
func Truth(a Args) value.Type {
	return value.Type{Kind: value.Int, Name: "INT", Nullable: a.Nullable(), Length: 1, Bool: true}
}

// FirstString is the type of a part of the first argument.
func FirstString(a Args) value.Type {
	t := value.JointString(a.Types[0])
	t.Nullable = a.Nullable()
	return t
}

// AllStrings is the type of the concatenation of all arguments.
func AllStrings(a Args) value.Type { return value.JointString(a.Types...) }

// Nullable is the type f, but nullable with any arguments.
func Nullable(f func(Args) value.Type) func(Args) value.Type {
	return func(a Args) value.Type {
		t := f(a)
		t.Nullable = true
		return t
	}
}

// SameKind makes a string of v's kind: binary or text.
func SameKind(v value.Value, b []byte) value.Value { return JointKind(b, v) }

// JointKind makes a string that is binary if one of the parts is.
func JointKind(b []byte, parts ...value.Value) value.Value {
	for _, p := range parts {
		if p.Kind() == value.Bytes {
			return value.NewBytes(b)
		}
	}
	return value.NewText(b)
}

// Abs is i without its sign; the smallest int64 stays as it is.
func Abs(i int64) int64 {
	if i < 0 {
		return -i
	}
	return i
}

// AsString is v as a string: itself, or the text of a number or date.
func AsString(v value.Value) value.Value {
	if v.IsString() || v.IsNull() {
		return v
	}
	return value.NewText(v.AsBytes())
}

// FunctionClass is the comparison class of FIELD, GREATEST and LEAST, which compare numbers and strings as
// doubles.
func FunctionClass(a, b value.Kind) value.Kind {
	if a.IsNumber() && b.IsString() || a.IsString() && b.IsNumber() {
		return value.Float
	}
	return value.ClassOf(a, b)
}
