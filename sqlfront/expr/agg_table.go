package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// aggregates is the table of aggregate functions
// (https://dev.mysql.com/doc/refman/5.7/en/aggregate-functions.html).
var aggregates map[string]*aggregateFn

func init() {
	bits := func(start uint64, op func(x, y uint64) uint64, of func(ones, rows int64) bool) *aggregateFn {
		return &aggregateFn{min: 1, max: 1, typ: aggType(value.Type{Kind: value.Uint}), exact: always, number: true, read: readBits,
			moving: func(*Aggregate) remover { return &movingBits{of: of} },
			state:  func(a *Aggregate, _ *Memory) accumulator { return newBits(a, start, op) }}
	}
	spread := func(sample, root bool) *aggregateFn {
		return &aggregateFn{min: 1, max: 1, typ: aggType(value.Type{Kind: value.Float, Nullable: true}), number: true, read: readFloat,
			moving: func(a *Aggregate) remover {
				return &movingSpread{spreadAcc: spreadAcc{sample: sample, root: root, scale: spreadScale(a)}}
			},
			state: func(a *Aggregate, _ *Memory) accumulator {
				return &spreadAcc{sample: sample, root: root, scale: spreadScale(a)}
			}}
	}
	aggregates = map[string]*aggregateFn{
		"COUNT": {min: 1, max: 1, typ: aggType(value.Type{Kind: value.Int}), exact: always, read: readPresence,
			moving: func(*Aggregate) remover { return &countAcc{} }, state: func(_ *Aggregate, m *Memory) accumulator { return m.counts.Next() }},
		"SUM": {min: 1, max: 1, typ: sumType, number: true, sums: true, exact: always, read: readNumber,
			moving: func(a *Aggregate) remover { return newMovingSum(a) }, state: func(a *Aggregate, m *Memory) accumulator { return m.sum(a) }},
		"AVG": {min: 1, max: 1, typ: avgType, number: true, sums: true, exact: always, read: readNumber,
			moving: func(a *Aggregate) remover { return movingAvg{newMovingSum(a)} },
			state:  func(a *Aggregate, m *Memory) accumulator { return m.avg(a) }},
		"MIN": {min: 1, max: 1, typ: sameType, exact: ofOneForm, moving: func(*Aggregate) remover { return &movingExtreme{sign: -1} },
			state: func(_ *Aggregate, m *Memory) accumulator { return m.extreme(-1) }},
		"MAX": {min: 1, max: 1, typ: sameType, exact: ofOneForm, moving: func(*Aggregate) remover { return &movingExtreme{sign: 1} },
			state: func(_ *Aggregate, m *Memory) accumulator { return m.extreme(1) }},

		"BIT_AND": bits(^uint64(0), func(x, y uint64) uint64 { return x & y },
			func(ones, rows int64) bool { return ones == rows }),
		"BIT_OR": bits(0, func(x, y uint64) uint64 { return x | y },
			func(ones, _ int64) bool { return ones > 0 }),
		"BIT_XOR": bits(0, func(x, y uint64) uint64 { return x ^ y },
			func(ones, _ int64) bool { return ones%2 == 1 }),

		"STD": spread(false, true), "STDDEV": spread(false, true), "STDDEV_POP": spread(false, true), "STDDEV_SAMP": spread(true, true),
		"VARIANCE": spread(false, false), "VAR_POP": spread(false, false), "VAR_SAMP": spread(true, false),

		"JSON_ARRAYAGG": {min: 1, max: 1, typ: aggType(value.Type{Kind: value.JSON, Nullable: true}), nulls: true, grows: true,
			exact: always, state: newJSONArray},
		"JSON_OBJECTAGG": {min: 2, max: 2, typ: aggType(value.Type{Kind: value.JSON, Nullable: true}), nulls: true, grows: true,
			exact: always, state: newJSONObject},
		"GROUP_CONCAT": {min: 1, max: -1, typ: groupConcatType, grows: true, exact: always, state: newConcat},
	}
}

func always(*Aggregate) bool { return true }

// ofOneForm is true where equal values look alike, so that any of them may be
// the least or the greatest.
func ofOneForm(a *Aggregate) bool {
	t := a.Args[0].Type()
	return t.Kind == value.Int || t.Kind == value.Uint || t.Kind == value.Bytes
}

func aggType(t value.Type) func(*Aggregate) value.Type {
	return func(*Aggregate) value.Type { return t }
}

func sameType(a *Aggregate) value.Type {
	t := a.Args[0].Type()
	t.Nullable = true
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
		t.Decimals = min(t.Decimals+value.DivIncrement, value.MaxScale)
		t.Digits = min(a.Args[0].Type().Precision()+value.DivIncrement, value.MaxDigits)
	}
	return t
}

// spreadScale is how many digits a variance of exact numbers prints.
func spreadScale(a *Aggregate) int {
	t := a.Args[0].Type()
	if t.NumberKind() == value.Float || t.Decimals == value.AnyScale {
		return -1
	}
	return min(t.Decimals+value.DivIncrement, value.MaxScale)
}

func groupConcatType(a *Aggregate) value.Type {
	t := value.JointString(typesOf(a.Args)...)
	t.Nullable = true
	return t
}
