package function

import "github.com/hbasekv/hbasekv/sqlfront/value"

// fixed is a function's type that does not depend on its arguments, except
// that any nullable one makes it nullable.
func fixed(k value.Kind) func(Args) value.Type {
	return func(a Args) value.Type { return value.Type{Kind: k, Nullable: a.Nullable()} }
}

// fixedNotNull is fixed for functions that are never NULL.
func fixedNotNull(k value.Kind) func(Args) value.Type {
	return func(Args) value.Type { return value.Type{Kind: k} }
}

// maybe is fixed for a function that may give NULL on its own.
func maybe(k value.Kind) func(Args) value.Type {
	return func(Args) value.Type { return value.Type{Kind: k, Nullable: true} }
}

// small is an integer of 32 bits, as MySQL types lengths and positions.
func small(a Args) value.Type {
	return value.Type{Kind: value.Int, Name: "INT", Nullable: a.Nullable()}
}

// smallNotNull is small for functions that are never NULL, maybeSmall for those
// that may give it on their own.
func smallNotNull(Args) value.Type { return value.Type{Kind: value.Int, Name: "INT"} }

func maybeSmall(Args) value.Type { return value.Type{Kind: value.Int, Name: "INT", Nullable: true} }

// truth is the type of a condition.
func truth(a Args) value.Type {
	return value.Type{Kind: value.Int, Name: "INT", Nullable: a.Nullable(), Length: 1, Bool: true}
}

// firstString is the type of what is cut out of the first argument.
func firstString(a Args) value.Type {
	t := value.JointString(a.Types[0])
	t.Nullable = a.Nullable()
	return t
}

// allStrings is the type of what is put together from all arguments.
func allStrings(a Args) value.Type { return value.JointString(a.Types...) }

// nullable is a type function whose result may be NULL whatever its arguments.
func nullable(f func(Args) value.Type) func(Args) value.Type {
	return func(a Args) value.Type {
		t := f(a)
		t.Nullable = true
		return t
	}
}

// sameKind makes a string of the kind that v is: binary or text.
func sameKind(v value.Value, b []byte) value.Value { return jointKind(b, v) }

// jointKind makes a string that is binary where one of the parts is.
func jointKind(b []byte, parts ...value.Value) value.Value {
	for _, p := range parts {
		if p.Kind() == value.Bytes {
			return value.NewBytes(b)
		}
	}
	return value.NewText(b)
}
