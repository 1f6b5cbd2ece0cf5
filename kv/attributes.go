package kv

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync/atomic"
)

// Attributes are what the front says of a descriptor. Stores keep them and do not
// read them: in JSON they are the members of the descriptor's object that the
// descriptor has none of its own for. A nil one is none. They are immutable in a Catalog.
type Attributes struct {
	stored []byte              // as the store has kept them; nil where the front made them
	value  atomic.Pointer[any] // as the front has them
}

// NewAttributes are those that a value has as a JSON object. The value is the
// catalog's once they are in one.
func NewAttributes(value any) *Attributes {
	a := &Attributes{}
	a.value.Store(&value)
	return a
}

// ReadAttributes is what NewAttributes was given, or a T read from what the store has
// kept, always the same one. What does not fit a T is left out.
func ReadAttributes[T any](a *Attributes) *T {
	if a == nil {
		return new(T)
	}
	if v := a.value.Load(); v != nil {
		if t, ok := (*v).(*T); ok {
			return t
		}
	}
	t := new(T)
	_ = json.Unmarshal(a.text(), t) // what fits is set
	var v any = t
	if !a.value.CompareAndSwap(nil, &v) {
		if first, ok := (*a.value.Load()).(*T); ok {
			return first
		}
	}
	return t
}

// text is the JSON object.
func (a *Attributes) text() []byte {
	switch {
	case a == nil:
		return []byte("{}")
	case a.stored != nil:
		return a.stored
	}
	return mustMarshal(*a.value.Load())
}

func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // descriptors are strings and numbers
	}
	return b
}

// MarshalJSON is the JSON object.
func (a *Attributes) MarshalJSON() ([]byte, error) { return a.text(), nil }

// UnmarshalJSON keeps a JSON value until [ReadAttributes] reads it, so that attributes can be a part
// of others.
func (a *Attributes) UnmarshalJSON(data []byte) error {
	a.stored = bytes.Clone(data)
	return nil
}

// Equal reports whether both say the same.
func (a *Attributes) Equal(b *Attributes) bool {
	if a == b {
		return true
	}
	var left, right map[string]any
	if json.Unmarshal(a.text(), &left) != nil || json.Unmarshal(b.text(), &right) != nil {
		return false
	}
	return reflect.DeepEqual(left, right)
}

// JoinAttributes is the JSON object that has the members of a struct, or of a pointer
// to one, and the attributes besides.
func JoinAttributes(of any, a *Attributes) []byte {
	out, more := mustMarshal(of), a.text()
	if len(more) <= len("{}") {
		return out
	}
	out = bytes.TrimSuffix(out, []byte("}"))
	if len(out) > len("{") {
		out = append(out, ',')
	}
	return append(out, more[1:]...)
}

// SplitAttributes reads a JSON object into a pointer to a struct. Members that the struct does not
// have are the attributes. The error is that of reading JSON.
func SplitAttributes(data []byte, into any) (*Attributes, error) {
	if err := json.Unmarshal(data, into); err != nil {
		return nil, err
	}
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(data, &rest); err != nil {
		return nil, err
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(into).Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		delete(rest, name)
	}
	if len(rest) == 0 {
		return nil, nil
	}
	return &Attributes{stored: mustMarshal(rest)}, nil
}
