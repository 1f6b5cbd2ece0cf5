package expr

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// float converts with MySQL's warning about strings that are no number.
func (env *Env) float(v value.Value) (float64, error) {
	if !v.IsString() {
		return v.AsFloat(), nil
	}
	if err := env.reads(v, value.Value{}); err != nil {
		return 0, err
	}
	f, whole := value.ParseFloat(v.Raw())
	if whole {
		return f, nil
	}
	return f, env.truncated("DOUBLE", v)
}

// integer converts with MySQL's warning about strings that are no integer.
func (env *Env) integer(v value.Value) (int64, error) {
	if !v.IsString() {
		return v.AsInt(), nil
	}
	if err := env.reads(v, value.Value{}); err != nil {
		return 0, err
	}
	i, whole := value.ParseInt(v.Raw())
	if whole {
		return i, nil
	}
	return i, env.truncated("INTEGER", v)
}

func (env *Env) truncated(kind string, v value.Value) error {
	if !env.Strict && (env.Session == nil || env.Session.AddWarning == nil) {
		return nil
	}
	return env.warn(mysqlerr.TruncatedWrongValue, fmt.Sprintf("Truncated incorrect %s value: '%s'", kind, v.Short().Raw()))
}
