package hbaseserver_test

import (
	"strings"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// ownCall is a call that gohbase does not support.
type ownCall struct {
	*hrpc.Mutate
	name     string
	message  func() proto.Message // called each time it is sent
	response proto.Message
}

func (c *ownCall) Name() string               { return c.name }
func (c *ownCall) Description() string        { return c.name }
func (c *ownCall) ToProto() proto.Message     { return c.message() }
func (c *ownCall) NewResponse() proto.Message { return proto.Clone(c.response) }
func (c *ownCall) CellBlocksEnabled() bool    { return false }

// DeserializeCellBlocks skips the cells of the answer.
func (c *ownCall) DeserializeCellBlocks(_ proto.Message, block []byte) (uint32, error) {
	return uint32(len(block)), nil
}

// thrownError is an exception in an answer.
type thrownError struct{ class, text string }

func (e thrownError) Error() string { return e.class + ": " + e.text }

// in reports whether the class is one of classes, without HBase's package.
func (e thrownError) in(classes ...string) bool {
	for _, c := range classes {
		if strings.HasSuffix(e.class, "."+c) {
			return true
		}
	}
	return false
}

// together does all actions or none, in the region of a row, and retries if the region has changed.
func (w *loader) together(c gohbase.Client, table, row string, actions ...*pb.Action) error {
	for {
		mutate, err := hrpc.NewPutStr(w.ctx, table, row, nil, hrpc.SkipBatch())
		if err != nil {
			return err
		}
		call := &ownCall{Mutate: mutate, name: "Multi", response: &pb.MultiResponse{}}
		call.message = func() proto.Message {
			region := named(string(mutate.Region().Name()))
			return &pb.MultiRequest{RegionAction: []*pb.RegionAction{{Region: region, Atomic: proto.Bool(true), Action: actions}}}
		}
		m, err := c.(gohbase.RPCClient).SendRPC(call)
		if err != nil {
			return err
		}
		thrown := m.(*pb.MultiResponse).GetRegionActionResult()[0].GetException()
		if thrown == nil {
			return nil
		}
		e := thrownError{thrown.GetName(), string(thrown.GetValue())}
		if !e.in("NotServingRegionException", "RegionTooBusyException", "PleaseHoldException") {
			return e
		}
		if err := w.look(c, table, row); err != nil {
			return err
		}
	}
}

// look reads a row, after which gohbase knows its region.
func (w *loader) look(c gohbase.Client, table, row string) error {
	get, err := hrpc.NewGetStr(w.ctx, table, row)
	if err == nil {
		_, err = c.Get(get)
	}
	return err
}
