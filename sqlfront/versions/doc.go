// Package versions says which versions of each cell a statement sees.
//
// The main types: [View] is which of them a relation shows; [Choice] is what a statement says about that by
// FOR SYSTEM_TIME and by hints, which have precedence over the view of the session.
//
// A View selects its versions before any condition is evaluated: WHERE never changes which they are.
package versions
