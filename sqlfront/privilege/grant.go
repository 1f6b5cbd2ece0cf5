package privilege

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// grantLevel is the object of a grant: all databases if database is empty, a whole database if table is.
type grantLevel struct {
	database, table string
	privileges      rights.Privileges
}

// level is the privileges of a GRANT or REVOKE, and their level.
func (c *Changer) level(st *ast.Grant) (grantLevel, error) {
	l := grantLevel{}
	for _, name := range st.Privileges {
		l.privileges |= rights.Named(name) // 0 for USAGE
	}
	if st.Option {
		l.privileges |= rights.GrantOption
	}
	all := rights.OnAll
	if !st.Global {
		l.table, all = st.On.Name, rights.OnTable
		if l.database = cmp.Or(st.On.Database, c.Database); l.database == "" {
			return l, mysqlerr.New(mysqlerr.NoDB, "No database selected")
		}
		if l.table == "" {
			all = rights.OnDatabase
		}
	}
	if st.All {
		l.privileges |= all
	}
	if l.privileges&^(all|rights.GrantOption) == 0 {
		return l, nil
	}
	if l.table != "" {
		return l, mysqlerr.New(mysqlerr.IllegalGrantForTable,
			"Illegal GRANT/REVOKE command; please consult the manual to see which privileges can be used")
	}
	return l, mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of DB GRANT and GLOBAL PRIVILEGES")
}

// mayGive checks that the session has the privileges that it grants, and GRANT OPTION for them.
func (c *Changer) mayGive(l grantLevel) error {
	if c.Authority == nil {
		return nil
	}
	want := l.privileges | rights.GrantOption
	switch {
	case l.database == "":
		if !c.Account.Global.Has(want) {
			return c.Denied()
		}
		return nil
	case l.table == "":
		return c.Pattern(want, l.database)
	}
	return c.Table(want, l.database, l.table, "")
}

// grant is GRANT and REVOKE on a level.
func (c *Changer) grant(st *ast.Grant, accounts *rights.Accounts) (*rights.Accounts, error) {
	l, err := c.level(st)
	if err != nil {
		return nil, err
	}
	if err := c.mayGive(l); err != nil {
		return nil, err
	}
	if err := c.checkThere(st, l); err != nil {
		return nil, err
	}
	for i := range st.Accounts {
		next, err := c.grantTo(st, l, &st.Accounts[i], accounts)
		if err != nil {
			return nil, err
		}
		accounts = accounts.With(next)
	}
	return accounts, nil
}

// checkThere is error 1146 for privileges on a missing object that these privileges do not allow to create.
func (c *Changer) checkThere(st *ast.Grant, l grantLevel) error {
	if l.table == "" || st.Revoke || l.privileges&rights.Create != 0 || c.Exists == nil {
		return nil
	}
	there, err := c.Exists(l.database, l.table)
	if err == nil && !there {
		err = mysqlerr.NoTable(l.database, l.table)
	}
	return err
}

// grantTo is the account after GRANT or REVOKE.
func (c *Changer) grantTo(st *ast.Grant, l grantLevel, to *ast.AccountSpec,
	accounts *rights.Accounts) (*rights.Account, error) {
	name := c.Name(to.AccountName)
	was := accounts.Get(name)
	if st.Revoke {
		return revoked(name, was, l)
	}
	var next *rights.Account
	switch {
	case was != nil && (!to.Identified() || c.own(name) && c.identified(name) == nil):
		next = was.Copy()
	case was == nil && !to.Identified():
		return nil, noUser()
	case c.accounts(rights.Insert) != nil:
		return nil, mysqlerr.New(mysqlerr.CantCreateUserWithGrant, "You are not allowed to create a user with GRANT")
	case was == nil:
		next = c.blank(name)
	default:
		next = was.Copy()
	}
	if err := identify(next, to); err != nil {
		return nil, err
	}
	if st.Options.Require != nil {
		if err := c.Global(rights.CreateUser); err != nil {
			return nil, err
		}
	}
	setOptions(next, st.Options)
	next.Set(l.database, l.table, next.Given(l.database, l.table)|l.privileges)
	return next, nil
}

func revoked(name rights.Name, was *rights.Account, l grantLevel) (*rights.Account, error) {
	if was == nil {
		return nil, noGrant(name)
	}
	given := was.Given(l.database, l.table)
	switch {
	case l.database == "" || given != 0:
	case l.table != "":
		return nil, mysqlerr.New(mysqlerr.NonExistingTableGrant,
			"There is no such grant defined for user '%s' on host '%s' on table '%s'", name.User, name.Host, l.table)
	default:
		return nil, noGrant(name)
	}
	next := was.Copy()
	next.Set(l.database, l.table, given&^l.privileges)
	return next, nil
}

// revokeEverything is REVOKE ALL PRIVILEGES, GRANT OPTION.
func (c *Changer) revokeEverything(st *ast.Grant, accounts *rights.Accounts) (*rights.Accounts, error) {
	if err := c.accounts(rights.Update); err != nil {
		return nil, err
	}
	for i := range st.Accounts {
		was := accounts.Get(c.Name(st.Accounts[i].AccountName))
		if was == nil {
			return nil, mysqlerr.New(mysqlerr.RevokeGrants, "Can't revoke all privileges for one or more of the requested users")
		}
		next := was.Copy()
		next.Global, next.Databases, next.Tables = 0, nil, nil
		accounts = accounts.With(next)
	}
	return accounts, nil
}
