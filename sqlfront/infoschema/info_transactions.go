package infoschema

import (
	"strconv"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Transaction is one that a session has open.
type Transaction struct {
	ID       uint64
	Process  Process // whose it is
	Started  time.Time
	Level    string // of isolation, as in REPEATABLE READ
	ReadOnly bool
	State    kv.TxnState
}

// maxTransactionQuery is how much of a statement INNODB_TRX shows, in bytes.
const maxTransactionQuery = 1024

func transactionsInfo() *infoTable {
	return info("INNODB_TRX", `
trx_id varchar(18)
trx_state varchar(13)
trx_started datetime
trx_requested_lock_id varchar(81) NULL
trx_wait_started datetime NULL
trx_weight bigint(21) unsigned
trx_mysql_thread_id bigint(21) unsigned
trx_query varchar(1024) NULL
trx_operation_state varchar(64) NULL
trx_tables_in_use bigint(21) unsigned
trx_tables_locked bigint(21) unsigned
trx_lock_structs bigint(21) unsigned
trx_lock_memory_bytes bigint(21) unsigned
trx_rows_locked bigint(21) unsigned
trx_rows_modified bigint(21) unsigned
trx_concurrency_tickets bigint(21) unsigned
trx_isolation_level varchar(16)
trx_unique_checks int(1)
trx_foreign_key_checks int(1)
trx_last_foreign_key_error varchar(256) NULL
trx_adaptive_hash_latched int(1)
trx_adaptive_hash_timeout bigint(21) unsigned
trx_is_read_only int(1)
trx_autocommit_non_locking int(1)`, func(r *infoReader) {
		for _, t := range r.server.Transactions() {
			r.addTransaction(t)
		}
	})
}

func (r *infoReader) addTransaction(t Transaction) {
	state, waits := "RUNNING", any(nil)
	if since := t.State.WaitsSince; !since.IsZero() {
		state, waits = "LOCK WAIT", r.moment(since)
	}
	query := t.Process.Text
	query = query[:min(len(query), maxTransactionQuery)]
	zero := uint64(0)
	r.add(strconv.FormatUint(t.ID, 10), state, r.moment(t.Started), nil, waits, t.State.Writes+t.State.RowsLocked, t.Process.ID,
		orNull(query), nil, zero, zero, t.State.RowsLocked, zero, t.State.RowsLocked, t.State.Writes, zero, t.Level,
		1, 1, nil, 0, zero, flag(t.ReadOnly), 0)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// moment is a time by the session's clock, in whole seconds.
func (r *infoReader) moment(t time.Time) value.Value {
	return value.NewDateTime(value.FieldsOf(t.In(r.Env.Session.Now.Location()).Truncate(time.Second)), 0)
}
