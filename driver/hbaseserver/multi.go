package hbaseserver

import (
	"bytes"
	"context"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// The fields that HBase 2 adds to a RegionAction and to its result.
const (
	regionActionCondition = 4
	regionResultProcessed = 3
)

// batch is the actions of a Multi on one region.
type batch struct {
	message *pb.RegionAction
	actions []batched
	// condition is nil if there is none. old says that it applies to the whole Multi, as in HBase 1.
	condition *pb.Condition
	old       bool
}

// batched is one of them: a mutation, or a Get if that is nil.
type batched struct {
	message  *pb.Action
	mutation rowapi.Mutation
	err      error // in the mutation's message
}

// multi does the actions region by region. It reads all before it does any, because their cells
// follow each other in one block.
func (s *server) multi(ctx context.Context, r *rpc.Request, m *pb.MultiRequest) (*rpc.Response, error) {
	batches, err := readBatches(m, r.Cells)
	if err != nil {
		return nil, err
	}
	out := resultsOf(r)
	answer := &pb.MultiResponse{}
	for _, b := range batches {
		result, processed, err := s.runBatch(ctx, out, b, m.GetNonceGroup())
		if err != nil {
			result = &pb.RegionActionResult{Exception: nameAndText(s.exception(err))}
		} else if b.together() {
			answer.Processed = &processed
		}
		answer.RegionActionResult = append(answer.RegionActionResult, result)
	}
	return &rpc.Response{Message: answer, Block: out.Cells}, nil
}

func readBatches(m *pb.MultiRequest, cells *rpc.CellReader) (out []*batch, err error) {
	for _, each := range m.GetRegionAction() {
		b := &batch{message: each, condition: m.GetCondition(), old: m.GetCondition() != nil}
		var own pb.Condition
		if found, err := wire.Part(each, regionActionCondition, &own); err != nil {
			return nil, rpc.Refused(err.Error())
		} else if found {
			b.condition, b.old = &own, false
		}
		for _, a := range each.GetAction() {
			next := batched{message: a}
			if a.GetMutation() != nil {
				next.mutation, next.err = wire.Mutation(a.GetMutation(), cells)
			}
			b.actions = append(b.actions, next)
		}
		out = append(out, b)
	}
	return out, nil
}

// runBatch does the actions on a region. An error applies to all of them.
func (s *server) runBatch(ctx context.Context, out *wire.Results, b *batch, group uint64,
) (*pb.RegionActionResult, bool, error) {
	if tables.IsMeta(b.message.GetRegion()) {
		return s.readMetaRows(ctx, out, b)
	}
	region, err := s.region(ctx, b.message.GetRegion())
	if err == nil {
		err = b.permit(ctx, region.Table)
	}
	if err != nil {
		return nil, false, err
	}
	if b.together() {
		return s.runTogether(ctx, out, region, b, group)
	}
	result, err := s.runEach(ctx, out, region, b, group)
	return result, false, err
}

// permit refuses the actions that the client may not do.
func (b *batch) permit(ctx context.Context, t *tables.Table) error {
	all := make([]guard.Action, len(b.actions))
	for i := range b.actions {
		a := &b.actions[i]
		all[i] = guard.Action{Mutation: a.mutation, Get: a.message.GetGet(), Err: &a.err}
	}
	return guard.Batch(ctx, b.message.GetRegion(), t, b.condition, all)
}

// together is true for actions of which all or none are done.
func (b *batch) together() bool { return b.message.GetAtomic() || b.condition != nil }

func (s *server) readMetaRows(ctx context.Context, out *wire.Results, b *batch) (*pb.RegionActionResult, bool, error) {
	answer := &pb.RegionActionResult{}
	for _, a := range b.actions {
		if a.message.GetGet() == nil {
			return nil, false, rpc.Refused("hbase:meta cannot be written")
		}
		result, err := s.getMeta(ctx, out, a.message.GetGet())
		answer.ResultOrException = append(answer.ResultOrException, s.resultOr(a.message, result, err))
	}
	return answer, false, nil
}

// resultOr is the answer to one action: a result or an exception.
func (s *server) resultOr(a *pb.Action, result *pb.Result, err error) *pb.ResultOrException {
	out := &pb.ResultOrException{Index: proto.Uint32(a.GetIndex()), Result: result}
	if err != nil {
		out.Result, out.Exception = nil, nameAndText(s.exception(err))
	}
	return out
}

// errLater is for the Gets of a Multi whose results before them fill the response: clients repeat these Gets.
var errLater = &rpc.Exception{Class: rpc.Prefix + "RetryImmediatelyException",
	Message: "the results before it are enough for one answer"}

// runEach does actions independently of each other.
func (s *server) runEach(ctx context.Context, out *wire.Results, region *tables.Region, b *batch, group uint64,
) (*pb.RegionActionResult, error) {
	each := &eachOf{server: s, table: region.Table.Name, out: out, outcomes: make([]rowapi.Outcome, len(b.actions))}
	families := region.Table.FamilyNames()
	for i, a := range b.actions {
		do, err := a.action(region, families)
		if err != nil {
			each.outcomes[i].Err = err
			continue
		}
		if err := each.add(ctx, i, do, nonceOf(group, a.message.GetMutation())); err != nil {
			return nil, err
		}
	}
	if err := each.flush(ctx); err != nil {
		return nil, err
	}
	answer := &pb.RegionActionResult{}
	for i, o := range each.outcomes {
		result, err := (*pb.Result)(nil), o.Err
		if err == nil {
			result, err = addRead(out, orEmpty(o.Result), b.actions[i].message.GetGet().GetExistenceOnly())
		}
		answer.ResultOrException = append(answer.ResultOrException, s.resultOr(b.actions[i].message, result, err))
	}
	return answer, nil
}

// eachOf does independent actions on a region, and does adjacent ones together.
type eachOf struct {
	server   *server
	table    rowapi.TableName
	out      *wire.Results
	outcomes []rowapi.Outcome
	actions  []rowapi.Action // not done yet
	places   []int           // their indexes in outcomes
}

// add does an action, or keeps it to do it with the next ones.
func (e *eachOf) add(ctx context.Context, place int, a rowapi.Action, n nonce) error {
	_, reads := a.(*rowapi.Get)
	switch {
	case reads && e.out.Bytes > maxPageBytes:
		e.outcomes[place].Err = errLater
		return nil
	case n != (nonce{}):
		if err := e.flush(ctx); err != nil { // what precedes it on its row comes first
			return err
		}
		e.outcomes[place] = e.server.run(ctx, action{a, e.table, n})
		return nil
	}
	e.actions, e.places = append(e.actions, a), append(e.places, place)
	if reads { // its result may be long
		return e.flush(ctx)
	}
	return nil
}

// flush does the actions that were kept.
func (e *eachOf) flush(ctx context.Context) error {
	done, err := e.server.client.Batch(ctx, e.table, e.actions)
	for i, o := range done {
		o.Err = again(o.Err, e.actions[i])
		e.outcomes[e.places[i]] = o
		e.out.Count(o.Result)
	}
	e.actions, e.places = e.actions[:0], e.places[:0]
	return err
}

// action is the action in the terms of package rowapi.
func (a batched) action(region *tables.Region, families []string) (rowapi.Action, error) {
	var out rowapi.Action
	switch {
	case a.err != nil:
		return nil, a.err
	case a.mutation != nil:
		out = a.mutation
	case a.message.GetGet() != nil:
		get, err := wire.Get(a.message.GetGet(), families)
		if err != nil {
			return nil, err
		}
		out = get
	default:
		return nil, rpc.Refused("an action that is neither a Get nor a mutation is not supported")
	}
	return out, checkRow(region, out.TheRow())
}

// runTogether does all mutations or none, under their condition.
func (s *server) runTogether(ctx context.Context, out *wire.Results, region *tables.Region, b *batch, group uint64,
) (*pb.RegionActionResult, bool, error) {
	mutations, first, err := b.mutations(region)
	if err != nil {
		return nil, false, err
	}
	done, err := s.together(ctx, region.Table.Name, b.condition, mutations, nonceOf(group, first))
	if err == nil {
		err = done.Err
	}
	if err != nil {
		return nil, false, err
	}
	answer := &pb.RegionActionResult{}
	for i := range b.actions { // clients do not number them
		each := &pb.ResultOrException{Index: proto.Uint32(uint32(i))}
		// The new cells of all. For HBase 1's clients a result, even an empty one, is the answer to the
		// condition.
		if i == 0 && done.Result != nil && (!b.old || len(done.Result.Cells) > 0) {
			if each.Result, err = out.Add(done.Result); err != nil {
				return nil, false, err
			}
		}
		answer.ResultOrException = append(answer.ResultOrException, each)
	}
	if !b.old {
		wire.With(answer, wire.Fields{}.Uint(regionResultProcessed, number(done.Processed)))
	}
	return answer, done.Processed, nil
}

func number(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// mutations returns a batch's mutations, and the message of the first that has a nonce.
func (b *batch) mutations(region *tables.Region) (out []rowapi.Mutation, first *pb.MutationProto, err error) {
	for _, a := range b.actions {
		switch {
		case a.err != nil:
			return nil, nil, a.err
		case a.mutation == nil:
			return nil, nil, rpc.Refused("a Get cannot be done together with mutations")
		}
		if err := checkRow(region, a.mutation.TheRow()); err != nil {
			return nil, nil, err
		}
		if m := a.message.GetMutation(); first == nil && m.Nonce != nil {
			first = m
		}
		out = append(out, a.mutation)
	}
	return out, first, nil
}

// together does mutations atomically.
func (s *server) together(ctx context.Context, table rowapi.TableName, c *pb.Condition, mutations []rowapi.Mutation, n nonce,
) (rowapi.Outcome, error) {
	switch {
	case len(mutations) == 0:
		return rowapi.Outcome{Processed: true}, nil
	case c != nil:
		condition, err := wire.Condition(c)
		check := &rowapi.CheckAndMutate{Row: conditionRow(c, mutations[0]), Condition: condition, Mutations: mutations}
		if err != nil {
			return rowapi.Outcome{}, err
		}
		return s.run(ctx, action{check, table, n}), nil
	case sameRow(mutations):
		return s.run(ctx, action{&rowapi.RowMutations{Row: mutations[0].TheRow(), Mutations: mutations}, table, n}), nil
	}
	return s.nonces.once(ctx, n, func() rowapi.Outcome {
		result, err := s.client.MutateRows(ctx, table, mutations)
		return rowapi.Outcome{Result: result, Processed: err == nil, Err: again(err, asActions(mutations)...)}
	}), nil
}

func sameRow(mutations []rowapi.Mutation) bool {
	for _, m := range mutations {
		if !bytes.Equal(m.TheRow(), mutations[0].TheRow()) {
			return false
		}
	}
	return true
}
