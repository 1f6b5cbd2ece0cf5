// Package caught carries a panic from a goroutine that works for another to that other, as
// an error, so that it ends one statement and not the process.
package caught

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Panic is the value with which a goroutine has panicked, and its stack.
type Panic struct {
	Value any
	Stack []byte
}

// Of returns the Panic of a value that has just been recovered.
func Of(value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p // it comes from another goroutine
	}
	return &Panic{value, debug.Stack()}
}

// Error returns the message of a runtime error, but only the type of other values, which
// may contain data.
func (p *Panic) Error() string {
	if err, ok := p.Value.(runtime.Error); ok {
		return "panic: " + err.Error()
	}
	return fmt.Sprintf("panic: a %T", p.Value)
}

// Do calls f, and returns its panic as an error.
func Do(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Of(v)
		}
	}()
	return f()
}

// Throw panics with err if it is a panic from Do.
func Throw(err error) {
	var p *Panic
	if errors.As(err, &p) {
		panic(p)
	}
}
