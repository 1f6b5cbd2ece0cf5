package kv

import "fmt"

// ErrUnsupported is the error for what a store does not support. Nothing has
// happened, and the transaction can continue.
type ErrUnsupported struct {
	// What says what was asked for, in a few words that complete "the store does
	// not support", with what to do instead if there is an alternative.
	What string
}

// Error implements error.
func (e ErrUnsupported) Error() string { return fmt.Sprintf("the store does not support %s", e.What) }
