package function

import "github.com/hbasekv/hbasekv/sqlfront/value"

// Fixed is a function's type that does not depend on its arguments, except
// that any nullable one makes it nullable.
func Fixed(k value.Kind) func(Args) value.Type {
	return func(a Args) value.Type { return value.Type{Kind: k, Nullable: a.Nullable()} }
}

// FixedNotNull is fixed for functions that are never NULL.
func FixedNotNull(k value.Kind) func(Args) value.Type {
	return func(Args) value.Type { return value.Type{Kind: k} }
}

// Maybe is fixed for a function that may give NULL on its own.
func Maybe(k value.Kind) func(Args) value.Type {
	return func(Args) value.Type { return value.Type{Kind: k, Nullable: true} }
}

// Small is an integer of 32 bits, as MySQL types lengths and positions.
func Small(a Args) value.Type {
	return value.Type{Kind: value.Int, Name: "INT", Nullable: a.Nullable()}
}

// SmallNotNull is Small for functions that are never NULL.
func SmallNotNull(Args) value.Type { return value.Type{Kind: value.Int, Name: "INT"} }

// MaybeSmall is Small for functions that may give NULL on their own.
func MaybeSmall(Args) value.Type { return value.Type{Kind: value.Int, Name: "INT", Nullable: true} }

// Truth is the type of a condition.
func Truth(a Args) value.Type {
	return value.Type{Kind: value.Int, Name: "INT", Nullable: a.Nullable(), Length: 1, Bool: true}
}

// FirstString is the type of what is cut out of the first argument.
func FirstString(a Args) value.Type {
	t := value.JointString(a.Types[0])
	t.Nullable = a.Nullable()
	return t
}

// AllStrings is the type of what is put together from all arguments.
func AllStrings(a Args) value.Type { return value.JointString(a.Types...) }

// Nullable is a type function whose result may be NULL whatever its arguments.
func Nullable(f func(Args) value.Type) func(Args) value.Type {
	return func(a Args) value.Type {
		t := f(a)
		t.Nullable = true
		return t
	}
}

// SameKind makes a string of the kind that v is: binary or text.
func SameKind(v value.Value, b []byte) value.Value { return JointKind(b, v) }

// JointKind makes a string that is binary where one of the parts is.
func JointKind(b []byte, parts ...value.Value) value.Value {
	for _, p := range parts {
		if p.Kind() == value.Bytes {
			return value.NewBytes(b)
		}
	}
	return value.NewText(b)
}

// Abs is i without its sign; the least int64 stays as it is.
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

// FunctionClass is the class of FIELD, GREATEST and LEAST, which compare
// numbers and strings as doubles.
func FunctionClass(a, b value.Kind) value.Kind {
	if a.IsNumber() && b.IsString() || a.IsString() && b.IsNumber() {
		return value.Float
	}
	return value.ClassOf(a, b)
}
