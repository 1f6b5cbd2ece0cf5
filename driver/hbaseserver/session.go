package hbaseserver

import (
	"context"
	"sync"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/sqlfront"
)

// session is a client's connection.
type session struct {
	*guard.Client
	server *server
	conn   *rpc.Connection
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
	out := &session{s.guards.Client(opened, account.Identity()), s, c}
	s.live.add(out)
	return out, nil
}

// Close implements rpc.Session.
func (c *session) Close() {
	c.server.live.remove(c)
	c.Client.Close()
}

// Call implements rpc.Session.
func (c *session) Call(ctx context.Context, r *rpc.Request) (response *rpc.Response, err error) {
	err = c.Do(ctx, guard.KindOf(r.Method), guard.Shown(r), func(ctx context.Context) error {
		response, err = c.server.call(c.With(ctx), r)
		return err
	})
	if err != nil {
		return nil, c.server.exception(err)
	}
	return response, nil
}

// view returns the tables that the client of a call may know of.
func (s *server) view(ctx context.Context) (*tables.View, error) { return guard.View(ctx) }

// sessions are the open sessions.
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
		if c.Killed() {
			c.conn.Close()
		}
	}
}
