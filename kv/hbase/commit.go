package hbase

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/timeouts"
)

// column is the changes of one column of the row.
type column struct {
	family    []byte
	qualifier []byte
	all       bool // all its versions are deleted, except puts
	deletes   []int64
	puts      map[int64]put // by timestamp
}

type put struct {
	value []byte
	ttl   int64 // in ms; 0 for none
}

// columnsWritten returns the sum of the writes.
func columnsWritten(ops []op) (out []*column) {
	for i := range ops {
		w := &ops[i]
		at := slices.IndexFunc(out, func(c *column) bool { return bytes.Equal(c.family, w.family) && bytes.Equal(c.qualifier, w.qualifier) })
		if at < 0 {
			at = len(out)
			out = append(out, &column{family: w.family, qualifier: w.qualifier, puts: map[int64]put{}})
		}
		c := out[at]
		switch w.kind {
		case opPut:
			c.puts[w.timestamp] = put{w.value, w.ttl}
			c.deletes = slices.DeleteFunc(c.deletes, func(t int64) bool { return t == w.timestamp })
		case opDeleteVersion:
			delete(c.puts, w.timestamp)
			c.deletes = append(c.deletes, w.timestamp)
		case opDeleteColumn:
			c.all, c.deletes = true, nil
			clear(c.puts)
		}
	}
	return out
}

