package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

func init() {
	register(map[string]*function{
		"IFNULL":   {min: 2, max: 2, typ: coalesceType, lazy: evalCoalesce},
		"COALESCE": {min: 1, max: -1, typ: coalesceType, lazy: evalCoalesce},
		"NULLIF":   {min: 2, max: 2, typ: nullIfType, lazy: evalNullIf},
		"ISNULL":   {min: 1, max: 1, typ: func([]Node) value.Type { return boolType() }, nulls: true, eval: evalIsNull},
	})
}

func coalesceType(args []Node) value.Type {
	t := unify(args)
	t.Nullable = true
	for _, n := range args {
		t.Nullable = t.Nullable && n.Type().Nullable
	}
	return t
}

func evalCoalesce(c *Call, env *Env) (value.Value, error) {
	for _, arg := range c.Args {
		v, err := arg.Eval(env)
		if err != nil || !v.IsNull() {
			return coerce(v, c.typ), err
		}
	}
	return value.Value{}, nil
}

func nullIfType(args []Node) value.Type {
	t := args[0].Type()
	t.Nullable = true
	return t
}

func evalNullIf(c *Call, env *Env) (value.Value, error) {
	x, err := c.Args[0].Eval(env)
	if err != nil {
		return x, err
	}
	y, err := c.Args[1].Eval(env)
	if err != nil {
		return y, err
	}
	equal, err := compareValues(env, Eq, x, y, c.Args[0], c.Args[1])
	if err != nil || equal == isTrue {
		return value.Value{}, err
	}
	return x, nil
}

func evalIsNull(_ *Env, args []value.Value) (value.Value, error) {
	return value.NewBool(args[0].IsNull()), nil
}
