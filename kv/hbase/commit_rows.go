package hbase

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
)

// The most rows and bytes that a commit of many rows sends at once.
const (
	commitRows  = 1000
	commitBytes = 2 << 20
)

// commitRows commits many rows in batches, each row by itself, on the condition that
// what was read of it is still there. If a row fails, what has been written stays,
// and the error says how many rows that are.
func (t *txn) commitRows(ctx context.Context) error {
	var actions []*rowAction
	for _, row := range t.rows {
		w := &rowWrite{txn: t, writtenRow: row}
		if err := w.prepare(ctx); err != nil {
			return err
		}
		actions = append(actions, &rowAction{row: w.row, mutations: w.mutations, condition: w.condition})
	}
	written := 0
	for i := 0; i < len(actions); {
		n := t.batch(actions[i:], i)
		err := ctx.Err()
		if err == nil {
			var done int
			done, err = t.store.cluster.applied(context.WithoutCancel(ctx), t.rows[i].table, actions[i:i+n])
			written += done
		}
		if err != nil {
			return partly(written, len(actions), err)
		}
		i += n
	}
	return nil
}

// batch returns how many of the next actions are sent at once: those of one table.
func (t *txn) batch(actions []*rowAction, from int) int {
	n, bytes := 0, 0
	for n < len(actions) && n < commitRows && bytes < commitBytes && t.rows[from+n].table == t.rows[from].table {
		for _, o := range t.rows[from+n].ops {
			bytes += len(o.qualifier) + len(o.value)
		}
		n++
	}
	return n
}

// applied runs actions on rows once, and counts those that were done. The error is
// the first that is not a conflict, or else a conflict.
func (c *cluster) applied(ctx context.Context, table string, actions []*rowAction) (done int, err error) {
	var some []*rowAction
	for _, a := range actions {
		if len(a.mutations) > 0 {
			some = append(some, a)
		}
	}
	failed := c.applyRows(ctx, table, some, false)
	for _, a := range some {
		switch {
		case a.err == nil:
			done++
		case a.err == errPending:
		case failed == nil || errors.Is(failed, kv.ErrConflict):
			failed = a.err
		}
	}
	return done + len(actions) - len(some), kvError(failed)
}

// partly returns the error of a commit of several rows: only the cause if none
// was written.
func partly(written, rows int, cause error) error {
	if written == 0 && !errors.Is(cause, kv.ErrOutcomeUnknown) {
		return cause
	}
	return &kv.PartlyWritten{Written: written, Rows: rows, Cause: cause}
}