// Commit implements kv.Txn by one mutation of the row, on the condition that what
// was read of it is still there. Once it is sent, the context does not interrupt it.
func (t *txn) Commit(ctx context.Context) error {
	defer t.Rollback()
	if err := t.usable(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.ops == 0 {
		return nil
	}
	t.settle()
	if len(t.rows) > 1 {
		return t.commitRows(ctx)
	}
	w := &rowWrite{txn: t, writtenRow: t.rows[0]}
	if err := w.prepare(ctx); err != nil || len(w.mutations) == 0 {
		return err
	}
	ctx, cancel := t.store.cluster.within(context.WithoutCancel(ctx), 0)
	defer cancel()
	return kvError(w.send(ctx))
}

// rowWrite is the commit of a row.
type rowWrite struct {
	*writtenRow
	txn       *txn
	columns   []*column
	guard     guard
	mutations []*pb.MutationProto
	probe     *pb.MutationProto // nil if the condition needs none
	condition *pb.Condition
	// ends is true if the mutation makes the condition false, so that it cannot be
	// done twice.
	ends bool
}

// prepare makes the mutations and the condition.
func (w *rowWrite) prepare(ctx context.Context) error {
	w.columns = columnsWritten(w.ops)
	if err := w.collect(); err != nil {
		return err
	}
	if w.probe = w.probeFor(); w.probe == nil && w.txn.assumed {
		w.guard.look = true
	}
	if err := w.guard.build(ctx, w); err != nil {
		return err
	}
	if err := w.mutate(); err != nil {
		return err
	}
	if len(w.guard.areas) == 0 {
		return nil
	}
	w.ends = w.endsCondition()
	var err error
	w.condition, err = w.guard.condition(w.row, w.columns)
	return err
}

// collect finds what was read of the row.
func (w *rowWrite) collect() error {
	g := &w.guard
	g.row, g.table = w.row, w.table
	for _, s := range w.txn.log.of(w.table, w.row) {
		cells, seen := s.rows[string(w.row)]
		if s.lost && !seen {
			return kv.ErrUnsupported{What: "a statement on HBase that writes one row and reads many others: restrict K to the row"}
		}
		g.add(s, cells)
	}
	for _, c := range w.columns {
		if c.all && (len(c.puts) > 0 || !w.newVersions(c.family)) || len(c.deletes) > 0 && w.nameless(c) {
			g.areas = append(g.areas, area{family: c.family, from: c.qualifier, to: c.qualifier, single: true})
			g.look, g.all = true, true
		}
	}
	return nil
}

func (w *rowWrite) newVersions(name []byte) bool {
	for _, f := range w.txn.layout.families {
		if f.table == w.table && bytes.Equal(f.name, name) {
			return f.newVersions
		}
	}
	return false
}

// mutate makes the mutations of the columns.
func (w *rowWrite) mutate() error {
	var puts putsByTTL
	deletes := newMutation(w.row, pb.MutationProto_DELETE)
	for _, c := range w.columns {
		if c.all {
			if err := w.deleteAll(deletes, c); err != nil {
				return err
			}
		}
		if err := w.deleteEach(deletes, c, c.deletes); err != nil {
			return err
		}
		for at, p := range c.puts {
			addValue(puts.of(w.row, p.ttl), c, at, p.value, nil)
		}
	}
	w.mutations = append(w.mutations, puts.all...)
	if len(deletes.ColumnValue) > 0 {
		w.mutations = append(w.mutations, deletes)
	}
	return nil
}

// putsByTTL are the puts of a row, by TTL: in HBase it applies to all cells of a mutation.
type putsByTTL struct {
	all  []*pb.MutationProto
	ttls []int64
}

// attributeTTL is the attribute of a mutation with the TTL of its cells, in ms.
const attributeTTL = "_ttl"

// of returns the put for cells of a row with a TTL, 0 for none.
func (p *putsByTTL) of(row []byte, ttl int64) *pb.MutationProto {
	if i := slices.Index(p.ttls, ttl); i >= 0 {
		return p.all[i]
	}
	m := newMutation(row, pb.MutationProto_PUT)
	if ttl > 0 {
		m.Attribute = []*pb.NameBytesPair{{Name: proto.String(attributeTTL), Value: binary.BigEndian.AppendUint64(nil, uint64(ttl))}}
	}
	p.all, p.ttls = append(p.all, m), append(p.ttls, ttl)
	return m
}

// deleteAll deletes the versions of a column. A marker for all versions also hides
// what is put later at an older T, or in the same mutation, unless the family has
// NEW_VERSION_BEHAVIOR.
func (w *rowWrite) deleteAll(deletes *pb.MutationProto, c *column) error {
	all := pb.MutationProto_DELETE_MULTIPLE_VERSIONS.Enum()
	if len(c.puts) == 0 && w.newVersions(c.family) {
		addValue(deletes, c, maxTimestamp, nil, all)
		return nil
	}
	newest := int64(-1)
	var gone []int64
	for _, at := range w.versions(c) {
		newest = max(newest, at)
		if _, stays := c.puts[at]; !stays {
			gone = append(gone, at)
		}
	}
	switch {
	case len(c.puts) > 0:
		return w.deleteEach(deletes, c, gone)
	case newest < 0:
	case newest > time.Now().UnixMilli():
		return kv.ErrUnsupported{What: "deleting a cell with a future T in an HBase family without NEW_VERSION_BEHAVIOR: the delete marker would hide everything written until then"}
	default:
		addValue(deletes, c, newest, nil, all)
	}
	return nil
}

// versions returns the known timestamps of a column, newest first.
func (w *rowWrite) versions(c *column) (out []int64) {
	for i := range w.guard.cells {
		if have := &w.guard.cells[i]; bytes.Equal(have.family, c.family) && bytes.Equal(have.qualifier, c.qualifier) {
			out = append(out, have.timestamp)
		}
	}
	return out
}

// deleteEach deletes some versions of a column. If a family with
// NEW_VERSION_BEHAVIOR has a column with an empty name, HBase can no longer read its
// row once a marker comes after a version: then either all versions are deleted, by
// a marker before them, or none.
func (w *rowWrite) deleteEach(deletes *pb.MutationProto, c *column, gone []int64) error {
	if !w.nameless(c) {
		for _, at := range gone {
			addValue(deletes, c, at, nil, pb.MutationProto_DELETE_ONE_VERSION.Enum())
		}
		return nil
	}
	found, stays := false, len(c.puts) > 0
	for _, at := range w.versions(c) {
		goes := slices.Contains(gone, at)
		found, stays = found || goes, stays || !goes
	}
	switch {
	case !found:
	case stays:
		return kv.ErrUnsupported{What: "deleting one of several versions of an HBase column with an empty qualifier: HBase could no longer read the row"}
	default:
		addValue(deletes, c, maxTimestamp, nil, pb.MutationProto_DELETE_MULTIPLE_VERSIONS.Enum())
	}
	return nil
}

// nameless reports whether a column has an empty name, in a family with
// NEW_VERSION_BEHAVIOR.
func (w *rowWrite) nameless(c *column) bool { return len(c.qualifier) == 0 && w.newVersions(c.family) }

func newMutation(row []byte, kind pb.MutationProto_MutationType) *pb.MutationProto {
	return &pb.MutationProto{Row: row, MutateType: kind.Enum()}
}

func addValue(m *pb.MutationProto, c *column, at int64, value []byte, how *pb.MutationProto_DeleteType) *pb.MutationProto_ColumnValue_QualifierValue {
	i := slices.IndexFunc(m.ColumnValue, func(v *pb.MutationProto_ColumnValue) bool { return bytes.Equal(v.Family, c.family) })
	if i < 0 {
		i = len(m.ColumnValue)
		m.ColumnValue = append(m.ColumnValue, &pb.MutationProto_ColumnValue{Family: c.family})
	}
	v := &pb.MutationProto_ColumnValue_QualifierValue{Qualifier: c.qualifier, Value: value, Timestamp: proto.Uint64(uint64(at)), DeleteType: how}
	m.ColumnValue[i].QualifierValue = append(m.ColumnValue[i].QualifierValue, v)
	return v
}

// endsCondition reports whether the mutation changes a cell that the condition checks.
func (w *rowWrite) endsCondition() bool {
	for _, c := range w.columns {
		for at, p := range c.puts {
			if w.guard.watches(c, at) && !w.guard.has(c, at, p.value) {
				return true
			}
		}
		for i := range w.guard.cells {
			have := &w.guard.cells[i]
			same := bytes.Equal(have.family, c.family) && bytes.Equal(have.qualifier, c.qualifier)
			if same && (slices.Contains(c.deletes, have.timestamp) || c.all && len(c.puts) == 0) && w.guard.newest(i) {
				return true
			}
		}
	}
	return false
}

// send sends the mutation once. If the response is lost, it sends it once more if it
// cannot be done twice; if that fails, it is unknown whether the first was done.
func (w *rowWrite) send(ctx context.Context) error {
	err := w.sendOnce(ctx)
	if err == nil || !unknown(err) {
		return err
	}
	if w.condition != nil && w.ends && ctx.Err() == nil {
		if again := w.sendOnce(ctx); again == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: %s", kv.ErrOutcomeUnknown, err)
}

// unknown reports whether a failed mutation may have been done.
func unknown(err error) bool {
	if not := (*undone)(nil); errors.As(err, &not) {
		return false
	}
	o := outcomeOf(err)
	return o == lost || o == canceled || errors.Is(err, timeouts.Err)
}

func (w *rowWrite) sendOnce(ctx context.Context) error {
	return w.txn.store.cluster.onRegion(ctx, w.table, w.row, func(ctx context.Context, r *regionInfo) error {
		processed, err := w.sendTo(ctx, r)
		switch {
		case err != nil && w.probe != nil:
			return probed(err)
		case err == nil && w.condition != nil && !processed:
			return kv.ErrConflict
		}
		return err
	})
}

// sendTo sends the mutation to the row's region: if it is a single one, as a Mutate,
// which costs the server less than a Multi.
func (w *rowWrite) sendTo(ctx context.Context, r *regionInfo) (processed bool, err error) {
	rpc := w.txn.store.cluster.rpc
	if w.probe == nil && len(w.mutations) == 1 {
		response := &pb.MutateResponse{}
		_, err := rpc.call(ctx, r.server, "Mutate",
			&pb.MutateRequest{Region: regionSpecifier(r.name), Mutation: w.mutations[0], Condition: w.condition}, response)
		return response.GetProcessed(), err
	}
	action := &pb.RegionAction{Region: regionSpecifier(r.name), Atomic: proto.Bool(true)}
	all := w.mutations
	if w.probe != nil {
		all = append([]*pb.MutationProto{w.probe}, all...)
	}
	for i, m := range all {
		action.Action = append(action.Action, &pb.Action{Index: proto.Uint32(uint32(i)), Mutation: m})
	}
	response := &pb.MultiResponse{}
	if _, err := rpc.call(ctx, r.server, "Multi",
		&pb.MultiRequest{RegionAction: []*pb.RegionAction{action}, Condition: w.condition}, response); err != nil {
		return false, err
	}
	return response.GetProcessed(), exceptionIn(response)
}

// exceptionIn returns the first exception in the response to a Multi.
func exceptionIn(response *pb.MultiResponse) error {
	for _, result := range response.GetRegionActionResult() {
		if e := result.GetException(); e != nil {
			return named(e)
		}
		for _, one := range result.GetResultOrException() {
			if e := one.GetException(); e != nil {
				return named(e)
			}
		}
	}
	return nil
}
