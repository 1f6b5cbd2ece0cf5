package hbaseserver

import (
	"context"
	"errors"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

func (s *server) clientMethods() map[string]method {
	return map[string]method{
		"Get":                     withCells(s.get),
		"Mutate":                  withCells(s.mutate),
		"Multi":                   withCells(s.multi),
		"Scan":                    withCells(s.scan),
		"BulkLoadHFile":           refusing("bulk loads of HFiles"),
		"PrepareBulkLoad":         refusing("bulk loads of HFiles"),
		"CleanupBulkLoad":         refusing("bulk loads of HFiles"),
		"ExecService":             refusing("coprocessors"),
		"ExecRegionServerService": refusing("coprocessors"),
	}
}

// region returns the region that a call is for.
func (s *server) region(ctx context.Context, m *pb.RegionSpecifier) (*tables.Region, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	return v.Region(m)
}

// checkRow refuses a row that is not in the region; clients then look the region up again.
func checkRow(r *tables.Region, row []byte) error {
	if r.Holds(row) {
		return nil
	}
	return &rpc.Exception{Class: rpc.Prefix + "regionserver.WrongRegionException",
		Message: "the row is out of the range of " + r.Name}
}

func (s *server) get(ctx context.Context, r *rpc.Request, m *pb.GetRequest) (*rpc.Response, error) {
	memory := memoryFor(r)
	defer memory.release()
	out := resultsOf(r)
	result, err := s.getRow(ctx, &memory.Memory, out, m.GetRegion(), m.GetGet())
	if err != nil {
		return nil, err
	}
	return &rpc.Response{Message: &pb.GetResponse{Result: result}, Block: out.Cells}, nil
}

func (s *server) getRow(ctx context.Context, memory *rowapi.Memory, out *wire.Results, of *pb.RegionSpecifier, m *pb.Get,
) (*pb.Result, error) {
	if tables.IsMeta(of) {
		return s.getMeta(ctx, out, m)
	}
	region, err := s.region(ctx, of)
	if err != nil {
		return nil, err
	}
	if err := checkRow(region, m.GetRow()); err != nil {
		return nil, err
	}
	get, err := wire.Get(m, region.Table.FamilyNames())
	if err != nil {
		return nil, err
	}
	result, err := s.client.GetIn(ctx, memory, region.Table.Name, get)
	if err != nil {
		return nil, err
	}
	return addRead(out, result, m.GetExistenceOnly())
}

// addRead makes the message of a Get's result. It does not refer to the result if out is a block.
func addRead(out *wire.Results, result *rowapi.Result, existence bool) (*pb.Result, error) {
	if existence {
		return &pb.Result{Exists: proto.Bool(result.Exists)}, nil
	}
	return out.Add(result)
}

func (s *server) getMeta(ctx context.Context, out *wire.Results, m *pb.Get) (*pb.Result, error) {
	get, err := wire.Get(m, nil)
	if err != nil {
		return nil, err
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	result := &rowapi.Result{}
	scan := &rowapi.Scan{Start: get.Row, Stop: get.Row, StopInclusive: true, Columns: get.Columns}
	if found := v.ScanMeta(scan, s.self, 1); len(found) > 0 {
		result = &found[0]
	}
	return addRead(out, result, m.GetExistenceOnly())
}

func (s *server) mutate(ctx context.Context, r *rpc.Request, m *pb.MutateRequest) (*rpc.Response, error) {
	region, err := s.region(ctx, m.GetRegion())
	if err != nil {
		return nil, err
	}
	mutation, err := wire.Mutation(m.GetMutation(), r.Cells)
	if err == nil {
		err = guard.Mutation(ctx, region.Table, mutation, m.GetCondition())
	}
	if err != nil {
		return nil, err
	}
	a := action{table: region.Table.Name, nonce: nonceOf(m.GetNonceGroup(), m.GetMutation())}
	if a.Action = rowapi.Action(mutation); m.GetCondition() != nil {
		condition, err := wire.Condition(m.GetCondition())
		if err != nil {
			return nil, err
		}
		a.Action = &rowapi.CheckAndMutate{Row: conditionRow(m.GetCondition(), mutation), Condition: condition,
			Mutations: []rowapi.Mutation{mutation}}
	}
	if err := checkRow(region, a.TheRow()); err != nil {
		return nil, err
	}
	done := s.run(ctx, a)
	if done.Err != nil {
		return nil, done.Err
	}
	out := resultsOf(r)
	answer := &pb.MutateResponse{Processed: &done.Processed}
	if done.Processed && givesCells(mutation) {
		if answer.Result, err = out.Add(orEmpty(done.Result)); err != nil {
			return nil, err
		}
	}
	return &rpc.Response{Message: answer, Block: out.Cells}, nil
}

// givesCells is true for mutations that have a result. Clients read the result of others as null.
func givesCells(m rowapi.Mutation) bool {
	switch m.(type) {
	case *rowapi.Increment, *rowapi.Append:
		return true
	}
	return false
}

func conditionRow(m *pb.Condition, mutation rowapi.Mutation) []byte {
	if m.Row != nil {
		return m.GetRow()
	}
	return mutation.TheRow()
}

func orEmpty(r *rowapi.Result) *rowapi.Result {
	if r == nil {
		return &rowapi.Result{}
	}
	return r
}

// action is a client's request for one row.
type action struct {
	rowapi.Action
	table rowapi.TableName
	nonce nonce
}

// run executes an action, or returns its outcome if it was executed before.
func (s *server) run(ctx context.Context, a action) rowapi.Outcome {
	return s.nonces.once(ctx, a.nonce, func() rowapi.Outcome {
		out, err := s.client.Batch(ctx, a.table, []rowapi.Action{a.Action})
		if err != nil {
			return rowapi.Outcome{Err: err}
		}
		out[0].Err = again(out[0].Err, a.Action)
		return out[0]
	})
}

// nameAndText is an exception within a response.
func nameAndText(err error) *pb.NameBytesPair {
	var e *rpc.Exception
	errors.As(err, &e) // server.exception always returns one
	return &pb.NameBytesPair{Name: proto.String(e.Class), Value: []byte(e.Error())}
}
