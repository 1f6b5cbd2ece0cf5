package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// fixed is a function's type that does not depend on its arguments, except
// that any nullable one makes it nullable.
func fixed(k value.Kind) func([]Node) value.Type {
	return func(args []Node) value.Type { return value.Type{Kind: k, Nullable: anyNullable(args)} }
}

// maybe is fixed for a function that may give NULL on its own.
func maybe(k value.Kind) func([]Node) value.Type {
	return func([]Node) value.Type { return value.Type{Kind: k, Nullable: true} }
}

// small is an integer of 32 bits, as MySQL types lengths and positions.
func small(args []Node) value.Type {
	return value.Type{Kind: value.Int, Name: "INT", Nullable: anyNullable(args)}
}

// stringOf is the string that comes of the given arguments: binary where one
// of them is.
func stringOf(args ...Node) value.Type {
	t := value.Type{Kind: value.Text, Nullable: anyNullable(args)}
	for _, n := range args {
		if n.Type().Kind == value.Bytes {
			return value.Type{Kind: value.Bytes, Nullable: t.Nullable}
		}
	}
	return t
}

// firstString is the type of what is cut out of the first argument.
func firstString(args []Node) value.Type {
	t := stringOf(args[0])
	t.Nullable = anyNullable(args)
	return t
}

// allStrings is the type of what is put together from all arguments.
func allStrings(args []Node) value.Type { return stringOf(args...) }

// sameKind makes a string of the kind that v is: binary or text.
func sameKind(v value.Value, b []byte) value.Value {
	if v.Kind() == value.Bytes {
		return value.NewBytes(b)
	}
	return value.NewText(b)
}

// jointKind makes a string that is binary where one of the parts is.
func jointKind(b []byte, parts ...value.Value) value.Value {
	for _, p := range parts {
		if p.Kind() == value.Bytes {
			return value.NewBytes(b)
		}
	}
	return value.NewText(b)
}

// nullable is a type function whose result may be NULL whatever its arguments.
func nullable(f func([]Node) value.Type) func([]Node) value.Type {
	return func(args []Node) value.Type {
		t := f(args)
		t.Nullable = true
		return t
	}
}

// smallNotNull is small for functions that are never NULL.
func smallNotNull([]Node) value.Type { return value.Type{Kind: value.Int, Name: "INT"} }
