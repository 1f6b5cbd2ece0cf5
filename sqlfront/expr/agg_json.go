package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// jsonArrayAcc is JSON_ARRAYAGG: all values of the group, NULLs included.
type jsonArrayAcc struct {
	agg *Aggregate
	doc jsonDoc
}

func (a *jsonArrayAcc) add(_ *Env, args []value.Value) error {
	item, err := jsonPart(args[0], a.agg.Args[0].Type().Bool)
	a.doc.values = append(a.doc.values, item)
	return err
}

func (a *jsonArrayAcc) merge(other accumulator) error {
	a.doc.values = append(a.doc.values, other.(*jsonArrayAcc).doc.values...)
	return nil
}

func (a *jsonArrayAcc) result() (value.Value, error) {
	if len(a.doc.values) == 0 {
		return value.Value{}, nil
	}
	a.doc.kind = jsonArray
	return a.doc.value(), nil
}

// jsonObjectAcc is JSON_OBJECTAGG: the last value of a key counts.
type jsonObjectAcc struct {
	agg    *Aggregate
	keys   []string
	values []*jsonDoc
}

func (o *jsonObjectAcc) add(_ *Env, args []value.Value) error {
	if args[0].IsNull() {
		return nullKey()
	}
	v, err := jsonPart(args[1], o.agg.Args[1].Type().Bool)
	o.keys, o.values = append(o.keys, keyText(args[0])), append(o.values, v)
	return err
}

func (o *jsonObjectAcc) merge(other accumulator) error {
	p := other.(*jsonObjectAcc)
	o.keys, o.values = append(o.keys, p.keys...), append(o.values, p.values...)
	return nil
}

func (o *jsonObjectAcc) result() (value.Value, error) {
	if len(o.keys) == 0 {
		return value.Value{}, nil
	}
	return newObject(o.keys, o.values).value(), nil
}
