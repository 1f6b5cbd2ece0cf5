// Package faulty has calls fail that a test has chosen, as those of a real HBase fail.
package faulty

import (
	"context"
	"errors"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
)

// Op is a kind of calls.
type Op uint8

// The kinds of calls, which package hbaseserver describes.
const (
	Lookup Op = iota
	Read
	Write
	Scan
	Next
	Close
	Admin
)

// Do does a call through a function, which calls the function that it gets, or does not.
func Do(ctx context.Context, r *rpc.Request, through func(context.Context, Op, func() error) error,
	do func(context.Context, *rpc.Request) (*rpc.Response, error)) (response *rpc.Response, err error) {
	err = through(ctx, opOf(r), func() error {
		response, err = do(ctx, r)
		return err
	})
	if e := (*rpc.Exception)(nil); r.Method == "Multi" && errors.As(err, &e) && !ofServer[e.Class] {
		return ofRegions(r, e)
	}
	if err != nil {
		return nil, err
	}
	return response, nil
}

// ofServer are the exceptions that answer a whole batch instead of each of its regions.
var ofServer = map[string]bool{rpc.Prefix + "CallQueueTooBigException": true,
	rpc.Prefix + "regionserver.RegionServerStoppedException": true, rpc.Prefix + "ipc.ServerNotRunningYetException": true}

// ofRegions is the response to a batch whose regions have all failed.
func ofRegions(r *rpc.Request, e *rpc.Exception) (*rpc.Response, error) {
	var m pb.MultiRequest
	if err := rpc.Unmarshal(r.Param, &m); err != nil {
		return nil, err
	}
	answer := &pb.MultiResponse{}
	for range m.GetRegionAction() {
		answer.RegionActionResult = append(answer.RegionActionResult, &pb.RegionActionResult{Exception: &pb.NameBytesPair{Name: &e.Class, Value: []byte(e.Error())}})
	}
	return &rpc.Response{Message: answer}, nil
}

// opOf is the kind of a call. Whoever does the call refuses one that cannot be parsed.
func opOf(r *rpc.Request) Op {
	switch r.Method {
	case "Mutate":
		return Write
	case "Get":
		var m pb.GetRequest
		return ofRegion(rpc.Unmarshal(r.Param, &m), m.GetRegion(), Read)
	case "Scan":
		var m pb.ScanRequest
		err := rpc.Unmarshal(r.Param, &m)
		switch {
		case m.ScannerId != nil && m.GetCloseScanner() && m.GetNumberOfRows() == 0:
			return Close
		case m.ScannerId != nil:
			return Next
		}
		return ofRegion(err, m.GetRegion(), Scan)
	case "Multi":
		return opOfBatch(r.Param)
	}
	return Admin
}

func ofRegion(err error, region *pb.RegionSpecifier, otherwise Op) Op {
	if err == nil && tables.IsMeta(region) {
		return Lookup
	}
	return otherwise
}

func opOfBatch(param []byte) Op {
	var m pb.MultiRequest
	if rpc.Unmarshal(param, &m) != nil {
		return Write
	}
	for _, region := range m.GetRegionAction() {
		for _, a := range region.GetAction() {
			if a.GetGet() == nil {
				return Write
			}
		}
	}
	return Read
}
