package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/access"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// AccountSource is where accounts are kept. It is safe for concurrent use.
type AccountSource interface {
	// Accounts are those of now; the same value as long as they do not change.
	Accounts(ctx context.Context) (*rights.Accounts, error)
	// Change puts what change makes of them in their place, atomically. change may be
	// called more than once.
	Change(ctx context.Context, change func(*rights.Accounts) (*rights.Accounts, error)) error
}

// Accounts are those that the store's catalog keeps: those of rights.First, until there
// is another.
func (e *Engine) Accounts() AccountSource { return catalogAccounts{e} }

// catalogAccounts are the accounts in the catalog.
type catalogAccounts struct{ *Engine }

// accountsAttribute is the name of the catalog's attribute.
const accountsAttribute = "accounts"

// keptAccounts are those of a version of the catalog.
type keptAccounts struct {
	version  uint64
	text     string
	accounts *rights.Accounts
}

// Accounts implements AccountSource.
func (e catalogAccounts) Accounts(ctx context.Context) (*rights.Accounts, error) {
	catalog, err := e.store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	kept := e.accounts.Load()
	if kept != nil && kept.version == catalog.Version() {
		return kept.accounts, nil
	}
	next := &keptAccounts{version: catalog.Version(), text: catalog.Attribute(accountsAttribute)}
	if kept != nil && kept.text == next.text {
		next.accounts = kept.accounts
	} else {
		if next.accounts, err = decodeAccounts(next.text); err != nil {
			return nil, err
		}
	}
	e.accounts.CompareAndSwap(kept, next) // another may have been faster
	return next.accounts, nil
}

func decodeAccounts(text string) (*rights.Accounts, error) {
	if text == "" {
		return rights.First, nil
	}
	accounts, err := rights.Decode([]byte(text))
	if err != nil {
		return nil, mysqlerr.New(mysqlerr.Internal, "The accounts in the catalog cannot be read: %v", err)
	}
	return accounts, nil
}

// Change implements AccountSource.
func (e catalogAccounts) Change(ctx context.Context, change func(*rights.Accounts) (*rights.Accounts, error)) error {
	if e.limits.Allows(kv.SetAttributes) != nil {
		return mysqlerr.Unsupported("accounts in a store that has no place for them: give the server a file of accounts")
	}
	return e.store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		accounts, err := decodeAccounts(c.Catalog().Attribute(accountsAttribute))
		if err == nil {
			accounts, err = change(accounts)
		}
		if err != nil {
			return err
		}
		text, err := accounts.Encode()
		if err == nil {
			err = c.SetAttribute(accountsAttribute, string(text))
		}
		return err
	})
}

// authorize looks up what the session may do now.
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
	if s.dropped = account == nil; s.dropped { // there may be another of its name
		account = &rights.Account{Name: s.self, ID: s.options.Account.ID}
	}
	s.self = account.Name // which RENAME USER may have changed
	s.authority = &rights.Authority{Accounts: accounts, Account: account, Client: s.options.Account.Host}
	if s.authority.All() {
		s.authority = nil
	}
	return nil
}

// permit refuses a statement that takes rights which the session does not have, but
// for what plans ask for.
func (s *Session) permit(ctx context.Context, st parse.Statement) error {
	if err := s.authorize(ctx); err != nil || s.authority == nil {
		return err
	}
	catalog, err := s.engine.store.Catalog(ctx)
	if err != nil {
		return err
	}
	return s.permits(st)(catalog)
}

// permits is what permit asks of a catalog, nil of one who may do everything.
func (s *Session) permits(st parse.Statement) func(*kv.Catalog) error {
	if s.authority == nil {
		return nil
	}
	return func(c *kv.Catalog) error {
		return access.Checker{Authority: s.authority, Catalog: c, Database: s.database}.Check(st)
	}
}

// access is what a plan asks for rights; nil where nobody has to ask.
func (s *Session) access(explains bool) *rights.Access {
	if s.options.Accounts == nil {
		return nil
	}
	return rights.NewAccess(s.authority, explains).Free(s.filling.Database, s.filling.Name)
}

// mayKill is 1095 for the session of another account, or of another anonymous client.
func (s *Session) mayKill(victim *Session) error {
	if s == victim || s.authority.May(rights.Super) || s.options.Account.owns(victim.options.Account) {
		return nil
	}
	return mysqlerr.New(mysqlerr.KillDenied, "You are not owner of thread %d", victim.id)
}

// definer is whose rights count in the views that the session makes, empty of the
// embedded driver's.
func (s *Session) definer() string {
	if s.options.Accounts == nil {
		return ""
	}
	return s.self.Plain()
}

// accountSource is where the session's accounts are.
func (s *Session) accountSource() AccountSource {
	if s.options.Accounts != nil {
		return s.options.Accounts
	}
	return s.engine.Accounts()
}

func (s *Session) changer(ctx context.Context) *access.Changer {
	return &access.Changer{
		Authority: s.authority, Self: s.self, Dropped: s.dropped, Database: s.database, NewID: rights.NewID,
		Exists: func(database, name string) (bool, error) { return s.exists(ctx, database, name) },
		Note:   func(n mysqlerr.Number, message string) { s.note(n, "%s", message) },
	}
}

// exists reports whether rights can be given on a name.
func (s *Session) exists(ctx context.Context, database, name string) (bool, error) {
	catalog, err := s.engine.store.Catalog(ctx)
	if err != nil || catalog.Group(database, name) != nil {
		return err == nil, err
	}
	return s.engine.info.Exists(ctx, database, name)
}

// changeAccounts runs CREATE USER, GRANT and the like. As in MySQL it commits the open
// transaction.
func (s *Session) changeAccounts(ctx context.Context, st *Statement, _ []value.Value) (Rows, error) {
	if err := s.beforeDDL(ctx); err != nil {
		return nil, err
	}
	first, err := s.txns.Publish(ctx)
	if err != nil {
		return nil, err
	}
	defer s.txns.Published(first)
	changer, noted := s.changer(ctx), s.warnings
	return nil, s.accountSource().Change(ctx, func(accounts *rights.Accounts) (*rights.Accounts, error) {
		s.warnings = noted
		return changer.Change(st.Parsed.Stmt, accounts)
	})
}

// showAccount is SHOW GRANTS and SHOW CREATE USER.
func (s *Session) showAccount(ctx context.Context, st *parse.Show) (Rows, error) {
	accounts, err := s.accountSource().Accounts(ctx)
	if err != nil {
		return nil, err
	}
	a, err := s.changer(ctx).Shown(st.Account, accounts, st.Kind)
	if err != nil {
		return nil, err
	}
	out := &plan.Result{Columns: []Column{{Name: "Grants for " + a.Name.Plain(), Type: value.Type{Kind: value.Text, Length: 1024}}}}
	lines := a.Grants()
	if st.Kind == parse.ShowCreateUser {
		out.Columns[0].Name, lines = "CREATE USER for "+a.Name.Plain(), []string{a.Create()}
	}
	for _, line := range lines {
		out.Rows = append(out.Rows, []value.Value{value.NewString(line)})
	}
	return inMemory(out, nil)
}
