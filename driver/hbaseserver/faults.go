package hbaseserver

import (
	"context"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/faulty"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
)

// Op is a kind of calls.
type Op uint8

// The kinds of calls that a Faults is asked about. A batch is OpRead or OpWrite, too.
const (
	OpLookup = Op(faulty.Lookup) // looks regions up in hbase:meta
	OpRead   = Op(faulty.Read)   // reads rows by their keys
	OpWrite  = Op(faulty.Write)  // writes rows, and may also read some
	OpScan   = Op(faulty.Scan)   // opens a scanner, and may return the first rows
	OpNext   = Op(faulty.Next)   // continues or renews a scanner
	OpClose  = Op(faulty.Close)  // closes a scanner, which clients do in the background
	OpAdmin  = Op(faulty.Admin)  // any other call
)

// Faults stands between clients and the server, so that a test can see what a program does when calls fail.
// Many goroutines call its Do.
type Faults interface {
	// Do calls run once to do the call, or does not call it. Its error is the call's: one of Exception,
	// ErrNoAnswer, or that of run. ctx ends with the call's deadline and with its connection.
	Do(ctx context.Context, op Op, run func() error) error
}

// ErrNoAnswer makes the client of a call lose its connection instead of getting the response.
var ErrNoAnswer = rpc.ErrNoAnswer

// Exception returns the error that clients see as an exception of that Java class. For HBase's
// own classes, omit org.apache.hadoop.hbase.
func Exception(class, message string) error {
	return &rpc.Exception{Class: rpc.Prefix + class, Message: message}
}
