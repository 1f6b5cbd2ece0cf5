package function

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Float converts to a double, with MySQL's warning if a string is not a number. The error is that warning, in
// strict mode.
func (env *Env) Float(v value.Value) (float64, error) {
	if !v.IsString() {
		return v.AsFloat(), nil
	}
	if err := env.Reads(v, value.Value{}); err != nil {
		return 0, err
	}
	f, whole := value.ParseFloat(v.Raw())
	if whole {
		return f, nil
	}
	return f, env.Truncated("DOUBLE", v)
}

// Integer converts to an integer, with MySQL's warning if a string is not one. The error is that warning, in
// strict mode.
func (env *Env) Integer(v value.Value) (int64, error) {
	if !v.IsString() {
		return v.AsInt(), nil
	}
	if err := env.Reads(v, value.Value{}); err != nil {
		return 0, err
	}
	i, whole := value.ParseInt(v.Raw())
	if whole {
		return i, nil
	}
	return i, env.Truncated("INTEGER", v)
}

// Truncated adds the warning, or in strict mode returns the error 1292, that a string is not a value of the
// kind.
func (env *Env) Truncated(kind string, v value.Value) error {
	if !env.Strict && (env.Session == nil || env.Session.AddWarning == nil) {
		return nil
	}
	return env.Warn(mysqlerr.TruncatedWrongValue, fmt.Sprintf("Truncated incorrect %s value: '%s'", kind, v.Short().Raw()))
}

// Number converts a string to a double, with MySQL's warning, and any other value that is not a number to the
// number for it. The error is the warning, in strict mode.
func (env *Env) Number(v value.Value) (value.Value, error) {
	if !v.IsString() {
		return v.AsNumber(), nil
	}
	f, err := env.Float(v)
	return value.NewFloat(f), err
}

// Exact converts a string to a DECIMAL, as DIV does. The error is the warning that a string is not a number
// (1292), in strict mode.
func (env *Env) Exact(v value.Value) (value.Value, error) {
	if !v.IsString() {
		return v, nil
	}
	d, whole := value.ParseExact(v.Raw())
	if whole {
		return d, nil
	}
	return d, env.Truncated("DECIMAL", v)
}

// CheckInteger warns about a string that is not an integer. The error is the warning, in strict mode.
func (env *Env) CheckInteger(v value.Value) error {
	if !v.IsString() {
		return nil
	}
	if _, _, whole := value.ParseInteger(v.Raw()); whole {
		return nil
	}
	_, err := env.Exact(v)
	return err
}

// CheckNumber warns if one value is a number and the other a string that is not one. The error is the
// warning, in strict mode.
func (env *Env) CheckNumber(l, r value.Value) error {
	if r.Kind().IsNumber() {
		l, r = r, l
	}
	if !l.Kind().IsNumber() || !r.IsString() {
		return nil
	}
	if _, whole := value.ParseInt(r.Raw()); whole {
		return nil
	}
	_, err := env.Float(r)
	return err
}

// Operands are two values to be compared that are not of one kind: a string that is compared with a date or time is
// converted. It warns if the string is not one, or not a number like the other value. The error is the warning, in
// strict mode.
func (env *Env) Operands(l, r value.Value) (value.Value, value.Value, error) {
	var err error
	switch {
	case l.IsString() && r.Kind().IsTemporal():
		l, err = env.moment(l, r.Kind())
	case r.IsString() && l.Kind().IsTemporal():
		r, err = env.moment(r, l.Kind())
	default:
		err = env.CheckNumber(l, r)
	}
	return l, r, err
}

// moment converts a string to a date or time like one with which it is compared.
func (env *Env) moment(s value.Value, with value.Kind) (value.Value, error) {
	out, whole, _ := value.ReadCompared(s, with)
	switch {
	case whole:
		return out, nil
	case with == value.Time:
		return out, env.Truncated("time", s)
	case out.Kind() == value.Date:
		return out, env.Truncated("date", s)
	}
	return out, env.Truncated("datetime", s)
}

// OrderAs orders two values that are not NULL as values of a comparison class, as
// value.CompareAs does, with the warnings about strings. The error is the warning, in strict mode.
func (env *Env) OrderAs(class value.Kind, l, r value.Value) (int, error) {
	if err := env.Reads(l, r); err != nil {
		return 0, err
	}
	if class != value.Float {
		l, r, err := env.Operands(l, r)
		return value.CompareAs(class, l, r), err
	}
	x, err := env.Float(l)
	if err != nil {
		return 0, err
	}
	y, err := env.Float(r)
	order, _ := value.Compare(value.NewFloat(x), value.NewFloat(y))
	return order, err
}

// Note adds a warning that is not an error in strict mode. Without a receiver for warnings it is an error, so
// that the expression is not folded.
func (env *Env) Note(n mysqlerr.Number, message string) error {
	switch {
	case env.Session != nil && env.Session.AddWarning != nil:
		env.Session.AddWarning(uint16(n), message)
	case env.Strict:
		return mysqlerr.New(n, "%s", message)
	}
	return nil
}
