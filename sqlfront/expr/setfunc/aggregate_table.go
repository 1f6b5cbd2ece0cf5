package setfunc

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/fixed"
)

// aggregates is the table of aggregate functions
// (https://dev.mysql.com/doc/refman/5.7/en/aggregate-functions.html).
var aggregates = func() map[string]*aggregateFn {
	bits := &aggregateFn{min: 1, max: 1, typ: aggType(value.Type{Kind: value.Uint}), exact: always, number: true}
	spread := &aggregateFn{min: 1, max: 1, typ: aggType(value.Type{Kind: value.Float, Nullable: true}), number: true}
	extreme := &aggregateFn{min: 1, max: 1, typ: sameType, exact: ofOneForm}
	document := value.Type{Kind: value.JSON, Nullable: true}
	return map[string]*aggregateFn{
		"COUNT": {min: 1, max: 1, typ: aggType(value.Type{Kind: value.Int}), exact: always},
		"SUM":   {min: 1, max: 1, typ: sumType, number: true, sums: true, exact: always},
		"AVG":   {min: 1, max: 1, typ: avgType, number: true, sums: true, exact: always},
		"MIN":   extreme, "MAX": extreme,
		"BIT_AND": bits, "BIT_OR": bits, "BIT_XOR": bits,
		"STD": spread, "STDDEV": spread, "STDDEV_POP": spread, "STDDEV_SAMP": spread,
		"VARIANCE": spread, "VAR_POP": spread, "VAR_SAMP": spread,
		"JSON_ARRAYAGG":  {min: 1, max: 1, typ: aggType(document), nulls: true, grows: true, exact: always},
		"JSON_OBJECTAGG": {min: 2, max: 2, typ: aggType(document), nulls: true, grows: true, exact: always},
		"GROUP_CONCAT":   {min: 1, max: -1, typ: groupConcatType, grows: true, exact: always},
	}
}()

func always(*Aggregate) bool { return true }

// ofOneForm reports whether equal values are identical, so that any of them may be the minimum or maximum.
func ofOneForm(a *Aggregate) bool {
	t := a.Args[0].Type()
	return t.Kind == value.Int || t.Kind == value.Uint || t.Kind == value.Bytes
}

func aggType(t value.Type) func(*Aggregate) value.Type {
	return func(*Aggregate) value.Type { return t }
}

func sameType(a *Aggregate) value.Type {
	t := a.Args[0].Type()
	t.Nullable, t.Members = true, nil
	return t
}

func sumType(a *Aggregate) value.Type {
	t := a.Args[0].Type()
	out := value.Type{Kind: value.Float, Nullable: true}
	if k := t.NumberKind(); k != value.Float {
		const more = 22 // digits that MySQL adds for many rows
		out.Kind, out.Decimals = value.Decimal, t.Decimals
		out.Digits = min(t.Precision()+more, value.MaxDigits)
	}
	return out
}

func avgType(a *Aggregate) value.Type {
	t := sumType(a)
	if t.Kind == value.Decimal {
		t.Decimals = min(t.Decimals+fixed.DivIncrement, value.MaxScale)
		t.Digits = min(a.Args[0].Type().Precision()+fixed.DivIncrement, value.MaxDigits)
	}
	return t
}

func groupConcatType(a *Aggregate) value.Type {
	t := value.JointString(expr.TypesOf(a.Args)...)
	t.Nullable = true
	return t
}
