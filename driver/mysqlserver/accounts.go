package mysqlserver

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Accounts are a server's accounts with their privileges, used instead of those in the store.
// Many goroutines may use them, and they may change while a server uses them.
type Accounts struct{ *rights.Given }

// NewAccounts reads accounts from a script of CREATE USER and GRANT, as SHOW CREATE USER
// and SHOW GRANTS print them. Its errors are those of the statements.
func NewAccounts(script string) (*Accounts, error) {
	list, err := privilege.Read(script)
	if err != nil {
		return nil, err
	}
	return &Accounts{rights.NewGiven(list)}, nil
}

// Replace replaces all accounts by those of another script. The change applies at once,
// also to clients that are logged in. After an error the accounts are unchanged.
func (a *Accounts) Replace(script string) error {
	list, err := privilege.Read(script)
	if err == nil {
		a.Given.Replace(list)
	}
	return err
}

// ReadAccountsFile reads the script of NewAccounts from a file. It fails if others than the owner can
// read the file, if the script is invalid, or if a statement has no semicolon at its end: part of a
// statement, in a file that was cut off, might require less of the client.
func ReadAccountsFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("the accounts file %s may be read by others than its owner: chmod 600", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if _, err := privilege.Read(string(text)); err != nil {
		return "", fmt.Errorf("the accounts file %s: %w", path, err)
	}
	statements, err := driver.SplitScript(string(text))
	if n := len(statements); n > 0 && statements[n-1].Open {
		return "", fmt.Errorf("the accounts file %s may be incomplete: its last statement (line %d) has no semicolon",
			path, statements[n-1].Line)
	}
	return string(text), err
}

// EnsureAccount creates an account with all privileges in db's store. If the account exists,
// its password is unchanged. In a store in which no account was ever created, it is then the
// only one. made says whether it was created, and kept is false if the store cannot keep
// accounts.
func EnsureAccount(ctx context.Context, db *sql.DB, user, host, password string) (made, kept bool, err error) {
	sessions, err := driver.SessionsOf(ctx, db)
	if err != nil {
		return false, false, err
	}
	source, err := sessions.Accounts()
	if err != nil {
		return false, false, err
	}
	a, err := rights.New(rights.Name{User: user, Host: host}, "", rights.NewSecret(rights.DefaultPlugin, password))
	if err != nil {
		return false, false, err
	}
	a.ID, a.Global = rights.NewID(), rights.OnAll|rights.GrantOption
	list, err := source.Accounts(ctx)
	if err != nil || list != rights.First && list.Get(a.Name) != nil {
		return false, true, err
	}
	err = source.Change(ctx, func(list *rights.Accounts) (*rights.Accounts, error) {
		made = false
		switch {
		case list == rights.First:
			list = rights.NewAccounts()
		case list.Get(a.Name) != nil:
			return list, nil
		}
		made = true
		return list.With(a), nil
	})
	if mysqlerr.Is(err, mysqlerr.NotSupportedYet) {
		return false, false, nil
	}
	return made, err == nil, err
}

// One is the script of a single account that has a password and all privileges.
func One(user, host, password string) string {
	a := &rights.Account{Name: rights.Name{User: user, Host: host}, Plugin: rights.DefaultPlugin,
		Secret: rights.NewSecret(rights.DefaultPlugin, password), Global: rights.OnAll | rights.GrantOption}
	return a.Create() + ";" + a.Grants()[0]
}
