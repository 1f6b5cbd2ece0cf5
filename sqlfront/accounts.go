package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv/permission"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// accountSource gives the accounts that apply to the session: those of its options, or those in the
// catalog.
func (s *Session) accountSource() privilege.Source {
	if s.options.Accounts != nil {
		return s.options.Accounts
	}
	return s.engine.Accounts()
}

func (s *Session) changer(ctx context.Context) *privilege.Changer {
	return &privilege.Changer{
		Authority: s.authority, Self: s.self, Dropped: s.dropped, Database: s.database, NewID: rights.NewID,
		Exists: func(database, name string) (bool, error) { return s.exists(ctx, database, name) },
		Note:   func(n mysqlerr.Number, message string) { s.note(n, "%s", message) },
	}
}

// exists reports whether a table or view of that name exists, which GRANT demands.
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
	changer, noted := s.changer(ctx), s.warnings.List
	return nil, s.accountSource().Change(ctx, func(accounts *rights.Accounts) (*rights.Accounts, error) {
		s.warnings.List = noted
		return changer.Change(st.Parsed.Stmt, accounts)
	})
}

// showAccount is SHOW GRANTS and SHOW CREATE USER.
func (s *Session) showAccount(ctx context.Context, st *ast.Show) (Rows, error) {
	accounts, err := s.accountSource().Accounts(ctx)
	if err != nil {
		return nil, err
	}
	a, err := s.changer(ctx).Shown(st.Account, accounts, st.Kind)
	if err != nil {
		return nil, err
	}
	out := &relation.Result{Columns: []Column{{
		Name: "Grants for " + a.Name.Plain(), Type: value.Type{Kind: value.Text, Length: 1024}}}}
	lines := s.grants(ctx, a)
	if st.Kind == ast.ShowCreateUser {
		out.Columns[0].Name, lines = "CREATE USER for "+a.Name.Plain(), []string{a.Create()}
	}
	for _, line := range lines {
		out.Rows = append(out.Rows, []value.Value{value.NewString(line)})
	}
	return answers.InMemory(out, nil)
}

// grants are the lines of SHOW GRANTS. An account that may do everything in SQL is limited by the store's own
// privileges.
func (s *Session) grants(ctx context.Context, a *rights.Account) []string {
	holder, ok := s.engine.store.(permission.Holder)
	if !ok || !a.Global.Has(rights.OnAll) {
		return a.Grants()
	}
	held, err := holder.Permissions(ctx)
	if err != nil {
		s.note(mysqlerr.UnknownError, "The store does not report the permissions of its user: %v", err)
		return a.Grants()
	}
	return a.GrantsOfStore(held)
}
