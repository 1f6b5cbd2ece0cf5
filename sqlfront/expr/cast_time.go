package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	"github.com/hbasekv/hbasekv/sqlfront/function/temporal"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

func (c *Cast) castTemporal(env *Env, v value.Value) (value.Value, error) {
	switch c.To {
	case ToTime:
		t, ok, err := temporal.TimeOf(&env.Env, v)
		if !ok || err != nil {
			return value.Value{}, err
		}
		return roundTime(t, max(c.Length, 0)), nil
	case ToYear:
		return castYear(env, v)
	}
	d, ok, err := temporal.DateTimeOf(&env.Env, v)
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
	y, err := env.Integer(v)
	switch {
	case err != nil:
		return value.Value{}, err
	case y >= 1 && y <= 69:
		y += 2000
	case y >= 70 && y <= 99:
		y += 1900
	case y != 0 && (y < 1901 || y > 2155):
		return value.Value{}, temporal.Incorrect(&env.Env, "YEAR", v)
	}
	return value.NewInt(y), nil
}

// roundTime rounds to this many fractional digits of a second.
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
	f, ok := calendar.FieldsOfMicros(roundMicros(d.Fields().Micros(), digits))
	if !ok {
		return value.Value{}, nil
	}
	return value.NewDateTime(f, digits), nil
}

// castJSON reads text as a document; a number is a document by itself.
func castJSON(env *Env, v value.Value, truth bool) (value.Value, error) {
	if !v.IsString() {
		doc, err := jsondoc.Part(&env.Env, v, truth)
		if err != nil {
			return value.Value{}, err
		}
		return doc.Result(&env.Env, "cast_as_json")
	}
	doc, ok, err := jsondoc.Read(&env.Env, v)
	if !ok {
		return value.Value{}, err
	}
	return doc.Result(&env.Env, "cast_as_json")
}
