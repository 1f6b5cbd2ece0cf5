package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// authorize loads the privileges of the session's account, if the accounts have changed since the last
// statement.
func (s *Session) authorize(ctx context.Context) error {
	if s.options.Accounts == nil {
		return nil
	}
	accounts, err := s.options.Accounts.Accounts(ctx)
	if err != nil || accounts == s.accounts {
		return err
	}
	s.accounts = accounts
	account := accounts.Identified(s.options.Account.identity())
	if s.dropped = account == nil; s.dropped { // a new account may have its name
		account = &rights.Account{Name: s.self, ID: s.options.Account.ID}
	}
	s.self = account.Name // RENAME USER may have changed it
	s.authority = &rights.Authority{Accounts: accounts, Account: account, Client: s.options.Account.Host}
	if s.authority.All() {
		s.authority = nil
	}
	return nil
}

// permit refuses a statement for which the session lacks privileges. Privileges on the tables of a plan
// are checked by the planner.
func (s *Session) permit(ctx context.Context, st ast.Statement) error {
	if err := s.authorize(ctx); err != nil || s.authority == nil {
		return err
	}
	catalog, err := s.temp.Store.Catalog(ctx)
	if err != nil {
		return err
	}
	return s.permits(st)(catalog)
}

// permits returns the check of privileges against a catalog; nil for an account that may do everything.
func (s *Session) permits(st ast.Statement) func(*kv.Catalog) error {
	if s.authority == nil {
		return nil
	}
	return func(c *kv.Catalog) error {
		return privilege.Checker{Authority: s.authority, Catalog: s.temp.Over(c), Database: s.database}.Check(st)
	}
}

// definer is the account in whose name views that the session creates are executed. It is empty for
// sessions of the embedded driver.
func (s *Session) definer() string {
	if s.options.Accounts == nil {
		return ""
	}
	return s.self.Plain()
}

// mayKill returns error 1095 for a session of another account, or of another anonymous client.
func (s *Session) mayKill(victim *Session) error {
	if s == victim || s.authority.May(rights.Super) || s.options.Account.owns(victim.options.Account) {
		return nil
	}
	return mysqlerr.New(mysqlerr.KillDenied, "You are not owner of thread %d", victim.id)
}
