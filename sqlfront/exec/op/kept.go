package op

import (
	"reflect"
	"sync"
)

// keeping is what the operators of a statement keep for each other: for each plan, one value of
// each type.
type keeping struct {
	mu   sync.Mutex
	kept map[keptKey]any
}

type keptKey struct {
	of   any // the plan, which must be comparable
	kind reflect.Type
}

// Kept returns the R kept for a plan, or nil.
func Kept[R any](run *Statement, of any) *R {
	run.keeping.mu.Lock()
	defer run.keeping.mu.Unlock()
	r, _ := run.keeping.kept[keptKey{of, reflect.TypeFor[R]()}].(*R)
	return r
}

// Keep is Kept, but adds a zero R if there is none.
func Keep[R any](run *Statement, of any) *R {
	run.keeping.mu.Lock()
	defer run.keeping.mu.Unlock()
	r, _ := run.keeping.kept[keptKey{of, reflect.TypeFor[R]()}].(*R)
	if r == nil {
		r = new(R)
		run.keeping.put(of, r)
	}
	return r
}

// KeepAs keeps an R for a plan.
func KeepAs[R any](run *Statement, of any, r *R) {
	run.keeping.mu.Lock()
	defer run.keeping.mu.Unlock()
	run.keeping.put(of, r)
}

// put keeps the value pointed to.
func (k *keeping) put(of, pointer any) {
	if k.kept == nil {
		k.kept = map[keptKey]any{}
	}
	k.kept[keptKey{of, reflect.TypeOf(pointer).Elem()}] = pointer
}
