package kv

import "fmt"

// ErrUnsupported is what a store says to what it cannot do. Nothing has happened,
// and what was under way can go on.
type ErrUnsupported struct {
	// What was asked for, in a few words that complete "… is not supported", with
	// what to do instead where there is something.
	What string
}

// Error implements error.
func (e ErrUnsupported) Error() string { return fmt.Sprintf("the store does not support %s", e.What) }
