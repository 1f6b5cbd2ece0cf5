package temporal

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// Incorrect adds the warning, or in strict mode returns the error 1292, that a value is not of the kind.
func Incorrect(env *function.Env, kind string, v value.Value) error {
	return env.Warn(mysqlerr.TruncatedWrongValue, fmt.Sprintf("Incorrect %s value: '%s'", kind, v.ShortString()))
}

// DateTimeOf reads v as a Date or DateTime; ok is false, with a warning, if it is neither. A Time is one on
// the day of the statement. The error is the warning, in strict mode.
func DateTimeOf(env *function.Env, v value.Value) (d value.Value, ok bool, err error) {
	if v.Kind() == value.Time {
		today := calendar.FieldsOf(env.Now())
		f, ok := calendar.FieldsOfMicros(calendar.Fields{Year: today.Year, Month: today.Month, Day: today.Day}.Micros() + v.Micros())
		return value.NewDateTime(f, v.Scale()), ok, nil
	}
	d, whole, ok := value.ReadDateTime(v)
	if !ok {
		return d, false, Incorrect(env, "datetime", v)
	}
	if f := d.Fields(); f.Month == 0 || f.Day == 0 { // FROM_DAYS returns such dates
		return d, false, nil
	}
	if !whole {
		err = env.Truncated("datetime", function.AsString(v))
	}
	return d, true, err
}

// TimeOf reads v as a Time; ok is false, with a warning, if it is none. The error is the warning, in strict
// mode.
func TimeOf(env *function.Env, v value.Value) (t value.Value, ok bool, err error) {
	t, whole, ok := value.ReadTime(v)
	if !ok {
		return t, false, Incorrect(env, "time", v)
	}
	if !whole {
		err = env.Truncated("time", function.AsString(v))
	}
	return t, true, err
}

// ofDate is a function of a date, ofTime of a time.
func ofDate(f func(d value.Value) value.Value) function.Eval {
	return function.Reading(func(env *function.Env, args []value.Value) (value.Value, bool, error) {
		return DateTimeOf(env, args[0])
	},
		func(d value.Value) (value.Value, error) { return f(d), nil })
}

func ofTime(f func(t value.Value) value.Value) function.Eval {
	return function.Reading(func(env *function.Env, args []value.Value) (value.Value, bool, error) { return TimeOf(env, args[0]) },
		func(t value.Value) (value.Value, error) { return f(t), nil })
}
