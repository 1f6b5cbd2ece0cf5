package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// jsonMemory accounts for the document made of a group's rows. The whole document is in memory, so
// it is refused once it is larger than any value may be.
type jsonMemory struct {
	*held
	env *expr.Env // of the last row
}

func (m *jsonMemory) keepIn(h *held) { m.held = h }

// holds records the current size of the document. The error is 1038 or 1041.
func (m *jsonMemory) holds(env *expr.Env, size int) error {
	m.env = env
	m.grow(size - m.bytes)
	return m.allowed(env)
}

// jsonArrayAcc is JSON_ARRAYAGG: all values of the group, NULLs included.
type jsonArrayAcc struct {
	jsonMemory
	truth bool
	items jsondoc.ArrayBuilder
}

const arrayAgg = "json_arrayagg"

func newJSONArray(a *setfunc.Aggregate) *jsonArrayAcc {
	return &jsonArrayAcc{truth: a.Args[0].Type().Bool}
}

func (a *jsonArrayAcc) add(env *expr.Env, args []value.Value) error {
	if err := a.items.Add(&env.Env, args[0], a.truth, arrayAgg); err != nil {
		return err
	}
	return a.holds(env, a.items.Size())
}

func (a *jsonArrayAcc) combine(other accumulator) error {
	o := other.(*jsonArrayAcc)
	if o.items.N == 0 {
		return nil
	}
	if err := a.items.Append(&o.env.Env, &o.items, arrayAgg); err != nil {
		return err
	}
	return a.holds(o.env, a.items.Size())
}

func (a *jsonArrayAcc) result() (value.Value, error) {
	if a.items.N == 0 {
		return value.Value{}, nil
	}
	return a.items.Result()
}

// jsonObjectAcc is JSON_OBJECTAGG: the last value of a key is kept.
type jsonObjectAcc struct {
	jsonMemory
	truth   bool
	members *jsondoc.ObjectBuilder
	left    *spareObject // for the next state
}

// spareObject has the memory of a finished state.
type spareObject = spare[jsondoc.ObjectBuilder, *jsondoc.ObjectBuilder]

const objectAgg = "json_objectagg"

func newJSONObject(a *setfunc.Aggregate, left *spareObject) *jsonObjectAcc {
	return &jsonObjectAcc{truth: a.Args[1].Type().Bool, members: left.take(), left: left}
}

func (o *jsonObjectAcc) add(env *expr.Env, args []value.Value) error {
	if err := o.members.Add(&env.Env, args[0], args[1], o.truth, objectAgg); err != nil {
		return err
	}
	return o.holds(env, o.members.Size())
}

func (o *jsonObjectAcc) combine(other accumulator) error {
	p := other.(*jsonObjectAcc)
	if p.members.N() == 0 {
		return nil
	}
	if err := o.members.Append(&p.env.Env, p.members, objectAgg); err != nil {
		return err
	}
	return o.holds(p.env, o.members.Size())
}

func (o *jsonObjectAcc) result() (value.Value, error) {
	if o.members.N() == 0 {
		return value.Value{}, nil
	}
	return o.members.Result(&o.env.Env, objectAgg)
}

func (o *jsonObjectAcc) leave() {
	o.left.give(o.members)
	o.members = nil
}
