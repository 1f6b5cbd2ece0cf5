package hbase

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
)

// A strict INSERT is one request: the put on the condition that its version is absent,
// which a statement on its own assumes without reading. HBase's condition takes an empty
// value for none. So a probe goes before the put, in the same atomic mutation: an Increment
// of that version, which HBase refuses, and the put with it, where a value has other than
// 8 bytes. Where there is none it makes one of 8 bytes at the same T, which the put
// replaces before it can be seen. The probe is in no WAL.

// assumeAbsent has the commit find out that a version is absent, where its caller runs
// the statement again if it is not. Then it is read.
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

// probeFor is the probe of the one version that is put in the column that the condition
// wants without any; nil where the condition is another.
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

// probed is the error of a mutation that has a probe: a conflict where the probe was
// refused.
func probed(err error) error {
	var e *rpcError
	if errors.As(err, &e) && e.outcome == refused && strings.HasPrefix(e.message, "Field is not a long") {
		return kv.ErrConflict
	}
	return err
}
