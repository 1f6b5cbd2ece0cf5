package main

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
)

// givenAccounts are the accounts of --accounts; nil if there are none, and those of the
// store apply.
func (c *serveCommand) givenAccounts() (*mysqlserver.Accounts, error) {
	switch {
	case c.accountsFile != "" && c.user != "":
		return nil, errors.New("--user creates an account in the store: with --accounts, define the account in that file")
	case c.passwordFile != "" && c.user == "":
		return nil, errors.New("--password-file requires --user")
	case c.accountsFile == "":
		return nil, nil
	}
	script, err := mysqlserver.ReadAccountsFile(c.accountsFile)
	if err != nil {
		return nil, err
	}
	return mysqlserver.NewAccounts(script)
}

// ensureUser creates the account of --user, in the store or, if that cannot keep
// accounts, for this run.
func (c *serveCommand) ensureUser(ctx context.Context, db *sql.DB, o *mysqlserver.Options) error {
	if c.user == "" {
		return nil
	}
	password := ""
	if c.passwordFile != "" {
		text, err := os.ReadFile(c.passwordFile)
		if err != nil {
			return err
		}
		password = strings.TrimRight(string(text), "\r\n")
	}
	user, host, _ := strings.Cut(c.user, "@")
	if host == "" {
		host = "localhost"
	}
	made, kept, err := mysqlserver.EnsureAccount(ctx, db, user, host, password)
	switch {
	case err != nil:
		return err
	case !kept:
		o.Accounts, err = mysqlserver.NewAccounts(mysqlserver.One(user, host, password))
		return err
	case !made:
		c.log.Info("the account exists and is as it was", "user", user, "host", host)
	}
	return nil
}

// reloadAccounts reloads the file of --accounts.
func (c *serveCommand) reloadAccounts() error {
	script, err := mysqlserver.ReadAccountsFile(c.accountsFile)
	if err != nil {
		return err
	}
	return c.accounts.Replace(script)
}

// sourceOf is accounts as other servers accept them; nil if there are none.
func sourceOf(accounts *mysqlserver.Accounts) privilege.Source {
	if accounts == nil {
		return nil
	}
	return accounts
}
