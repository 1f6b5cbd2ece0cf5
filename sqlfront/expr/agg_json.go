package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// jsonMemory counts what a document made of a group's rows takes. The document
// is in memory as a whole, so that it is refused once it is larger than any
// value may be.
type jsonMemory struct {
	*held
	text int
	env  *Env // of the last row
}

func (m *jsonMemory) keepIn(h *held) { m.held = h }

// jsonOverhead is about what a value takes in a document beside its text.
const jsonOverhead = 96

func (m *jsonMemory) count(env *Env, function string, args []value.Value) error {
	m.env = env
	for _, v := range args {
		m.text += len(v.Raw()) + 1
		m.grow(len(v.Raw()) + jsonOverhead)
	}
	if m.text > env.MaxPacket() {
		return env.JSONTooLong(function)
	}
	if err := m.allowed(env); err != nil {
		return err
	}
	return env.Step(len(args))
}

// jsonArrayAcc is JSON_ARRAYAGG: all values of the group, NULLs included.
type jsonArrayAcc struct {
	jsonMemory
	agg    *Aggregate
	values []*function.Document
}

func (a *jsonArrayAcc) add(env *Env, args []value.Value) error {
	item, err := env.Part(args[0], a.agg.Args[0].Type().Bool)
	if err != nil {
		return err
	}
	a.values = append(a.values, item)
	return a.count(env, a.agg.Name, args)
}

func (a *jsonArrayAcc) result() (value.Value, error) {
	if len(a.values) == 0 {
		return value.Value{}, nil
	}
	return function.NewArray(a.values).Result(&a.env.Env, "json_arrayagg")
}

// jsonObjectAcc is JSON_OBJECTAGG: the last value of a key counts.
type jsonObjectAcc struct {
	jsonMemory
	agg    *Aggregate
	keys   []string
	values []*function.Document
}

func (o *jsonObjectAcc) add(env *Env, args []value.Value) error {
	if args[0].IsNull() {
		return function.NullKey()
	}
	v, err := env.Part(args[1], o.agg.Args[1].Type().Bool)
	if err != nil {
		return err
	}
	o.keys, o.values = append(o.keys, function.KeyText(args[0])), append(o.values, v)
	return o.count(env, o.agg.Name, args)
}

func (o *jsonObjectAcc) result() (value.Value, error) {
	if len(o.keys) == 0 {
		return value.Value{}, nil
	}
	doc, err := function.NewObject(&o.env.Env, o.keys, o.values)
	if err != nil {
		return value.Value{}, err
	}
	return doc.Result(&o.env.Env, "json_objectagg")
}
