package hbase

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/caught"
)

// rowAction is a change of one row, done atomically if its condition holds.
type rowAction struct {
	row       []byte
	mutations []*pb.MutationProto
	condition *pb.Condition // nil for none
	err       error         // why it was not done; errPending until known
}

var errPending = errors.New("the request has not been sent")

// blind reports whether the action is one mutation without a condition. Those of
// a region are one write to its log.
func (a *rowAction) blind() bool { return a.condition == nil && len(a.mutations) == 1 }

// applyRows runs the actions on rows of a table, with one request to each server.
// Actions that were certainly not done are retried. If that is unknown, they are only
// retried if again is set, otherwise it is the action's error.
func (c *cluster) applyRows(ctx context.Context, table string, actions []*rowAction, again bool) error {
	ctx, cancel := c.within(ctx, applyTimeout)
	defer cancel()
	for _, a := range actions {
		a.err = errPending
	}
	return c.onTable(ctx, table, func(ctx context.Context) error {
		byServer := map[server]*rowsOfServer{}
		for _, a := range actions {
			if a.err != errPending {
				continue
			}
			r, err := c.regionOf(ctx, table, a.row, false)
			if err != nil {
				return err
			}
			if byServer[r.server] == nil {
				byServer[r.server] = &rowsOfServer{}
			}
			byServer[r.server].add(r, a)
		}
		failed := make(chan error, len(byServer))
		for to, of := range byServer {
			go func() { failed <- caught.Do(func() error { return of.send(ctx, c.rpc, to, again) }) }()
		}
		var err error
		for range byServer {
			if e := <-failed; e != nil && (err == nil || outcomeOf(e) == refused) {
				err = e
			}
		}
		return err
	})
}

// applyTimeout is the time limit for many rows if the context has no deadline: a
// server whose memory is full of them is busy until it has written it to files.
const applyTimeout = 2 * time.Minute

// rowsOfServer is one request: the blind actions of each region, and the others.
type rowsOfServer struct {
	regions []*pb.RegionAction
	of      [][]*rowAction // parallel to regions
	blind   map[string]int // by region: the index in regions of its blind actions
}

func (s *rowsOfServer) add(r *regionInfo, a *rowAction) {
	if s.blind == nil {
		s.blind = map[string]int{}
	}
	i, known := s.blind[string(r.name)]
	if !known || !a.blind() {
		i = len(s.regions)
		s.regions = append(s.regions, &pb.RegionAction{Region: regionSpecifier(r.name)})
		s.of = append(s.of, nil)
		if a.blind() {
			s.blind[string(r.name)] = i
		}
	}
	region := s.regions[i]
	for _, m := range a.mutations {
		region.Action = append(region.Action, &pb.Action{Index: proto.Uint32(uint32(len(region.Action))), Mutation: m})
	}
	s.of[i] = append(s.of[i], a)
	if !a.blind() {
		region.Atomic = proto.Bool(true)
	}
	if a.condition != nil {
		if field, err := messageField(regionActionCondition, a.condition); err == nil {
			setField(region, field)
		}
	}
}

// The numbers of fields that gohbase's messages do not have.
const (
	regionActionCondition = 4 // of RegionAction
	regionResultProcessed = 3 // of RegionActionResult
)

// send sends the request, and sets the errors of the actions: nil, kv.ErrConflict, an
// exception, or that the outcome is unknown. It returns the reason why some must
// still be done.
func (s *rowsOfServer) send(ctx context.Context, rpc transport, to server, again bool) error {
	response := &pb.MultiResponse{}
	_, err := rpc.call(ctx, to, "Multi", &pb.MultiRequest{RegionAction: s.regions}, response)
	if err != nil {
		switch o := outcomeOf(err); {
		case o == moved || o == notSent || o == busy:
			return err
		case o == lost && again:
			return &rpcError{moved, "", err.Error()}
		case o == lost || o == canceled:
			err = fmt.Errorf("%w: %s", kv.ErrOutcomeUnknown, err)
		}
		for _, of := range s.of {
			for _, a := range of {
				a.err = err
			}
		}
		return nil
	}
	var left error
	for i, result := range response.GetRegionActionResult() {
		if e := result.GetException(); e != nil {
			left = s.failed(i, named(e), again, left)
			continue
		}
		if s.of[i][0].condition != nil && !processed(result) {
			s.of[i][0].err = kv.ErrConflict
			continue
		}
		for _, a := range s.of[i] {
			a.err = nil
		}
		for _, one := range result.GetResultOrException() {
			if e := one.GetException(); e != nil {
				left = failedAction(s.of[i][min(int(one.GetIndex()), len(s.of[i])-1)], named(e), again, left)
			}
		}
	}
	return left
}

// failed sets an exception for all actions of a region.
func (s *rowsOfServer) failed(i int, err error, again bool, left error) error {
	for _, a := range s.of[i] {
		left = failedAction(a, err, again, left)
	}
	return left
}

// failedAction sets an exception for an action, or leaves it to be retried.
func failedAction(a *rowAction, err error, again bool, left error) error {
	switch o := outcomeOf(err); {
	case o == moved || o == busy || o == notSent:
		a.err = errPending
		return err
	case o == lost && again:
		a.err = errPending
		return &rpcError{moved, "", err.Error()}
	case o == lost:
		a.err = fmt.Errorf("%w: %s", kv.ErrOutcomeUnknown, err)
	default:
		a.err = err
	}
	return left
}

// processed reports whether a region's conditional mutation was done.
func processed(r *pb.RegionActionResult) bool {
	for b := []byte(r.ProtoReflect().GetUnknown()); len(b) > 0; {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		if number == regionResultProcessed && kind == protowire.VarintType {
			v, n := protowire.ConsumeVarint(b)
			return n > 0 && v != 0
		}
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return false
		}
		b = b[n:]
	}
	return false
}
