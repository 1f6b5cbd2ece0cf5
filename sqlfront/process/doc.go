// Package process is what a session is doing, as other sessions see it: its statements, their state and what
// they have read, since when, and whether KILL has ended it.
//
// All methods of a Process may be called by any number of goroutines. After the session has been killed and
// no work on it is left, the process calls a function that releases what it holds.
package process
