package metrics

import "sync/atomic"

// Wire has a server's counts of its clients.
type Wire struct {
	Open atomic.Int64 // connections
	// Accepted are the connections so far, Refused those beyond the limit.
	Accepted, Refused atomic.Uint64
	// Aborted are the rejected connections.
	Aborted atomic.Uint64
	// Panics are the sessions that a panic ended.
	Panics atomic.Uint64
	// Received and Sent are bytes; with TLS, decrypted ones.
	Received, Sent atomic.Uint64
}
