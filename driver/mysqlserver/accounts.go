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

// Accounts are the accounts of a server and their privileges, in place of those in the store. It
// may be used by many goroutines, and changed while a server uses it.
type Accounts struct{ *rights.Given }

// NewAccounts reads accounts from a script of CREATE USER and GRANT, as SHOW CREATE USER
// and SHOW GRANTS print them.
func NewAccounts(script string) (*Accounts, error) {
	list, err := privilege.Read(script)
	if err != nil {
		return nil, err
	}
	return &Accounts{rights.NewGiven(list)}, nil
}

// Replace puts the accounts of another script in the place of all, which holds at once,
// for those who are logged in too. After an error they are as they were.
func (a *Accounts) Replace(script string) error {
	list, err := privilege.Read(script)
	if err == nil {
		a.Given.Replace(list)
	}
	return err
}

// ReadAccountsFile reads the script of NewAccounts from a file, which must be readable by its owner
// alone. Each statement must have its semicolon: a part of one, in a file that was cut off, may
// require less of the client.
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
		return "", fmt.Errorf("the accounts' file %s may be read by others than its owner: chmod 600", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if _, err := privilege.Read(string(text)); err != nil {
		return "", fmt.Errorf("the accounts' file %s: %w", path, err)
	}
	statements, err := driver.SplitScript(string(text))
	if n := len(statements); n > 0 && statements[n-1].Open {
		return "", fmt.Errorf("the accounts' file %s: it may have been cut off, its last statement (line %d) has no semicolon",
			path, statements[n-1].Line)
	}
	return string(text), err
}

// EnsureAccount makes an account in the store of db that may do everything, unless it has
// one of that name: its password stays as it is. In a store where nobody has made an account
// yet, it is the only one afterwards. made says whether it was made, and kept is false of a
// store that has no place for accounts.
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

// One is the script of an account with a password that may do everything.
func One(user, host, password string) string {
	a := &rights.Account{Name: rights.Name{User: user, Host: host}, Plugin: rights.DefaultPlugin,
		Secret: rights.NewSecret(rights.DefaultPlugin, password), Global: rights.OnAll | rights.GrantOption}
	return a.Create() + ";" + a.Grants()[0]
}
