package sqlfront

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// server implements infoschema.Server: what information_schema shows of an engine.
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

// daemons are the store's background tasks, which cannot be killed.
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

// ordered are the open sessions in the order of their numbers.
func (e server) ordered() []*Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.SortedFunc(maps.Values(e.sessions), func(a, b *Session) int { return int(a.id) - int(b.id) })
}

// process is the session's line in the process list, and how much its statement has read.
func (s *Session) process() (infoschema.Process, metrics.Reading) {
	p := infoschema.Process{ID: s.id, User: s.options.Account.User, Host: s.options.Account.Peer,
		Account: s.options.Account.identity()}
	r := s.underWay.Show(&p)
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
	return c.Status(&e.wire, e.store, secured)
}

// threads counts the sessions, and those that run a statement.
func (e server) threads() (all, running int) {
	for _, s := range e.ordered() {
		all++
		if p, _ := s.process(); p.Text != "" {
			running++
		}
	}
	return all, running
}
