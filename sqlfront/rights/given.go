package rights

import (
	"context"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Given are accounts that a program holds, such as those of a file, in place of those
// in a store. It is safe for concurrent use.
type Given struct{ now atomic.Pointer[Accounts] }

// NewGiven holds these accounts.
func NewGiven(a *Accounts) *Given {
	g := &Given{}
	g.Replace(a)
	return g
}

// Replace puts others in their place, which holds for each session's next statement.
func (g *Given) Replace(a *Accounts) { g.now.Store(a) }

// Accounts are those of now.
func (g *Given) Accounts(context.Context) (*Accounts, error) { return g.now.Load(), nil }

// Change is 1290: only their holder changes them.
func (g *Given) Change(context.Context, func(*Accounts) (*Accounts, error)) error {
	return mysqlerr.New(mysqlerr.OptionPreventsStmt,
		"The MySQL server is running with the --accounts option so it cannot execute this statement")
}
