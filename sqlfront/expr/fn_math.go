package expr

import (
	"math"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The mathematical functions
// (https://dev.mysql.com/doc/refman/5.7/en/mathematical-functions.html).
func init() {
	register(map[string]*function{
		"ABS":      {min: 1, max: 1, typ: numberType, eval: evalAbs, numbers: allArgs},
		"SIGN":     {min: 1, max: 1, typ: small, eval: evalSign, numbers: allArgs},
		"CEILING":  {min: 1, max: 1, typ: wholeType, eval: evalWhole(math.Ceil, decimal.Decimal.Ceil), numbers: allArgs},
		"FLOOR":    {min: 1, max: 1, typ: wholeType, eval: evalWhole(math.Floor, decimal.Decimal.Floor), numbers: allArgs},
		"ROUND":    {min: 1, max: 2, typ: roundType(1), eval: evalRound(roundHow{roundFloat, decimal.Decimal.Round}), numbers: allArgs},
		"TRUNCATE": {min: 2, max: 2, typ: roundType(0), eval: evalRound(roundHow{truncateFloat, truncateDecimal}), numbers: allArgs},
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
		"ATAN":     {min: 1, max: 2, typ: maybe(value.Float), eval: evalAtan, numbers: allArgs},
		"POW":      {min: 2, max: 2, typ: maybe(value.Float), eval: evalPow, numbers: allArgs},
		"LN":       {min: 1, max: 1, typ: maybe(value.Float), eval: evalLog(naturalLog), numbers: allArgs},
		"LOG2":     {min: 1, max: 1, typ: maybe(value.Float), eval: evalLog(math.Log2), numbers: allArgs},
		"LOG10":    {min: 1, max: 1, typ: maybe(value.Float), eval: evalLog(log10), numbers: allArgs},
		"LOG":      {min: 1, max: 2, typ: maybe(value.Float), eval: evalLogBase, numbers: allArgs},
		"PI":       {typ: fixed(value.Float), eval: func(*Env, []value.Value) (value.Value, error) { return value.NewFloat(math.Pi), nil }},

		"BIT_COUNT": {min: 1, max: 1, typ: small, eval: evalBitCount, numbers: allArgs},
	})
	alias(map[string]string{"CEIL": "CEILING", "POWER": "POW", "ATAN2": "ATAN"})
}

// numberType is the first argument's kind of number.
func numberType(args []Node) value.Type {
	t := args[0].Type()
	return value.Type{Kind: numberKind(t), Nullable: anyNullable(args), Decimals: t.Decimals, Digits: t.Precision()}
}

func evalAbs(env *Env, args []value.Value) (value.Value, error) {
	v, err := env.number(args[0])
	if err != nil {
		return v, err
	}
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
	v, err := env.number(args[0])
	order, _ := value.Compare(v, value.NewInt(0))
	return value.NewInt(int64(order)), err
}

func evalWhole(float func(float64) float64, exact func(decimal.Decimal) decimal.Decimal) func(*Env, []value.Value) (value.Value, error) {
	return func(env *Env, args []value.Value) (value.Value, error) {
		v, err := env.number(args[0])
		if err != nil {
			return v, err
		}
		switch v.Kind() {
		case value.Float:
			return value.NewFloatScale(float(v.Float()), 0), nil
		case value.Decimal:
			return wholeNumber(exact(v.Decimal())), nil
		}
		return v, nil
	}
}

// wholeNumber is an integer where it fits into 64 bits, else a DECIMAL.
func wholeNumber(d decimal.Decimal) value.Value {
	if b := d.BigInt(); b.IsInt64() {
		return value.NewInt(b.Int64())
	}
	return value.NewDecimalScale(d, 0)
}

// floatFunction is a function from double to double: NULL outside its domain,
// 1690 where the result is too large.
func floatFunction(f func(float64) float64) *function {
	return &function{min: 1, max: 1, typ: maybe(value.Float), numbers: allArgs, eval: func(env *Env, args []value.Value) (value.Value, error) {
		x, err := env.float(args[0])
		if err != nil {
			return value.Value{}, err
		}
		y := f(x)
		if math.IsNaN(y) {
			return value.Value{}, nil
		}
		return finite(y)
	}}
}

func finite(f float64) (value.Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return value.Value{}, mysqlerr.New(mysqlerr.DataOutOfRange, "DOUBLE value is out of range in ''")
	}
	return value.NewFloat(f), nil
}

func (env *Env) floats(args []value.Value) (x, y float64, err error) {
	if x, err = env.float(args[0]); err == nil && len(args) > 1 {
		y, err = env.float(args[1])
	}
	return x, y, err
}

func evalAtan(env *Env, args []value.Value) (value.Value, error) {
	x, y, err := env.floats(args)
	if err != nil {
		return value.Value{}, err
	}
	if len(args) == 1 {
		return value.NewFloat(math.Atan(x)), nil
	}
	return value.NewFloat(math.Atan2(x, y)), nil
}

func evalPow(env *Env, args []value.Value) (value.Value, error) {
	x, y, err := env.floats(args)
	if err != nil {
		return value.Value{}, err
	}
	return finite(math.Pow(x, y))
}

func evalLog(f func(float64) float64) func(*Env, []value.Value) (value.Value, error) {
	return func(env *Env, args []value.Value) (value.Value, error) {
		x, err := env.float(args[0])
		if err != nil {
			return value.Value{}, err
		}
		if x <= 0 {
			return value.Value{}, env.warn(mysqlerr.DivisionByZero, "Division by 0")
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
	base, x, err := env.floats(args)
	if err != nil {
		return value.Value{}, err
	}
	if base <= 0 || base == 1 || x <= 0 {
		return value.Value{}, env.warn(mysqlerr.DivisionByZero, "Division by 0")
	}
	return value.NewFloat(naturalLog(x) / naturalLog(base)), nil
}

func evalBitCount(env *Env, args []value.Value) (value.Value, error) {
	if err := env.checkInteger(args[0]); err != nil {
		return value.Value{}, err
	}
	n := int64(0)
	for u := value.Bit(value.BitOr, args[0], args[0]).Uint(); u != 0; u &= u - 1 {
		n++
	}
	return value.NewInt(n), nil
}
