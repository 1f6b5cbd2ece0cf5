package infoschema

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// mayReadKeys reports whether the session may see row keys of a table, which needs SELECT.
func mayReadKeys(a *rights.Authority, t *kv.Table) bool {
	return a.Table(rights.Select, t.Database, t.Name, t.Group) == nil
}

// mayRead reports whether the session has privileges on a relation, without an error.
func (r *infoReader) mayRead(want rights.Privileges, each object) bool {
	return r.Authority.Table(want, each.database, each.name, each.groupName()) == nil
}

// mayUse are the privileges, separated by commas, that the session has on a relation.
func (r *infoReader) mayUse(each object, privileges string) string {
	if r.Authority == nil {
		return privileges
	}
	var out []string
	for p := range strings.SplitSeq(privileges, ",") {
		if r.mayRead(rights.Named(strings.ToUpper(p)), each) {
			out = append(out, p)
		}
	}
	return strings.Join(out, ",")
}

// global requires a global privilege; without it the table cannot be read (1227).
func (r *infoReader) global(anyOf rights.Privileges) bool {
	if r.err == nil {
		r.err = r.Authority.Global(anyOf)
	}
	return r.err == nil
}

// processes are the sessions that the session may see: all, or those of its account; for an anonymous account
// only itself.
func (r *infoReader) processes() []Process {
	all := r.server.Processes()
	if r.Authority.May(rights.Process) {
		return all
	}
	own := func(p Process) bool {
		account := r.Authority.Account
		return p.ID == r.Env.Session.ConnectionID || account.User != "" && p.Account == account.Identity()
	}
	return slices.DeleteFunc(all, func(p Process) bool { return p.System || !own(p) })
}

// accounts calls fn for the accounts that the session sees: all if it may read the database mysql, else its
// own.
func (r *infoReader) accounts(fn func(*rights.Account)) {
	accounts := r.Accounts
	if accounts == nil {
		if accounts, r.err = r.server.StoredAccounts(r.Ctx); r.err != nil {
			return
		}
	}
	for _, a := range accounts.All() {
		if r.Authority == nil || a == r.Authority.Account || r.Authority.Database(rights.Select, mysqlDatabase) == nil {
			fn(a)
		}
	}
}

// eachPrivilege calls fn with the names of privileges, USAGE if there are none, and whether they may be
// granted.
func eachPrivilege(p rights.Privileges, fn func(name string, grantable bool)) {
	grantable := p.Has(rights.GrantOption)
	if p&^rights.GrantOption == 0 {
		fn("USAGE", grantable)
		return
	}
	(p &^ rights.GrantOption).Each(func(name string) { fn(name, grantable) })
}

func (r *infoReader) addUserPrivileges(a *rights.Account) {
	eachPrivilege(a.Global, func(name string, grantable bool) { r.add(a.Name.String(), "def", name, grantable) })
}

func (r *infoReader) addSchemaPrivileges(a *rights.Account) {
	for _, g := range a.Databases {
		eachPrivilege(g.Privileges, func(name string, grantable bool) {
			r.add(a.Name.String(), "def", g.Pattern, name, grantable)
		})
	}
}

func (r *infoReader) addTablePrivileges(a *rights.Account) {
	for _, g := range a.Tables {
		eachPrivilege(g.Privileges, func(name string, grantable bool) {
			r.add(a.Name.String(), "def", g.Database, g.Table, name, grantable)
		})
	}
}

// privilegeColumns are the privileges of the columns of mysql.user and mysql.db whose names differ from them.
var privilegeColumns = map[string]string{"SHOW DB": "SHOW DATABASES", "CREATE TMP TABLE": "CREATE TEMPORARY TABLES",
	"REPL SLAVE": "REPLICATION SLAVE", "REPL CLIENT": "REPLICATION CLIENT", "GRANT": "GRANT OPTION"}

// flags are the columns of the table with Y or N for a privilege, in their order.
func (r *infoReader) flags(p rights.Privileges) (out []any) {
	for _, c := range r.table.columns {
		text, ok := strings.CutSuffix(c.name, "_priv")
		if !ok {
			continue
		}
		name := strings.ToUpper(strings.ReplaceAll(text, "_", " "))
		if other, ok := privilegeColumns[name]; ok {
			name = other
		}
		out = append(out, yesFlag(p.Has(rights.Named(name))))
	}
	return out
}

func yesFlag(b bool) string {
	if b {
		return "Y"
	}
	return "N"
}

// addUser adds a line of mysql.user.
func (r *infoReader) addUser(a *rights.Account) {
	ssl := ""
	switch a.Require {
	case rights.RequireTLS:
		ssl = "ANY"
	default:
		ssl = string(a.Require)
	}
	row := append([]any{a.Host, a.User}, r.flags(a.Global)...)
	r.add(append(row, ssl, a.Cipher, a.Issuer, a.Subject, uint64(0), uint64(0), uint64(0), uint64(0), a.Plugin, a.Secret, "N", nil, nil,
		yesFlag(a.Locked))...)
}

// addDatabaseGrants adds the lines of mysql.db.
func (r *infoReader) addDatabaseGrants(a *rights.Account) {
	for _, g := range a.Databases {
		r.add(append([]any{a.Host, g.Pattern, a.User}, r.flags(g.Privileges)...)...)
	}
}

// addTableGrants adds the lines of mysql.tables_priv.
func (r *infoReader) addTableGrants(a *rights.Account) {
	for _, g := range a.Tables {
		var names []string
		g.Privileges.Each(func(name string) {
			if name == "GRANT OPTION" {
				name = "GRANT"
			}
			names = append(names, setMember(name))
		})
		r.add(a.Host, g.Database, a.User, g.Table, "", nil, strings.Join(names, ","), "")
	}
}

// setMember is a privilege in the form of the set in mysql.tables_priv.
func setMember(name string) string {
	switch name {
	case "CREATE VIEW":
		return "Create View"
	case "SHOW VIEW":
		return "Show view"
	}
	return name[:1] + strings.ToLower(name[1:])
}
