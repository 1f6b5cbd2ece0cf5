package infoschema

import (
	"strconv"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// maxTransactionQuery is the maximum length of a statement in INNODB_TRX, in bytes.
const maxTransactionQuery = 1024

func (r *infoReader) addTransaction(t Transaction) {
	state, waits := "RUNNING", any(nil)
	if since := t.State.WaitsSince; !since.IsZero() {
		state, waits = "LOCK WAIT", r.moment(since)
	}
	query := t.Process.Text
	query = query[:min(len(query), maxTransactionQuery)]
	zero := uint64(0)
	id, lock := strconv.FormatUint(t.ID, 10), any(nil)
	if len(t.State.WaitsFor) > 0 {
		lock = id
	}
	r.add(id, state, r.moment(t.Started), lock, waits, t.State.Writes+t.State.RowsLocked, t.Process.ID,
		orNull(query), nil, zero, zero, t.State.RowsLocked, zero, t.State.RowsLocked, t.State.Writes, zero, t.Level,
		1, 1, nil, 0, zero, flag(t.ReadOnly), 0)
}

// addLockWaits adds a row for each transaction that another one waits for. A lock is known by the
// transaction that asks for it or holds it.
func (r *infoReader) addLockWaits() {
	if !r.global(rights.Process) {
		return
	}
	all, ids := r.server.Transactions(), map[any]string{}
	for _, t := range all {
		ids[t.State.Self] = strconv.FormatUint(t.ID, 10)
	}
	for _, t := range all {
		waiter := ids[t.State.Self]
		for _, other := range t.State.WaitsFor {
			if holder, open := ids[other]; open {
				r.add(waiter, waiter, holder, holder)
			}
		}
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// moment is a time by the session's clock, in whole seconds.
func (r *infoReader) moment(t time.Time) value.Value {
	return value.NewDateTime(calendar.FieldsOf(t.In(r.Env.Session.Now.Location()).Truncate(time.Second)), 0)
}
