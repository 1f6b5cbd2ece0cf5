package expr

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func (c *Cast) castTemporal(env *Env, v value.Value) (value.Value, error) {
	switch c.To {
	case ToTime:
		t, ok, err := env.timeOf(v)
		if !ok || err != nil {
			return value.Value{}, err
		}
		return roundTime(t, max(c.Length, 0)), nil
	case ToYear:
		return castYear(env, v)
	}
	d, ok, err := env.dateTimeOf(v)
	if !ok || err != nil {
		return value.Value{}, err
	}
	if c.To == ToDate {
		return value.NewDate(d.Fields()), nil
	}
	return roundDateTime(d, max(c.Length, 0))
}

func castYear(env *Env, v value.Value) (value.Value, error) {
	if v.Kind() == value.Date || v.Kind() == value.DateTime {
		return value.NewInt(int64(v.Fields().Year)), nil
	}
	y, err := env.integer(v)
	switch {
	case err != nil:
		return value.Value{}, err
	case y >= 1 && y <= 69:
		y += 2000
	case y >= 70 && y <= 99:
		y += 1900
	case y != 0 && (y < 1901 || y > 2155):
		return value.Value{}, env.incorrect("YEAR", v)
	}
	return value.NewInt(y), nil
}

func (env *Env) incorrect(kind string, v value.Value) error {
	return env.warn(mysqlerr.TruncatedWrongValue, fmt.Sprintf("Incorrect %s value: '%s'", kind, v.Brief()))
}

// dateTimeOf reads v as a Date or DateTime; ok is false, with a warning, where
// it is none. A Time is one of the day of the statement.
func (env *Env) dateTimeOf(v value.Value) (d value.Value, ok bool, err error) {
	if v.Kind() == value.Time {
		today := value.FieldsOf(env.now())
		f, ok := value.FieldsOfMicros(value.Fields{Year: today.Year, Month: today.Month, Day: today.Day}.Micros() + v.Micros())
		return value.NewDateTime(f, v.Scale()), ok, nil
	}
	d, whole, ok := value.ReadDateTime(v)
	if !ok {
		return d, false, env.incorrect("datetime", v)
	}
	if f := d.Fields(); f.Month == 0 || f.Day == 0 { // FROM_DAYS makes such
		return d, false, nil
	}
	if !whole {
		err = env.truncated("datetime", asString(v))
	}
	return d, true, err
}

// timeOf reads v as a Time.
func (env *Env) timeOf(v value.Value) (t value.Value, ok bool, err error) {
	t, whole, ok := value.ReadTime(v)
	if !ok {
		return t, false, env.incorrect("time", v)
	}
	if !whole {
		err = env.truncated("time", asString(v))
	}
	return t, true, err
}

// roundTime rounds to so many digits of the second's fraction.
func roundTime(t value.Value, digits int) value.Value {
	return value.NewTime(roundMicros(t.Micros(), digits), digits)
}

func roundMicros(micros int64, digits int) int64 {
	unit := int64(1)
	for range 6 - digits {
		unit *= 10
	}
	half := unit / 2
	if micros < 0 {
		half = -half
	}
	return (micros + half) / unit * unit
}

func roundDateTime(d value.Value, digits int) (value.Value, error) {
	f, ok := value.FieldsOfMicros(roundMicros(d.Fields().Micros(), digits))
	if !ok {
		return value.Value{}, nil
	}
	return value.NewDateTime(f, digits), nil
}

// castJSON reads text as a document; a number is one by itself.
func castJSON(env *Env, v value.Value, truth bool) (value.Value, error) {
	if !v.IsString() {
		doc, err := env.part(v, truth)
		if err != nil {
			return value.Value{}, err
		}
		return doc.result(env, "cast_as_json")
	}
	doc, ok, err := env.readJSON(v)
	if !ok {
		return value.Value{}, err
	}
	return doc.result(env, "cast_as_json")
}
