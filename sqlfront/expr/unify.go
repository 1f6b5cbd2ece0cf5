package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// unify is the type that IF, CASE, COALESCE and their kin give, whichever of
// their results they choose
// (https://dev.mysql.com/doc/refman/5.7/en/control-flow-functions.html).
func unify(nodes []Node) value.Type {
	var t value.Type
	for i, n := range nodes {
		if i == 0 {
			t = n.Type()
			continue
		}
		t = unifyTypes(t, n.Type())
	}
	return t
}

func unifyTypes(a, b value.Type) value.Type {
	switch {
	case a.Kind == value.Null:
		b.Nullable = true
		return b
	case b.Kind == value.Null:
		a.Nullable = true
		return a
	}
	t := value.Type{Nullable: a.Nullable || b.Nullable, Length: max(a.Length, b.Length), Decimals: max(a.Decimals, b.Decimals)}
	t.Kind = unifyKinds(a.Kind, b.Kind)
	if a.Kind.IsNumber() && b.Kind.IsNumber() && t.Kind != value.Float {
		t = t.WithDigits(max(a.Whole(), b.Whole()))
	}
	if a.Name == b.Name && a.Kind == b.Kind {
		t.Name = a.Name
	}
	return t
}

func unifyKinds(a, b value.Kind) value.Kind {
	switch {
	case a == b:
		return a
	case a == value.Bytes || b == value.Bytes:
		return value.Bytes
	case a.IsNumber() && b.IsNumber():
		if a == value.Float || b == value.Float {
			return value.Float
		}
		return value.Decimal // decimals, and Int with Uint
	case a.IsTemporal() && b.IsTemporal():
		return value.DateTime
	}
	return value.Text
}

// hasScale reports whether values of the kind show so many digits behind a point.
func hasScale(k value.Kind) bool {
	return k == value.Decimal || k == value.DateTime || k == value.Time
}

// coerce converts a chosen result to the type of the whole.
func coerce(v value.Value, t value.Type) value.Value {
	if v.IsNull() || v.Kind() == t.Kind && (!hasScale(t.Kind) || v.Scale() == t.Decimals || t.Decimals == value.AnyScale) {
		return v
	}
	switch t.Kind {
	case value.Text:
		return value.NewText(v.AsBytes())
	case value.Bytes:
		return value.NewBytes(v.AsBytes())
	case value.Float:
		return value.NewFloat(v.AsFloat())
	case value.Decimal:
		return value.NewDecimalScale(v.AsDecimal(), t.Decimals)
	case value.Time:
		if v.Kind() == value.Time {
			return value.NewTime(v.Micros(), max(v.Scale(), t.Decimals))
		}
	case value.DateTime:
		if d, ok := value.ParseDateTime(v); ok {
			return value.NewDateTime(d.Fields(), max(d.Scale(), t.Decimals))
		}
	}
	return v
}
