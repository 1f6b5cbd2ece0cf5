// Package process is what a session has under way, as other sessions see it: its statements, what
// they are at and have read, since when, and whether KILL has ended it.
//
// All methods of a Process may be called by any number of goroutines. What the session holds besides
// is given up by a function that the process calls once it has been killed and nobody is at work on
// it any more.
package process
