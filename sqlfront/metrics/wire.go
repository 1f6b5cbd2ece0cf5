package metrics

import "sync/atomic"

// Wire is what a server counts of its clients.
type Wire struct {
	Open atomic.Int64 // connections
	// Accepted are the connections so far, Refused those that were too many.
	Accepted, Refused atomic.Uint64
	// Aborted are those that were not let in.
	Aborted atomic.Uint64
	// Panics are the sessions that ended by one.
	Panics atomic.Uint64
	// Received and Sent are bytes, under TLS those inside.
	Received, Sent atomic.Uint64
}
