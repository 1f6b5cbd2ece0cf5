// Package guard is what a client of HBase's protocol may do: as whom it acts, which tables it may know of, and which
// rights its calls take.
package guard

import (
	"context"
	"sync"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Guards are what the clients of a server have in common.
type Guards struct {
	views *tables.Views
	names tables.Names
	needs map[string]need
}

// New is for clients of the tables in views. Methods that are quiet do nothing.
func New(views *tables.Views, names tables.Names, quiet []string) *Guards {
	return &Guards{views, names, needs(quiet)}
}

// Client is one that is connected: one of the store's sessions, as those of SQL's clients are, in the process list
// and with the rights of its account.
type Client struct {
	*sqlfront.Session
	of      *Guards
	account rights.Identity

	mu        sync.Mutex // guards what follows
	authority *rights.Authority
	whole     *tables.View // of which visible has what the authority may know of
	visible   *tables.View
}

// Client is that of a session of an account.
func (g *Guards) Client(s *sqlfront.Session, account rights.Identity) *Client {
	return &Client{Session: s, of: g, account: account}
}

// key is what a call's context has its client by.
type key struct{}

// With is the context of a call of the client.
func (c *Client) With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, c) }

// ClientOf is the client of a call.
func ClientOf(ctx context.Context) *Client { return ctx.Value(key{}).(*Client) }

// View is the tables that the client of a call may know of.
func View(ctx context.Context) (*tables.View, error) {
	c := ClientOf(ctx)
	authority, err := c.may(ctx)
	if err != nil {
		return nil, err
	}
	return c.sees(ctx, authority)
}

// may is what the client may do now, nil of one that may do everything.
func (c *Client) may(ctx context.Context) (*rights.Authority, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Session.Authority(ctx)
}

// sees is the tables that the client has some right on by an authority of its own.
func (c *Client) sees(ctx context.Context, authority *rights.Authority) (*tables.View, error) {
	v, err := c.of.views.View(ctx)
	if err != nil || authority == nil {
		return v, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.whole != v || c.authority != authority {
		c.whole, c.authority = v, authority
		c.visible = v.Only(authority.Sees, authority.Lists)
	}
	return c.visible, nil
}
