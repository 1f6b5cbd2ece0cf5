package rights

import (
	"strings"

	"github.com/hbasekv/hbasekv/kv/permission"
)

// Grants are the statements of SHOW GRANTS, the global one first.
func (a *Account) Grants() []string {
	out := []string{a.grant(a.Global, OnAll, "*.*")}
	for _, g := range a.Databases {
		out = append(out, a.grant(g.Privileges, OnDatabase, quoteName(g.Pattern)+".*"))
	}
	for _, g := range a.Tables {
		out = append(out, a.grant(g.Privileges, OnTable, quoteName(g.Database)+"."+quoteName(g.Table)))
	}
	return out
}

// GrantsOfStore are the statements of SHOW GRANTS for an account that is limited by the store's permissions.
func (a *Account) GrantsOfStore(held []permission.Permission) (out []string) {
	for _, p := range held {
		all, on := OnAll, "*.*"
		switch {
		case p.Actions == permission.All && p.Database == "":
			return a.Grants()
		case p.Table != "":
			all, on = OnTable, quoteName(p.Database)+"."+quoteName(p.Table)
		case p.Database != "":
			all, on = OnDatabase, quoteName(p.Database)+".*"
		}
		out = append(out, a.grant(ofActions(p.Actions)&all, all, on))
	}
	return out
}

// byAction are the privileges that HBase's actions stand for, by their numbers: administering a table
// includes altering it.
var byAction = [...]Privileges{Select, Insert | Update | Delete, Execute, Create | Drop | Alter,
	Create | Drop | Alter | CreateView | ShowView | Reload}

func ofActions(actions permission.Actions) (p Privileges) {
	if actions == permission.All {
		return OnAll
	}
	for i, of := range byAction {
		if actions&(1<<i) != 0 {
			p |= of
		}
	}
	return p
}

// grant is a GRANT on a level; all are the privileges that can be granted there.
func (a *Account) grant(p, all Privileges, on string) string {
	what, with := (p &^ GrantOption).String(), ""
	switch {
	case p.Has(all):
		what = "ALL PRIVILEGES"
	case what == "":
		what = "USAGE"
	}
	if p.Has(GrantOption) {
		with = " WITH GRANT OPTION"
	}
	return "GRANT " + what + " ON " + on + " TO " + a.Name.String() + with
}

// Create is the statement of SHOW CREATE USER.
func (a *Account) Create() string {
	var b strings.Builder
	b.WriteString("CREATE USER " + a.Name.String() + " IDENTIFIED WITH " + quote(a.Plugin))
	if a.Secret != "" {
		b.WriteString(" AS " + quote(a.Secret))
	}
	b.WriteString(" REQUIRE" + a.requirement())
	b.WriteString(" PASSWORD EXPIRE DEFAULT ACCOUNT ")
	if a.Locked {
		b.WriteString("LOCK")
	} else {
		b.WriteString("UNLOCK")
	}
	return b.String()
}

// requirement is what follows REQUIRE.
func (a *Account) requirement() string {
	switch a.Require {
	case RequireNone:
		return " NONE"
	case RequireSpecified:
		return option(" SUBJECT ", a.Subject) + option(" ISSUER ", a.Issuer) + option(" CIPHER ", a.Cipher)
	}
	return " " + string(a.Require)
}

func option(name, text string) string {
	if text == "" {
		return ""
	}
	return name + quote(text)
}

func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
