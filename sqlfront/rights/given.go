package rights

import (
	"context"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Given are accounts that a program holds, such as those of a file, instead of those in a store. It is safe
// for concurrent use.
type Given struct{ now atomic.Pointer[Accounts] }

// NewGiven returns a Given with these accounts.
func NewGiven(a *Accounts) *Given {
	g := &Given{}
	g.Replace(a)
	return g
}

// Replace replaces the accounts, from each session's next statement on.
func (g *Given) Replace(a *Accounts) { g.now.Store(a) }

// Accounts are the current accounts. The error is always nil.
func (g *Given) Accounts(context.Context) (*Accounts, error) { return g.now.Load(), nil }

// Change is error 1290: only the program can change them, with Replace.
func (g *Given) Change(context.Context, func(*Accounts) (*Accounts, error)) error {
	return mysqlerr.New(mysqlerr.OptionPreventsStmt,
		"The MySQL server is running with the --accounts option so it cannot execute this statement")
}
