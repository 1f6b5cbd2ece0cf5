package value

import "github.com/hbasekv/hbasekv/sqlfront/collation"

// Unify is the result type of IF, CASE, COALESCE and similar functions, whichever of their operands they
// choose
// (https://dev.mysql.com/doc/refman/5.7/en/control-flow-functions.html).
func Unify(types ...Type) Type {
	t := types[0]
	for _, next := range types[1:] {
		t = unifyTypes(t, next)
	}
	t.Members = nil
	return t
}

func unifyTypes(a, b Type) Type {
	switch {
	case a.Kind == Null:
		b.Nullable = true
		return b
	case b.Kind == Null:
		a.Nullable = true
		return a
	}
	t := Type{Nullable: a.Nullable || b.Nullable, Length: max(a.Length, b.Length), Decimals: max(a.Decimals, b.Decimals)}
	t.Kind = unifyKinds(a.Kind, b.Kind)
	if a.Kind.IsNumber() && b.Kind.IsNumber() && t.Kind != Float {
		t = t.WithDigits(max(a.Whole(), b.Whole()))
	}
	if a.Name == b.Name && a.Kind == b.Kind {
		t.Name = a.Name
	}
	if t.Kind == Text {
		t.Charset = jointCharset(a, b)
	}
	t.Collated = JointCollated(a, b)
	return t
}

// jointCharset is the character set of all texts; utf8mb4 if they have several.
func jointCharset(types ...Type) (set string) {
	first := true
	for _, t := range types {
		if t.Kind != Text {
			continue
		}
		if !first && t.Charset != set {
			return ""
		}
		set, first = t.Charset, false
	}
	return set
}

// JointCollated is the collation of texts that are made from values of the given types; if COLLATE names
// several, it is one of these.
func JointCollated(types ...Type) (joint Collated) {
	for _, t := range types {
		if t.Kind == Text {
			joint, _ = joint.With(t.Collated)
		}
	}
	return joint
}

func unifyKinds(a, b Kind) Kind {
	switch {
	case a == b:
		return a
	case a == Bytes || b == Bytes:
		return Bytes
	case a.IsNumber() && b.IsNumber():
		if a == Float || b == Float {
			return Float
		}
		return Decimal // decimals, and Int with Uint
	case a.IsTemporal() && b.IsTemporal():
		return DateTime
	}
	return Text
}

// hasScale reports whether values of the kind have a fixed number of digits after the point.
func hasScale(k Kind) bool {
	return k == Decimal || k == DateTime || k == Time
}

// Coerce converts a chosen operand to the result type.
func Coerce(v Value, t Type) Value {
	if t.Kind == Text && t.Collation != collation.General {
		return v.asText(t.Collation)
	}
	if v.IsNull() || v.Kind() == t.Kind && (!hasScale(t.Kind) || v.Scale() == t.Decimals || t.Decimals == AnyScale) {
		return v
	}
	switch t.Kind {
	case Text:
		return NewText(v.AsBytes())
	case Bytes:
		return NewBytes(v.AsBytes())
	case Float:
		return NewFloat(v.AsFloat())
	case Decimal:
		return v.ToDecimal(t.Decimals)
	case Time:
		if v.Kind() == Time {
			return NewTime(v.Micros(), max(v.Scale(), t.Decimals))
		}
	case DateTime:
		if d, ok := ParseDateTime(v); ok {
			return NewDateTime(d.Fields(), max(d.Scale(), t.Decimals))
		}
	}
	return v
}

// asText is v as a text of a collation.
func (v Value) asText(c collation.Collation) Value {
	if !v.IsNull() && v.kind != Text {
		v = NewText(v.AsBytes())
	}
	return v.WithCollation(c)
}

// NumberKind is the kind of the number to which a value of the type converts.
func (t Type) NumberKind() Kind {
	switch {
	case t.Kind.IsNumber():
		return t.Kind
	case t.Kind.IsTemporal() && t.Decimals > 0:
		return Decimal
	case t.Kind.IsTemporal():
		return Int
	}
	return Float
}

// JointString is the type of a string that is made from values of the given types: binary if one of them is.
func JointString(types ...Type) Type {
	out := Type{Kind: Text, Collated: JointCollated(types...)}
	for _, t := range types {
		out.Nullable = out.Nullable || t.Nullable
		if t.Kind == Bytes {
			out.Kind = Bytes
		}
	}
	if out.Kind == Text {
		out.Charset = jointCharset(types...)
	}
	return out
}
