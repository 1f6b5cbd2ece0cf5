// Package socket keeps sockets outside of Go's poller, so that a client that asks again at once is
// answered by the thread that waits for it, and thousands that do not take no thread.
package socket
