// Package versions says which versions of each cell a statement sees.
//
// The types that matter: [View], which of them a relation shows; [Choice], what a
// statement says of that by FOR SYSTEM_TIME and by hints, which beats the view of the
// session.
//
// A View picks its versions before any condition is asked: WHERE never changes which
// they are.
package versions
