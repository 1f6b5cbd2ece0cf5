package hbaseserver

import (
	"context"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/faulty"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
)

// Op is a sort of calls.
type Op uint8

// The sorts of calls that a Faults hears of. What clients send as a batch is OpRead or OpWrite, too.
const (
	OpLookup = Op(faulty.Lookup) // asks hbase:meta for regions
	OpRead   = Op(faulty.Read)   // reads rows by their keys
	OpWrite  = Op(faulty.Write)  // writes rows, or reads some beside
	OpScan   = Op(faulty.Scan)   // opens a scanner, which may answer the first rows
	OpNext   = Op(faulty.Next)   // goes on with a scanner, or renews it
	OpClose  = Op(faulty.Close)  // closes a scanner, which clients do beside their work
	OpAdmin  = Op(faulty.Admin)  // is none of these
)

// Faults stands between clients and the server, so that a test can see what a program does when calls fail. Its
// Do is called by many goroutines.
type Faults interface {
	// Do has a call done by calling run, once, or leaves it undone. Its error is the call's: one of Exception,
	// ErrNoAnswer, or that of run. ctx ends with the call's deadline and its connection.
	Do(ctx context.Context, op Op, run func() error) error
}

// ErrNoAnswer has the client of a call lose its connection in place of the answer.
var ErrNoAnswer = rpc.ErrNoAnswer

// Exception is the error that clients know as the exception of that Java class, which may leave
// org.apache.hadoop.hbase out where it is one of HBase's.
func Exception(class, message string) error {
	return &rpc.Exception{Class: rpc.Prefix + class, Message: message}
}
