package sqlfront

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// server is what the catalog tables show of an engine.
type server struct{ *Engine }

// Processes implements infoschema.Server.
func (e server) Processes() []infoschema.Process {
	sessions := e.ordered()
	out := make([]infoschema.Process, len(sessions))
	for i, s := range sessions {
		var r metrics.Reading
		if out[i], r = s.process(); r.Cells > 0 {
			out[i].State = r.Progress(context.Background(), e.estimator).State()
		}
	}
	return append(out, e.daemons()...)
}

// health is how the store's files fare, where it tells.
func (e server) health() [][2]string {
	store, ok := e.store.(kv.HealthReader)
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

// daemons are what the store does by itself, which nobody can kill.
func (e server) daemons() (out []infoschema.Process) {
	collector, ok := e.store.(kv.Collector)
	if !ok {
		return nil
	}
	for _, c := range collector.Collections() {
		out = append(out, infoschema.Process{
			System: true, User: "system user", Database: c.Database, Command: "Daemon",
			Seconds: int64(time.Since(c.Since) / time.Second),
			Text: fmt.Sprintf("collecting %s.%s, %d versions and %d ranges",
				c.Database, c.Table, c.SoFar.Versions, c.SoFar.Ranges),
		})
	}
	return out
}

// ordered are the open sessions.
func (e server) ordered() []*Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.SortedFunc(maps.Values(e.sessions), func(a, b *Session) int { return int(a.id) - int(b.id) })
}

// process is the session's line in the process list, and what its statement has read
// where it reads for long.
func (s *Session) process() (infoschema.Process, metrics.Reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var r metrics.Reading
	p := infoschema.Process{ID: s.id, User: s.options.Account.User, Host: s.options.Account.Peer,
		Account: s.options.Account.identity(), Database: s.shownDatabase, Command: "Sleep"}
	if n := len(s.statements); n > 0 {
		last := &s.statements[n-1]
		p.Command, p.Text, p.Database, p.State = "Query", parse.Shown(last.text), last.database, last.state()
		if last.number == s.soFar.Number && p.State == "" {
			r = s.soFar
		}
	}
	if s.killed.Load() {
		p.Command = "Killed"
	}
	if !s.since.IsZero() {
		p.Seconds = int64(time.Since(s.since) / time.Second)
	}
	return p, r
}

// StoredAccounts implements infoschema.Server.
func (e server) StoredAccounts(ctx context.Context) (*rights.Accounts, error) {
	return e.Accounts().Accounts(ctx)
}

// Variables implements infoschema.Server.
func (e server) Variables(session *function.Session, global bool) [][2]string {
	scope := "session"
	if global {
		scope = "global"
	}
	return sysvar.All(func(name string) (value.Value, error) { return session.Variable(scope, name) })
}

// Status implements infoschema.Server.
func (e server) Status(session *function.Session, global bool) [][2]string {
	var secured Encryption
	if !global {
		secured = session.Encryption
	}
	c := e.Counts()
	out := [][2]string{
		{"Aborted_connects", strconv.FormatUint(e.wire.Aborted.Load(), 10)},
		{"Bytes_received", strconv.FormatUint(e.wire.Received.Load(), 10)},
		{"Bytes_sent", strconv.FormatUint(e.wire.Sent.Load(), 10)},
	}
	for _, k := range shownKinds {
		out = append(out, [2]string{"Com_" + k.String(), strconv.FormatUint(c.Statements[k].Ended(), 10)})
	}
	out = append(out, [][2]string{
		{"Connection_errors_max_connections", strconv.FormatUint(e.wire.Refused.Load(), 10)},
		{"Connections", strconv.FormatUint(e.lastID.Load(), 10)},
		{"Created_tmp_disk_tables", strconv.FormatInt(e.spilled.Parts.Load(), 10)},
		{"Created_tmp_files", strconv.FormatInt(e.spilled.Files.Load(), 10)},
		{"Global_connection_memory", strconv.FormatInt(e.kept.Bytes(), 10)},
		{"Hbasekv_session_panics", strconv.FormatUint(e.wire.Panics.Load(), 10)},
	}...)
	return append(append(out, e.health()...), [][2]string{
		{"Innodb_row_lock_current_waits", strconv.Itoa(c.LockWaits)},
		{"Max_used_connections", strconv.Itoa(c.MostSessions)},
		{"Prepared_stmt_count", strconv.Itoa(c.Prepared)},
		{"Questions", strconv.FormatUint(e.counted().Begun, 10)},
		{"Slow_queries", strconv.FormatUint(c.Slow, 10)},
		{"Sort_merge_passes", strconv.FormatInt(e.spilled.Merges.Load(), 10)},
		{"Ssl_cipher", secured.Cipher},
		{"Ssl_version", secured.Version},
		{"Threads_connected", strconv.Itoa(c.Sessions)},
		{"Threads_running", strconv.Itoa(c.Running)},
		{"Uptime", strconv.FormatInt(int64((c.Uptime+time.Second-1)/time.Second), 10)}, // by which clients divide
	}...)
}

// shownKinds are the statements that SHOW STATUS counts one by one, in order.
var shownKinds = []metrics.Kind{metrics.KindDelete, metrics.KindInsert, metrics.KindLoad, metrics.KindReplace,
	metrics.KindSelect, metrics.KindUpdate}

// threads are the sessions, and those that have a statement under way.
func (e server) threads() (all, running int) {
	for _, s := range e.ordered() {
		all++
		if p, _ := s.process(); p.Text != "" {
			running++
		}
	}
	return all, running
}
