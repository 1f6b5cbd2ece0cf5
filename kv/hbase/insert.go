package hbase

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
)

// A strict INSERT is one request: a put on the condition that its version is absent, which
// a single statement assumes without reading. But HBase's condition treats an empty value
// as absent. So a probe precedes the put, in the same atomic mutation: an Increment of that
// version, which HBase refuses, together with the put, if the value does not have 8 bytes.
// If there is no value, it makes one of 8 bytes at the same T, which the put replaces
// before it can be seen. The probe is not in the WAL.

// assumeAbsent leaves it to the commit to check that a version is absent, if the caller
// runs the statement again when it is not. In that run the version is read.
func (t *txn) assumeAbsent(to claimed, scan *kv.Scan, qualifier []byte) bool {
	if !t.options.Single || t.options.Again || t.store.options.MultiRow || t.writes(to, qualifier) {
		return false
	}
	t.log.begin(to.table, [][]byte{to.name}, cloneScan(scan)).done = true
	t.assumed = true
	return true
}

// writes reports whether the transaction has written a column.
func (t *txn) writes(to claimed, qualifier []byte) bool {
	w := t.index[rowKey(to.table, to.row)]
	return w != nil && slices.ContainsFunc(w.ops, func(o op) bool {
		return bytes.Equal(o.family, to.name) && bytes.Equal(o.qualifier, qualifier)
	})
}

// probeFor returns the probe for the only version that is put in the column that the
// condition requires to be empty; nil if the condition is another.
func (w *rowWrite) probeFor() *pb.MutationProto {
	g := &w.guard
	if g.look || len(g.areas) != 1 || !g.areas[0].single || len(g.reads[0].cells) > 0 {
		return nil
	}
	for _, c := range w.columns {
		for at := range c.puts {
			if len(c.puts) == 1 && g.watches(c, at) {
				m := newMutation(w.row, pb.MutationProto_INCREMENT)
				m.TimeRange, m.Durability = timeRange(kv.TimeRange{Min: at, Max: at}), pb.MutationProto_SKIP_WAL.Enum()
				addValue(m, c, at, make([]byte, 8), nil)
				return m
			}
		}
	}
	return nil
}

// probed returns the error of a mutation with a probe: a conflict if the probe was refused.
func probed(err error) error {
	var e *rpcError
	if errors.As(err, &e) && e.outcome == refused && strings.HasPrefix(e.message, "Field is not a long") {
		return kv.ErrConflict
	}
	return err
}
