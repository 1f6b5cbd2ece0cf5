package privilege

import (
	"cmp"
	"errors"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Changer runs the statements about accounts.
type Changer struct {
	// Authority is the account for which the statement acts, which is Self; nil may do everything. Dropped
	// says that the account has been dropped: one of the same name is then another account.
	*rights.Authority
	Self    rights.Name
	Dropped bool
	// NewID makes the IDs of new accounts; if nil, they have none.
	NewID func() uint64
	// Database is the current database, or empty.
	Database string
	// Exists reports whether there is a table, a view or a table group of that name; nil means that this is
	// unknown.
	Exists func(database, name string) (bool, error)
	// Note adds a note for SHOW WARNINGS.
	Note func(n mysqlerr.Number, message string)
}

// isChange reports whether a statement is about accounts.
func isChange(st ast.Statement) bool {
	switch st.(type) {
	case *ast.CreateUser, *ast.DropUser, *ast.RenameUser, *ast.Grant, *ast.SetPassword:
		return true
	}
	return false
}

// Change is the accounts after the statement: it applies completely, or returns an error.
func (c *Changer) Change(st ast.Statement, accounts *rights.Accounts) (*rights.Accounts, error) {
	switch st := st.(type) {
	case *ast.CreateUser:
		if st.Alter {
			return c.alter(st, accounts)
		}
		return c.create(st, accounts)
	case *ast.DropUser:
		return c.drop(st, accounts)
	case *ast.RenameUser:
		return c.rename(st, accounts)
	case *ast.Grant:
		if st.Everything {
			return c.revokeEverything(st, accounts)
		}
		return c.grant(st, accounts)
	case *ast.SetPassword:
		return c.setPassword(st, accounts)
	}
	return nil, errors.New("not a statement about accounts")
}

// Name is the account that a statement names.
func (c *Changer) Name(n ast.AccountName) rights.Name {
	if n.Current {
		return c.Self
	}
	return rights.Name{User: n.User, Host: strings.ToLower(n.Host)}
}

// own reports whether an account is the session's own, whose password it may change.
func (c *Changer) own(n rights.Name) bool { return n == c.Self && !c.Dropped }

// identified is error 1131 if an anonymous account would change its password, which all its users log in
// with.
func (c *Changer) identified(n rights.Name) error {
	if !c.own(n) || n.User != "" {
		return nil
	}
	return mysqlerr.New(mysqlerr.PasswordAnonymousUser,
		"You are using MySQL as an anonymous user and anonymous users are not allowed to change passwords")
}

// failed is error 1396, with the accounts that are the reason.
func failed(what string, names []rights.Name) error {
	if len(names) == 0 {
		return nil
	}
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = n.String()
	}
	return mysqlerr.New(mysqlerr.CannotUser, "Operation %s failed for %s", what, strings.Join(list, ","))
}

// accounts requires CREATE USER, or a sufficient privilege on the database mysql.
func (c *Changer) accounts(want rights.Privileges) error {
	if c.Authority.Database(want, mysqlDatabase) == nil {
		return nil
	}
	return c.Global(rights.CreateUser)
}

func (c *Changer) create(st *ast.CreateUser, accounts *rights.Accounts) (*rights.Accounts, error) {
	if err := c.accounts(rights.Insert); err != nil {
		return nil, err
	}
	var taken []rights.Name
	for i := range st.Accounts {
		spec := &st.Accounts[i]
		name := c.Name(spec.AccountName)
		switch {
		case accounts.Get(name) == nil:
			made, err := c.newAccount(name, spec, st.Options)
			if err != nil {
				return nil, err
			}
			accounts = accounts.With(made)
		case st.IfNotExists:
			c.Note(mysqlerr.UserAlreadyExists, "Authorization ID "+name.String()+" already exists.")
		default:
			taken = append(taken, name)
		}
	}
	return accounts, failed("CREATE USER", taken)
}

func (c *Changer) newAccount(name rights.Name, spec *ast.AccountSpec, o ast.AccountOptions) (*rights.Account, error) {
	a := c.blank(name)
	if err := identify(a, spec); err != nil {
		return nil, err
	}
	setOptions(a, o)
	return a, nil
}

// blank is a new account of that name, without privileges.
func (c *Changer) blank(name rights.Name) *rights.Account {
	a := &rights.Account{Name: name, Plugin: rights.DefaultPlugin}
	if c.NewID != nil {
		a.ID = c.NewID()
	}
	return a
}

// identify sets how the password of an account is checked.
func identify(a *rights.Account, spec *ast.AccountSpec) error {
	if !spec.Identified() {
		return nil
	}
	a.Plugin, a.Secret = strings.ToLower(cmp.Or(spec.Plugin, a.Plugin)), ""
	if spec.Plugin == "" && spec.Secret != nil && rights.ValidSecret(rights.NativePassword, *spec.Secret) {
		a.Plugin = rights.NativePassword // IDENTIFIED BY PASSWORD is from the time before the other plugins
	}
	if a.Plugin != rights.NativePassword && a.Plugin != rights.CachingSHA2 {
		return mysqlerr.New(mysqlerr.PluginIsNotLoaded, "Plugin '%s' is not loaded", spec.Plugin)
	}
	switch {
	case spec.Password != nil:
		a.Secret = rights.NewSecret(a.Plugin, *spec.Password)
	case spec.Secret != nil && *spec.Secret != "":
		if a.Secret = *spec.Secret; !rights.ValidSecret(a.Plugin, a.Secret) {
			return mysqlerr.New(mysqlerr.PasswordLength, "Password hash is not one of %s", a.Plugin)
		}
	}
	return nil
}

