// Package dirlock is the lock of a store's directory, and the file beside it that says which process
// has the store open and where it is served.
package dirlock
