package hbaseserver

import (
	"context"
	"errors"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
)

// Op is a sort of calls.
type Op uint8

// The sorts of calls that a Faults hears of. What clients send as a batch is OpRead or OpWrite, too.
const (
	OpLookup Op = iota // asks hbase:meta for regions
	OpRead             // reads rows by their keys
	OpWrite            // writes rows, or reads some beside
	OpScan             // opens a scanner, which may answer the first rows
	OpNext             // goes on with a scanner, or renews it
	OpClose            // closes a scanner, which clients do beside their work
	OpAdmin            // is none of these
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

// faulty has a call done by way of the faults.
func (s *server) faulty(ctx context.Context, r *rpc.Request, do method) (response *rpc.Response, err error) {
	err = s.options.Faults.Do(ctx, opOf(r), func() error {
		response, err = do(ctx, r)
		return err
	})
	if e := (*rpc.Exception)(nil); err != nil && r.Method == "Multi" && errors.As(err, &e) && !ofServer[e.Class] {
		return ofRegions(r, err)
	}
	if err != nil {
		return nil, err
	}
	return response, nil
}

// ofServer are the exceptions that are the answer to a whole batch, and not to each of its regions.
var ofServer = map[string]bool{rpc.Prefix + "CallQueueTooBigException": true,
	rpc.Prefix + "regionserver.RegionServerStoppedException": true, rpc.Prefix + "ipc.ServerNotRunningYetException": true}

// ofRegions is the answer to a batch whose regions have all failed.
func ofRegions(r *rpc.Request, err error) (*rpc.Response, error) {
	var m pb.MultiRequest
	if err := rpc.Unmarshal(r.Param, &m); err != nil {
		return nil, err
	}
	answer := &pb.MultiResponse{}
	for range m.GetRegionAction() {
		answer.RegionActionResult = append(answer.RegionActionResult, &pb.RegionActionResult{Exception: nameAndText(err)})
	}
	return &rpc.Response{Message: answer}, nil
}

// opOf is the sort of a call. One that cannot be read is refused by who does it.
func opOf(r *rpc.Request) Op {
	switch r.Method {
	case "Mutate":
		return OpWrite
	case "Get":
		var m pb.GetRequest
		return ofRegion(rpc.Unmarshal(r.Param, &m), m.GetRegion(), OpRead)
	case "Scan":
		var m pb.ScanRequest
		err := rpc.Unmarshal(r.Param, &m)
		switch {
		case m.ScannerId != nil && m.GetCloseScanner() && m.GetNumberOfRows() == 0:
			return OpClose
		case m.ScannerId != nil:
			return OpNext
		}
		return ofRegion(err, m.GetRegion(), OpScan)
	case "Multi":
		return opOfBatch(r.Param)
	}
	return OpAdmin
}

func ofRegion(err error, region *pb.RegionSpecifier, otherwise Op) Op {
	if err == nil && tables.IsMeta(region) {
		return OpLookup
	}
	return otherwise
}

func opOfBatch(param []byte) Op {
	var m pb.MultiRequest
	if rpc.Unmarshal(param, &m) != nil {
		return OpWrite
	}
	for _, region := range m.GetRegionAction() {
		for _, a := range region.GetAction() {
			if a.GetGet() == nil {
				return OpWrite
			}
		}
	}
	return OpRead
}
