package hbaseserver

import (
	"context"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// session is a client's connection: one of the store's sessions, as those of SQL's clients are, in the process
// list and with the rights of its account.
type session struct {
	server *server
	conn   *rpc.Connection
	sql    *sqlfront.Session

	mu        sync.Mutex // guards what follows
	authority *rights.Authority
	whole     *tables.View // of which visible has what the authority may know of
	visible   *tables.View
}

// Open implements rpc.Handler.
func (s *server) Open(ctx context.Context, c *rpc.Connection) (rpc.Session, error) {
	account, user, err := s.admit(ctx, c)
	if err != nil {
		return nil, s.exception(err)
	}
	peer, hosts := client.Whence(c.Peer())
	o := s.sessions.Options()
	o.Database, o.Accounts, o.SlowLog = "", s.accounts, s.options.Log
	o.Account = sqlfront.Account{Name: account.Name, ID: account.ID, User: user, Host: hosts[0], Peer: peer}
	opened, err := s.sessions.Open(ctx, o)
	if err != nil {
		return nil, s.exception(err)
	}
	out := &session{server: s, conn: c, sql: opened}
	s.live.add(out)
	return out, nil
}

// Close implements rpc.Session.
func (c *session) Close() {
	c.server.live.remove(c)
	c.sql.Close()
}

// sessionKey is what a call's context has its session by.
type sessionKey struct{}

func sessionOf(ctx context.Context) *session { return ctx.Value(sessionKey{}).(*session) }

// Call implements rpc.Session.
func (c *session) Call(ctx context.Context, r *rpc.Request) (response *rpc.Response, err error) {
	err = c.sql.Do(ctx, kindOf(r.Method), shown(r), func(ctx context.Context) error {
		response, err = c.server.call(context.WithValue(ctx, sessionKey{}, c), r)
		return err
	})
	if err != nil {
		return nil, c.server.exception(err)
	}
	return response, nil
}

// kinds are those by which calls are counted; others are of an administrator.
var kinds = map[string]metrics.Kind{"Get": metrics.KindHBaseGet, "Scan": metrics.KindHBaseScan,
	"Mutate": metrics.KindHBaseMutate, "Multi": metrics.KindHBaseMulti}

func kindOf(method string) metrics.Kind {
	if kind, ok := kinds[method]; ok {
		return kind
	}
	return metrics.KindHBaseAdmin
}

// maxShown is how much of a name the process list shows, in bytes.
const maxShown = 200

// shown is a call as the process list has it: its method, and the table of the (first) region that it is about.
func shown(r *rpc.Request) string {
	method := r.Method[:min(len(r.Method), maxShown)]
	if kindOf(method) == metrics.KindHBaseAdmin {
		return method
	}
	region := field(r.Param, 1)
	if method == "Multi" {
		region = field(region, 1) // of the first of its actions
	}
	name := field(region, 2)
	for i, b := range name {
		if b == ',' {
			return method + " " + string(name[:min(i, maxShown)])
		}
	}
	return method
}

// field is the first field of a message, where it has the number and is bytes.
func field(message []byte, number protowire.Number) []byte {
	for len(message) > 0 {
		found, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil
		}
		if found == number && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message[n:])
			return value
		}
		size := protowire.ConsumeFieldValue(found, kind, message[n:])
		if size < 0 {
			return nil
		}
		message = message[n+size:]
	}
	return nil
}

// may is what the client may do now, nil of one that may do everything.
func (c *session) may(ctx context.Context) (*rights.Authority, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sql.Authority(ctx)
}

// sees is what the client may know of a view: tables that it has some right on.
func (c *session) sees(ctx context.Context, v *tables.View) (*tables.View, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	authority, err := c.sql.Authority(ctx)
	if err != nil || authority == nil {
		return v, err
	}
	if c.whole != v || c.authority != authority {
		c.whole, c.authority = v, authority
		c.visible = v.Only(authority.Sees, authority.Lists)
	}
	return c.visible, nil
}

// view is the tables that the client of a call may know of.
func (s *server) view(ctx context.Context) (*tables.View, error) {
	v, err := s.views.View(ctx)
	if err != nil {
		return nil, err
	}
	return sessionOf(ctx).sees(ctx, v)
}

// sessions are those that are open.
type sessions struct {
	mu   sync.Mutex
	open map[*session]struct{}
}

func (l *sessions) add(c *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[*session]struct{}{}
	}
	l.open[c] = struct{}{}
}

func (l *sessions) remove(c *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
}

// endKilled closes the connections of sessions that KILL has ended.
func (l *sessions) endKilled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		if c.sql.Killed() {
			c.conn.Close()
		}
	}
}
