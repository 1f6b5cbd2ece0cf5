package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

func init() {
	register(map[string]*function{
		"GREATEST": {min: 2, max: -1, typ: extremeType, lazy: evalExtreme(1)},
		"LEAST":    {min: 2, max: -1, typ: extremeType, lazy: evalExtreme(-1)},
		"INTERVAL": {min: 2, max: -1, typ: smallNotNull, nulls: true, eval: evalInterval, numbers: allArgs},
	})
}

// extremeType is the type in which the arguments are compared: a number among
// strings makes all of them doubles.
func extremeType(args []Node) value.Type {
	t := unify(args)
	t.Nullable = anyNullable(args)
	class, numbers := value.Null, false
	for _, n := range args {
		k := n.Type().Kind
		if k == value.Null {
			k = value.Text
		}
		class = functionClass(class, k)
		numbers = numbers || k.IsNumber()
	}
	if numbers && class == value.Float {
		t = value.Type{Kind: value.Float, Nullable: t.Nullable}
	}
	return t
}

func evalExtreme(sign int) func(*Call, *Env) (value.Value, error) {
	return func(c *Call, env *Env) (value.Value, error) {
		var best value.Value
		for i, arg := range c.Args {
			v, err := arg.Eval(env)
			if err != nil || v.IsNull() {
				return value.Value{}, err
			}
			if v, err = env.toType(v, c.typ); err != nil {
				return v, err
			}
			if order, _ := value.Compare(v, best); i == 0 || order*sign > 0 {
				best = v
			}
		}
		return best, nil
	}
}

// toType is coerce with a warning about strings that are no number.
func (env *Env) toType(v value.Value, t value.Type) (value.Value, error) {
	if t.Kind == value.Float && v.IsString() {
		return env.number(v)
	}
	return coerce(v, t), nil
}

// evalInterval is INTERVAL(n, n1, n2, ..): how many of the sorted numbers are
// not above n; -1 for NULL.
func evalInterval(env *Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.NewInt(-1), nil
	}
	n, err := env.number(args[0])
	if err != nil {
		return n, err
	}
	count := int64(0)
	for _, a := range args[1:] {
		if a, err = env.number(a); err != nil {
			return a, err
		}
		if order, ok := value.Compare(n, a); ok && order < 0 {
			break
		}
		count++
	}
	return value.NewInt(count), nil
}
