package function

import "github.com/hbasekv/hbasekv/sqlfront/value"

func init() {
	Register(map[string]*Function{
		"GREATEST": {Min: 2, Max: -1, Type: extremeType, Typed: evalExtreme(1), Comparing: true},
		"LEAST":    {Min: 2, Max: -1, Type: extremeType, Typed: evalExtreme(-1), Comparing: true},
		"INTERVAL": {Min: 2, Max: -1, Type: SmallNotNull, Nulls: true, Eval: evalInterval, Numbers: AllArgs},
	})
}

// extremeType is the type in which the arguments are compared: if numbers are mixed with strings, all become
// doubles.
func extremeType(a Args) value.Type {
	t := value.Unify(a.Types...)
	t.Nullable = a.Nullable()
	class, numbers := value.Null, false
	for _, each := range a.Types {
		k := each.Kind
		if k == value.Null {
			k = value.Text
		}
		class = FunctionClass(class, k)
		numbers = numbers || k.IsNumber()
	}
	if numbers && class == value.Float {
		t = value.Type{Kind: value.Float, Nullable: t.Nullable}
	}
	return t
}

func evalExtreme(sign int) func(value.Type, []value.Type) Eval {
	return func(t value.Type, _ []value.Type) Eval {
		return func(env *Env, args []value.Value) (value.Value, error) {
			var best value.Value
			for i, v := range args {
				v, err := env.toType(v, t)
				if err != nil {
					return v, err
				}
				order, _, err := env.Order(v, best)
				if err != nil {
					return value.Value{}, err
				}
				if i == 0 || order*sign > 0 {
					best = v
				}
			}
			return best, nil
		}
	}
}

// toType is value.Coerce with a warning about strings that are not numbers.
func (env *Env) toType(v value.Value, t value.Type) (value.Value, error) {
	if t.Kind == value.Float && v.IsString() {
		return env.Number(v)
	}
	return value.Coerce(v, t), nil
}

// evalInterval is INTERVAL(n, n1, n2, ..): how many of the sorted numbers are at most n; -1 for NULL.
func evalInterval(env *Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.NewInt(-1), nil
	}
	n, err := env.Number(args[0])
	if err != nil {
		return n, err
	}
	count := int64(0)
	for _, a := range args[1:] {
		if a, err = env.Number(a); err != nil {
			return a, err
		}
		if order, ok := value.Compare(n, a); ok && order < 0 {
			break
		}
		count++
	}
	return value.NewInt(count), nil
}
