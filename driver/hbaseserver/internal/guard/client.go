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

// Guards are what the clients of a server share.
type Guards struct {
	views *tables.Views
	names tables.Names
	needs map[string]need
}

// New makes the Guards for clients of the tables in views. Methods that are quiet do nothing.
func New(views *tables.Views, names tables.Names, quiet []string) *Guards {
	return &Guards{views, names, needs(quiet)}
}

// Client is a connected client: one of the store's sessions, like those of SQL's clients, in the process list
// and with the rights of its account.
type Client struct {
	*sqlfront.Session
	of      *Guards
	account rights.Identity

	mu        sync.Mutex // guards what follows
	authority *rights.Authority
	whole     *tables.View // the newest View; visible has what the authority may know of it
	visible   *tables.View
}

// Client makes the client of a session with an account.
func (g *Guards) Client(s *sqlfront.Session, account rights.Identity) *Client {
	return &Client{Session: s, of: g, account: account}
}

// key is the key of the client in a call's context.
type key struct{}

// With returns the context for a call of the client.
func (c *Client) With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, c) }

// ClientOf returns the client of a call.
func ClientOf(ctx context.Context) *Client { return ctx.Value(key{}).(*Client) }

// View returns the tables that the client of a call may know of.
func View(ctx context.Context) (*tables.View, error) {
	c := ClientOf(ctx)
	authority, err := c.may(ctx)
	if err != nil {
		return nil, err
	}
	return c.sees(ctx, authority)
}

// may returns the client's current rights, nil if it has all.
func (c *Client) may(ctx context.Context) (*rights.Authority, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Session.Authority(ctx)
}

// sees returns the tables on which the client has some right, for an authority that does not have all.
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
