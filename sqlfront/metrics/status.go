package metrics

import (
	"strconv"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/function"
)

// Counts are an engine's figures at one moment.
type Counts struct {
	Statements []StatementCounts // by Kind
	// Slow statements took longer than long_query_time.
	Slow, Retries                          uint64
	MostSessions                           int // at the same time
	PlansHit, PlansMade                    uint64
	Sessions, Running, Prepared            int
	Transactions, LockWaits                int   // open now, and those of them that wait now
	SpilledParts, SpillFiles, SpilledBytes int64 // what did not fit into memory
	SpillMerges                            int64
	Connections, Questions                 uint64 // sessions and statements that have begun
	SessionMemory                          int64  // the memory of all sessions, in bytes
	Uptime                                 time.Duration
}

// Status is the result of SHOW STATUS, sorted by name: the figures, those of the servers, the health of the
// store's files, and the encryption of a client's connection.
func (c *Counts) Status(wire *Wire, store kv.Store, secured function.Encryption) [][2]string {
	out := [][2]string{
		{"Aborted_connects", strconv.FormatUint(wire.Aborted.Load(), 10)},
		{"Bytes_received", strconv.FormatUint(wire.Received.Load(), 10)},
		{"Bytes_sent", strconv.FormatUint(wire.Sent.Load(), 10)},
	}
	for _, k := range shownKinds {
		out = append(out, [2]string{"Com_" + k.String(), strconv.FormatUint(c.Statements[k].Ended(), 10)})
	}
	out = append(out, [][2]string{
		{"Connection_errors_max_connections", strconv.FormatUint(wire.Refused.Load(), 10)},
		{"Connections", strconv.FormatUint(c.Connections, 10)},
		{"Created_tmp_disk_tables", strconv.FormatInt(c.SpilledParts, 10)},
		{"Created_tmp_files", strconv.FormatInt(c.SpillFiles, 10)},
		{"Global_connection_memory", strconv.FormatInt(c.SessionMemory, 10)},
		{"Hbasekv_session_panics", strconv.FormatUint(wire.Panics.Load(), 10)},
	}...)
	return append(append(out, health(store)...), [][2]string{
		{"Innodb_row_lock_current_waits", strconv.Itoa(c.LockWaits)},
		{"Max_used_connections", strconv.Itoa(c.MostSessions)},
		{"Prepared_stmt_count", strconv.Itoa(c.Prepared)},
		{"Questions", strconv.FormatUint(c.Questions, 10)},
		{"Slow_queries", strconv.FormatUint(c.Slow, 10)},
		{"Sort_merge_passes", strconv.FormatInt(c.SpillMerges, 10)},
		{"Ssl_cipher", secured.Cipher},
		{"Ssl_version", secured.Version},
		{"Threads_connected", strconv.Itoa(c.Sessions)},
		{"Threads_running", strconv.Itoa(c.Running)},
		{"Uptime", strconv.FormatInt(int64((c.Uptime+time.Second-1)/time.Second), 10)}, // clients divide by it
	}...)
}

// shownKinds are the kinds of statements that SHOW STATUS shows, in order.
var shownKinds = []Kind{KindDelete, KindInsert, KindLoad, KindReplace,
	KindSelect, KindUpdate}

// health is the state of the store's files, if the store reports it.
func health(of kv.Store) [][2]string {
	store, ok := of.(kv.HealthReader)
	if !ok {
		return nil
	}
	h, refused := store.Health(), ""
	if h.Err != nil {
		refused = h.Err.Error()
	}
	return [][2]string{
		{"Hbasekv_store_failures", strconv.FormatUint(h.Failures, 10)},
		{"Hbasekv_store_reopened", strconv.FormatUint(h.Reopened, 10)},
		{"Hbasekv_writes_refused", refused},
	}
}
