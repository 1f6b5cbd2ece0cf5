// Package attribute has what the front says of descriptors, which stores keep and do not read.
package attribute

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync/atomic"
)

// Set is the front's attributes of a descriptor: in JSON, members of the descriptor's object besides
// its own. A nil Set is empty. A Set in a catalog is immutable.
type Set struct {
	stored []byte              // as stored; nil if the front made them
	value  atomic.Pointer[any] // as the front uses them
}

// New returns the set with the members of a value as a JSON object. The value must not change once the
// set is in a catalog.
func New(value any) *Set {
	a := &Set{}
	a.value.Store(&value)
	return a
}

// Read returns the value passed to New, or a T read from what is stored, always the same one. Members
// that do not fit a T are left out.
func Read[T any](a *Set) *T {
	if a == nil {
		return new(T)
	}
	if v := a.value.Load(); v != nil {
		if t, ok := (*v).(*T); ok {
			return t
		}
	}
	t := new(T)
	_ = json.Unmarshal(a.text(), t) // sets what fits
	var v any = t
	if !a.value.CompareAndSwap(nil, &v) {
		if first, ok := (*a.value.Load()).(*T); ok {
			return first
		}
	}
	return t
}

// text returns the JSON object.
func (a *Set) text() []byte {
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

// MarshalJSON implements json.Marshaler.
func (a *Set) MarshalJSON() ([]byte, error) { return a.text(), nil }

// UnmarshalJSON stores a JSON value until [Read] reads it, so that attributes can be part of others.
func (a *Set) UnmarshalJSON(data []byte) error {
	a.stored = bytes.Clone(data)
	return nil
}

// Equal reports whether both have the same content.
func (a *Set) Equal(b *Set) bool {
	if a == b {
		return true
	}
	var left, right map[string]any
	if json.Unmarshal(a.text(), &left) != nil || json.Unmarshal(b.text(), &right) != nil {
		return false
	}
	return reflect.DeepEqual(left, right)
}

// Join returns the JSON object with the members of a struct, or of a pointer to one, and the attributes.
func Join(of any, a *Set) []byte {
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

// Split reads a JSON object into a pointer to a struct. Members that the struct does not
// have become the attributes. The error is the JSON decoder's.
func Split(data []byte, into any) (*Set, error) {
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
	return &Set{stored: mustMarshal(rest)}, nil
}