func setOptions(a *rights.Account, o ast.AccountOptions) {
	if o.Locked != nil {
		a.Locked = *o.Locked
	}
	if o.Require == nil {
		return
	}
	r := o.Require
	a.Require, a.Subject, a.Issuer, a.Cipher = rights.Requirement(r.Kind), r.Subject, r.Issuer, r.Cipher
	if r.Kind == "NONE" {
		a.Require = rights.RequireNone
	}
}

func (c *Changer) alter(st *ast.CreateUser, accounts *rights.Accounts) (*rights.Accounts, error) {
	name := c.Name(st.Accounts[0].AccountName)
	own := len(st.Accounts) == 1 && c.own(name) && st.Options == ast.AccountOptions{}
	if own {
		if err := c.identified(name); err != nil {
			return nil, err
		}
	} else {
		if err := c.accounts(rights.Update); err != nil {
			return nil, err
		}
	}
	var missing []rights.Name
	for i := range st.Accounts {
		spec := &st.Accounts[i]
		was := c.existing(accounts, spec.AccountName, st.IfExists, &missing)
		if was == nil {
			continue
		}
		next := was.Copy()
		if err := identify(next, spec); err != nil {
			return nil, err
		}
		setOptions(next, st.Options)
		accounts = accounts.With(next)
	}
	return accounts, failed("ALTER USER", missing)
}

// existing is an account by its name. If there is none, it is added to missing, or noted if IF EXISTS is
// given.
func (c *Changer) existing(accounts *rights.Accounts, of ast.AccountName, ifExists bool, missing *[]rights.Name) *rights.Account {
	name := c.Name(of)
	was := accounts.Get(name)
	switch {
	case was != nil:
	case ifExists:
		c.Note(mysqlerr.UserDoesNotExist, "Authorization ID "+name.String()+" does not exist.")
	default:
		*missing = append(*missing, name)
	}
	return was
}

func (c *Changer) drop(st *ast.DropUser, accounts *rights.Accounts) (*rights.Accounts, error) {
	if err := c.accounts(rights.Delete); err != nil {
		return nil, err
	}
	var missing []rights.Name
	for _, each := range st.Accounts {
		if was := c.existing(accounts, each, st.IfExists, &missing); was != nil {
			accounts = accounts.Without(was.Name)
		}
	}
	return accounts, failed("DROP USER", missing)
}

func (c *Changer) rename(st *ast.RenameUser, accounts *rights.Accounts) (*rights.Accounts, error) {
	if err := c.accounts(rights.Update); err != nil {
		return nil, err
	}
	var wrong []rights.Name
	for _, pair := range st.Pairs {
		from, to := c.Name(pair.From), c.Name(pair.To)
		was := accounts.Get(from)
		if was == nil || accounts.Get(to) != nil {
			wrong = append(wrong, from)
			continue
		}
		next := was.Copy()
		next.Name = to
		accounts = accounts.Without(from).With(next)
	}
	return accounts, failed("RENAME USER", wrong)
}

func (c *Changer) setPassword(st *ast.SetPassword, accounts *rights.Accounts) (*rights.Accounts, error) {
	name := c.Self
	if st.For != nil {
		name = c.Name(*st.For)
	}
	if err := c.identified(name); err != nil {
		return nil, err
	}
	if !c.own(name) {
		if err := c.Authority.Database(rights.Update, mysqlDatabase); err != nil {
			return nil, err
		}
	}
	was := accounts.Get(name)
	if was == nil {
		return nil, noUser()
	}
	next := was.Copy()
	next.Secret = rights.NewSecret(next.Plugin, st.Password)
	return accounts.With(next), nil
}

func noUser() error {
	return mysqlerr.New(mysqlerr.PasswordNoMatch, "Can't find any matching row in the user table")
}

const mysqlDatabase = "mysql"

// Shown is the account of SHOW GRANTS and SHOW CREATE USER: another user's needs the privilege to read the
// database mysql.
func (c *Changer) Shown(n ast.AccountName, accounts *rights.Accounts, kind ast.ShowKind) (*rights.Account, error) {
	name := c.Name(n)
	if !c.own(name) {
		if err := c.Authority.Database(rights.Select, mysqlDatabase); err != nil {
			return nil, err
		}
	}
	a := accounts.Get(name)
	switch {
	case a != nil:
		return a, nil
	case kind == ast.ShowCreateUser:
		return nil, failed("SHOW CREATE USER", []rights.Name{name})
	}
	return nil, noGrant(name)
}

func noGrant(n rights.Name) error {
	return mysqlerr.New(mysqlerr.NonExistingGrant, "There is no such grant defined for user '%s' on host '%s'", n.User, n.Host)
}
