package function

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func (env *Env) Incorrect(kind string, v value.Value) error {
	return env.Warn(mysqlerr.TruncatedWrongValue, fmt.Sprintf("Incorrect %s value: '%s'", kind, v.Brief()))
}

// DateTimeOf reads v as a Date or DateTime; ok is false, with a warning, where
// it is none. A Time is one of the day of the statement.
func (env *Env) DateTimeOf(v value.Value) (d value.Value, ok bool, err error) {
	if v.Kind() == value.Time {
		today := value.FieldsOf(env.Now())
		f, ok := value.FieldsOfMicros(value.Fields{Year: today.Year, Month: today.Month, Day: today.Day}.Micros() + v.Micros())
		return value.NewDateTime(f, v.Scale()), ok, nil
	}
	d, whole, ok := value.ReadDateTime(v)
	if !ok {
		return d, false, env.Incorrect("datetime", v)
	}
	if f := d.Fields(); f.Month == 0 || f.Day == 0 { // FROM_DAYS makes such
		return d, false, nil
	}
	if !whole {
		err = env.Truncated("datetime", asString(v))
	}
	return d, true, err
}

// TimeOf reads v as a Time.
func (env *Env) TimeOf(v value.Value) (t value.Value, ok bool, err error) {
	t, whole, ok := value.ReadTime(v)
	if !ok {
		return t, false, env.Incorrect("time", v)
	}
	if !whole {
		err = env.Truncated("time", asString(v))
	}
	return t, true, err
}
