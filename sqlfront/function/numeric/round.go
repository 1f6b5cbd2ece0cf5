package numeric

import (
	"math"
	"strconv"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// roundHow is what distinguishes ROUND from TRUNCATE.
type roundHow struct {
	float func(f float64, places int64) float64
	exact func(v value.Value, places int32) value.Value
}

// roundType has carry more digits before the point if some after it are dropped.
func roundType(carry int) func(function.Args) value.Type {
	return func(a function.Args) value.Type {
		t := numberType(a)
		if t.Kind != value.Decimal {
			return t
		}
		whole, scale := t.Whole(), t.Decimals
		t.Decimals = 0
		if len(a.Types) == 2 {
			if a.Types[1].Kind == value.Null {
				return value.Type{Kind: value.Float, Nullable: true}
			}
			t.Decimals = value.MaxScale
			if places, ok := a.Of.Ask(1, Places); ok {
				t.Decimals = places
			}
		}
		if t.Decimals < scale {
			whole += carry
		}
		return t.WithDigits(whole)
	}
}

// places is the number of digits after the point in the result of ROUND.
func places(v value.Value) int { return int(min(max(v.AsInt(), 0), value.MaxScale)) }

func evalRound(how roundHow) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		v, err := env.Number(args[0])
		if err != nil {
			return v, err
		}
		var places int64
		if len(args) == 2 {
			if places, err = env.Integer(args[1]); err != nil {
				return v, err
			}
		}
		return how.round(v, places)
	}
}

func (how roundHow) round(v value.Value, places int64) (value.Value, error) {
	switch v.Kind() {
	case value.Float:
		return value.NewFloatScale(how.float(v.Float(), places), int(min(max(places, 0), value.MaxScale))), nil
	case value.Decimal:
		p := int32(min(max(places, -value.MaxDigits), value.MaxScale))
		return how.exact(v, p), nil
	}
	if places >= 0 {
		return v, nil
	}
	rounded := how.exact(v, int32(max(places, -value.MaxDigits))).Decimal().BigInt()
	switch {
	case v.Kind() == value.Uint && rounded.IsUint64():
		return value.NewUint(rounded.Uint64()), nil
	case v.Kind() == value.Int && rounded.IsInt64():
		return value.NewInt(rounded.Int64()), nil
	}
	return v, mysqlerr.New(mysqlerr.DataOutOfRange, "%s value is out of range in ''", v.Kind())
}

// roundFloat rounds half to even after scaling, as MySQL does with doubles.
func roundFloat(f float64, places int64) float64 {
	return scaleFloat(f, places, math.RoundToEven)
}

func truncateFloat(f float64, places int64) float64 { return scaleFloat(f, places, math.Trunc) }

func scaleFloat(f float64, places int64, round func(float64) float64) float64 {
	power, err := strconv.ParseFloat("1e"+strconv.FormatInt(function.Abs(max(places, -1000)), 10), 64)
	if err != nil {
		power = math.Inf(1)
	}
	switch {
	case places < 0 && math.IsInf(power, 0):
		return 0
	case places < 0:
		return round(f/power) * power
	case math.IsInf(power, 0) || math.IsInf(f*power, 0):
		return f
	}
	return round(f*power) / power
}

// Places is the question to how many places ROUND rounds.
var Places = &function.Question{Of: places}
