// Package caught carries a panic from a goroutine that works for another to that other, as
// an error, so that it ends one statement and not the process.
package caught

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Panic is what a goroutine has panicked with, and where.
type Panic struct {
	Value any
	Stack []byte
}

// Of is the Panic of a value that was recovered just now.
func Of(value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p // it was carried here
	}
	return &Panic{value, debug.Stack()}
}

// Error tells the message of a failure of the runtime, of other values only the type: they
// may hold data.
func (p *Panic) Error() string {
	if err, ok := p.Value.(runtime.Error); ok {
		return "panic: " + err.Error()
	}
	return fmt.Sprintf("panic: a %T", p.Value)
}

// Do calls f and gives its panic as an error.
func Do(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Of(v)
		}
	}()
	return f()
}

// Throw panics with err where it is one of Do's.
func Throw(err error) {
	var p *Panic
	if errors.As(err, &p) {
		panic(p)
	}
}
