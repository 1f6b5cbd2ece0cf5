package function

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The mathematical functions
// (https://dev.mysql.com/doc/refman/5.7/en/mathematical-functions.html).
func init() {
	register(map[string]*Function{
		"ABS":      {Min: 1, Max: 1, Type: numberType, Eval: ofNumber(absolute), Numbers: AllArgs},
		"SIGN":     {Min: 1, Max: 1, Type: small, Eval: evalSign, Numbers: AllArgs},
		"CEILING":  {Min: 1, Max: 1, Type: wholeType, Eval: evalWhole(math.Ceil, value.Value.Ceil), Numbers: AllArgs},
		"FLOOR":    {Min: 1, Max: 1, Type: wholeType, Eval: evalWhole(math.Floor, value.Value.Floor), Numbers: AllArgs},
		"ROUND":    {Min: 1, Max: 2, Type: roundType(1), Eval: evalRound(roundHow{roundFloat, value.Value.Round}), Numbers: AllArgs},
		"TRUNCATE": {Min: 2, Max: 2, Type: roundType(0), Eval: evalRound(roundHow{truncateFloat, value.Value.Truncate}), Numbers: AllArgs},
		"SQRT":     floatFunction(math.Sqrt),
		"EXP":      floatFunction(math.Exp),
		"SIN":      floatFunction(math.Sin),
		"COS":      floatFunction(math.Cos),
		"TAN":      floatFunction(math.Tan),
		"COT":      floatFunction(func(x float64) float64 { return 1 / math.Tan(x) }),
		"ASIN":     floatFunction(math.Asin),
		"ACOS":     floatFunction(math.Acos),
		"DEGREES":  floatFunction(func(x float64) float64 { return x * 180 / math.Pi }),
		"RADIANS":  floatFunction(func(x float64) float64 { return x * math.Pi / 180 }),
		"ATAN":     {Min: 1, Max: 2, Type: maybe(value.Float), Eval: ofFloats(arcTangent), Numbers: AllArgs},
		"POW":      {Min: 2, Max: 2, Type: maybe(value.Float), Eval: ofFloats(power), Numbers: AllArgs},
		"LN":       {Min: 1, Max: 1, Type: maybe(value.Float), Eval: evalLog(naturalLog), Numbers: AllArgs},
		"LOG2":     {Min: 1, Max: 1, Type: maybe(value.Float), Eval: evalLog(math.Log2), Numbers: AllArgs},
		"LOG10":    {Min: 1, Max: 1, Type: maybe(value.Float), Eval: evalLog(log10), Numbers: AllArgs},
		"LOG":      {Min: 1, Max: 2, Type: maybe(value.Float), Eval: evalLogBase, Numbers: AllArgs},
		"PI":       {Type: fixed(value.Float), Eval: func(*Env, []value.Value) (value.Value, error) { return value.NewFloat(math.Pi), nil }},

		"BIT_COUNT": {Min: 1, Max: 1, Type: small, Eval: evalBitCount, Numbers: AllArgs},
	})
	alias(map[string]string{"CEIL": "CEILING", "POWER": "POW", "ATAN2": "ATAN"})
}

// numberType is the first argument's kind of number.
func numberType(a Args) value.Type {
	t := a.Types[0]
	return value.Type{Kind: t.NumberKind(), Nullable: a.Nullable(), Decimals: t.Decimals, Digits: t.Precision()}
}

// wholeType is that of FLOOR and CEILING: exact numbers give integers, or
// DECIMALs where they may have more digits than those.
func wholeType(a Args) value.Type {
	t := numberType(a)
	whole := t.Whole() + min(t.Decimals, 1)
	t.Decimals = 0
	t = t.WithDigits(whole)
	if t.Kind == value.Decimal {
		if digits, _ := a.Of.Ask(0, Whole); digits <= value.IntDigits {
			t.Kind = value.Int
		}
	}
	return t
}

func absolute(v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Float:
		return value.NewFloat(math.Abs(v.Float())), nil
	case value.Decimal:
		return value.NewDecimalScale(v.Decimal().Abs(), v.Scale()), nil
	case value.Int:
		if v.Int() == math.MinInt64 {
			return v, mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT value is out of range in 'abs(%s)'", v)
		}
		return value.NewInt(abs(v.Int())), nil
	}
	return v, nil
}

func evalSign(env *Env, args []value.Value) (value.Value, error) {
	v, err := env.Number(args[0])
	order, _ := value.Compare(v, value.NewInt(0))
	return value.NewInt(int64(order)), err
}

func evalWhole(float func(float64) float64, exact func(value.Value) value.Value) Eval {
	return ofNumber(func(v value.Value) (value.Value, error) {
		switch v.Kind() {
		case value.Float:
			return value.NewFloatScale(float(v.Float()), 0), nil
		case value.Decimal:
			return exact(v), nil
		}
		return v, nil
	})
}

// floatFunction is a function from double to double: NULL outside its domain,
// 1690 where the result is too large.
func floatFunction(f func(float64) float64) *Function {
	return &Function{Min: 1, Max: 1, Type: maybe(value.Float), Numbers: AllArgs,
		Eval: ofFloats(func(x, _ float64, _ bool) (value.Value, error) {
			y := f(x)
			if math.IsNaN(y) {
				return value.Value{}, nil
			}
			return finite(y)
		})}
}

func finite(f float64) (value.Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return value.Value{}, mysqlerr.New(mysqlerr.DataOutOfRange, "DOUBLE value is out of range in ''")
	}
	return value.NewFloat(f), nil
}

func arcTangent(x, y float64, both bool) (value.Value, error) {
	if both {
		return value.NewFloat(math.Atan2(x, y)), nil
	}
	return value.NewFloat(math.Atan(x)), nil
}

func power(x, y float64, _ bool) (value.Value, error) { return finite(math.Pow(x, y)) }

func evalLog(f func(float64) float64) Eval {
	return func(env *Env, args []value.Value) (value.Value, error) {
		x, err := env.Float(args[0])
		if err != nil {
			return value.Value{}, err
		}
		if x <= 0 {
			return value.Value{}, env.DivisionByZero()
		}
		return value.NewFloat(f(x)), nil
	}
}

// smallestNormal is the least double with all its digits. math.Log does not read
// those below it.
const smallestNormal = 0x1p-1022

func naturalLog(x float64) float64 {
	if x < smallestNormal {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// log10 is exact for the powers of ten, where math.Log10 is not.
func log10(x float64) float64 {
	if x < smallestNormal {
		return log10(x*1e20) - 20
	}
	y := math.Log10(x)
	if r := math.Round(y); math.Pow(10, r) == x {
		return r
	}
	return y
}

func evalLogBase(env *Env, args []value.Value) (value.Value, error) {
	if len(args) == 1 {
		return evalLog(naturalLog)(env, args)
	}
	return ofFloats(func(base, x float64, _ bool) (value.Value, error) {
		if base <= 0 || base == 1 || x <= 0 {
			return value.Value{}, env.DivisionByZero()
		}
		return value.NewFloat(naturalLog(x) / naturalLog(base)), nil
	})(env, args)
}

func evalBitCount(env *Env, args []value.Value) (value.Value, error) {
	if err := env.CheckInteger(args[0]); err != nil {
		return value.Value{}, err
	}
	n := int64(0)
	for u := value.Bit(value.BitOr, args[0], args[0]).Uint(); u != 0; u &= u - 1 {
		n++
	}
	return value.NewInt(n), nil
}
