package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func (c *Cast) castTemporal(env *Env, v value.Value) (value.Value, error) {
	if d, ok := value.ParseDateTime(v); ok {
		return d, nil
	}
	return value.Value{}, env.truncated("DATETIME", value.NewText(v.AsBytes()))
}

func castJSON(v value.Value) (value.Value, error) {
	return v, mysqlerr.Unsupported("CAST AS JSON")
}
