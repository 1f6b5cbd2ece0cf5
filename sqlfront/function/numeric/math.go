package numeric

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
)

// The mathematical functions
// (https://dev.mysql.com/doc/refman/5.7/en/mathematical-functions.html).
func init() {
	function.Register(map[string]*function.Function{
		"ABS":      {Min: 1, Max: 1, Type: numberType, Eval: function.OfNumber(absolute), Numbers: function.AllArgs},
		"SIGN":     {Min: 1, Max: 1, Type: function.Small, Eval: evalSign, Numbers: function.AllArgs},
		"CEILING":  {Min: 1, Max: 1, Type: wholeType, Eval: evalWhole(math.Ceil, value.Value.Ceil), Numbers: function.AllArgs},
		"FLOOR":    {Min: 1, Max: 1, Type: wholeType, Eval: evalWhole(math.Floor, value.Value.Floor), Numbers: function.AllArgs},
		"ROUND":    {Min: 1, Max: 2, Type: roundType(1), Eval: evalRound(roundHow{roundFloat, value.Value.Round}), Numbers: function.AllArgs},
		"TRUNCATE": {Min: 2, Max: 2, Type: roundType(0), Eval: evalRound(roundHow{truncateFloat, value.Value.Truncate}), Numbers: function.AllArgs},
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
		"ATAN":     {Min: 1, Max: 2, Type: function.Maybe(value.Float), Eval: function.OfFloats(arcTangent), Numbers: function.AllArgs},
		"POW":      {Min: 2, Max: 2, Type: function.Maybe(value.Float), Eval: function.OfFloats(power), Numbers: function.AllArgs},
		"LN":       {Min: 1, Max: 1, Type: function.Maybe(value.Float), Eval: evalLog(naturalLog), Numbers: function.AllArgs},
		"LOG2":     {Min: 1, Max: 1, Type: function.Maybe(value.Float), Eval: evalLog(math.Log2), Numbers: function.AllArgs},
		"LOG10":    {Min: 1, Max: 1, Type: function.Maybe(value.Float), Eval: evalLog(log10), Numbers: function.AllArgs},
		"LOG":      {Min: 1, Max: 2, Type: function.Maybe(value.Float), Eval: evalLogBase, Numbers: function.AllArgs},
		"PI":       {Type: function.Fixed(value.Float), Eval: func(*function.Env, []value.Value) (value.Value, error) { return value.NewFloat(math.Pi), nil }},

		"BIT_COUNT": {Min: 1, Max: 1, Type: function.Small, Eval: evalBitCount, Numbers: function.AllArgs},
	})
	function.Alias(map[string]string{"CEIL": "CEILING", "POWER": "POW", "ATAN2": "ATAN"})
}

// numberType is the first argument's kind of number.
func numberType(a function.Args) value.Type {
	t := a.Types[0]
	return value.Type{Kind: t.NumberKind(), Nullable: a.Nullable(), Decimals: t.Decimals, Digits: t.Precision()}
}

// wholeType is that of FLOOR and CEILING: exact numbers become integers, or DECIMALs if they may have too
// many digits for these.
func wholeType(a function.Args) value.Type {
	t := numberType(a)
	whole := t.Whole() + min(t.Decimals, 1)
	t.Decimals = 0
	t = t.WithDigits(whole)
	if t.Kind == value.Decimal {
		if digits, _ := a.Of.Ask(0, function.Whole); digits <= value.IntDigits {
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
		return value.NewInt(function.Abs(v.Int())), nil
	}
	return v, nil
}

func evalSign(env *function.Env, args []value.Value) (value.Value, error) {
	v, err := env.Number(args[0])
	order, _ := value.Compare(v, value.NewInt(0))
	return value.NewInt(int64(order)), err
}

func evalWhole(float func(float64) float64, exact func(value.Value) value.Value) function.Eval {
	return function.OfNumber(func(v value.Value) (value.Value, error) {
		switch v.Kind() {
		case value.Float:
			return value.NewFloatScale(float(v.Float()), 0), nil
		case value.Decimal:
			return exact(v), nil
		}
		return v, nil
	})
}

// floatFunction is a function from double to double: NULL outside its domain; the error is 1690 if the result
// is too large.
func floatFunction(f func(float64) float64) *function.Function {
	return &function.Function{Min: 1, Max: 1, Type: function.Maybe(value.Float), Numbers: function.AllArgs,
		Eval: function.OfFloats(func(x, _ float64, _ bool) (value.Value, error) {
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

func evalLog(f func(float64) float64) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
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

// smallestNormal is the smallest double with full precision. math.Log does not handle smaller ones.
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

func evalLogBase(env *function.Env, args []value.Value) (value.Value, error) {
	if len(args) == 1 {
		return evalLog(naturalLog)(env, args)
	}
	return function.OfFloats(func(base, x float64, _ bool) (value.Value, error) {
		if base <= 0 || base == 1 || x <= 0 {
			return value.Value{}, env.DivisionByZero()
		}
		return value.NewFloat(naturalLog(x) / naturalLog(base)), nil
	})(env, args)
}

func evalBitCount(env *function.Env, args []value.Value) (value.Value, error) {
	if err := env.CheckInteger(args[0]); err != nil {
		return value.Value{}, err
	}
	n := int64(0)
	for u := arithmetic.Bit(arithmetic.BitOr, args[0], args[0]).Uint(); u != 0; u &= u - 1 {
		n++
	}
	return value.NewInt(n), nil
}
