package rights

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Name is what tells accounts apart.
type Name struct {
	User string `json:"user"` // empty of the account of those who have none of their own
	// Host is from where: a pattern of % and _, or an IPv4 address with a netmask behind
	// a slash. localhost is a socket and the loopback addresses.
	Host string `json:"host"`
}

// Root is the account of a store that nobody has made an account in.
var Root = Name{"root", "localhost"}

// String is 'user'@'host'.
func (n Name) String() string { return quote(n.User) + "@" + quote(n.Host) }

// Plain is user@host.
func (n Name) Plain() string { return n.User + "@" + n.Host }

// quote is MySQL's, of names in GRANT.
func quote(s string) string { return "'" + escaper.Replace(s) + "'" }

var escaper = strings.NewReplacer(`\`, `\\`, `'`, `''`, "\x00", `\0`)

// Requirement is what a connection must have.
type Requirement string

// The requirements.
const (
	RequireNone Requirement = ""
	RequireTLS  Requirement = "SSL"
	RequireX509 Requirement = "X509" // a client's certificate, which has been verified
	// RequireSpecified is what Subject, Issuer and Cipher of the account say.
	RequireSpecified Requirement = "SPECIFIED"
)

// Account is one who may log in. Those of Accounts are immutable.
type Account struct {
	Name
	// ID tells the account from an earlier or a later one of its name; 0 is none.
	ID uint64 `json:"id,omitempty"`
	// Plugin is NativePassword or CachingSHA2, Secret what it keeps of the password:
	// MySQL's authentication_string, empty where none is asked for.
	Plugin string `json:"plugin"`
	Secret string `json:"secret,omitempty"`
	// Require is what a connection must have; Locked accounts cannot log in.
	Require Requirement `json:"require,omitempty"`
	Locked  bool        `json:"locked,omitempty"`
	// Subject and Issuer are those that a client's certificate must have, as /C=SE/CN=ann,
	// and Cipher OpenSSL's name of the connection's; empty is any.
	Subject string `json:"subject,omitempty"`
	Issuer  string `json:"issuer,omitempty"`
	Cipher  string `json:"cipher,omitempty"`
	// Global are the privileges on everything.
	Global Privileges `json:"global,omitempty"`
	// Databases are the privileges on databases, those of the most telling patterns
	// first, and Tables those on tables, views and table groups.
	Databases []DatabaseGrant `json:"databases,omitempty"`
	Tables    []TableGrant    `json:"tables,omitempty"`
}

// DatabaseGrant is what an account may do in the databases whose names match a pattern
// of % and _, in which a backslash takes either for itself.
type DatabaseGrant struct {
	Pattern    string     `json:"pattern"`
	Privileges Privileges `json:"privileges"`
}

// TableGrant is what an account may do with a table, a view, or a table group and all
// its families.
type TableGrant struct {
	Database   string     `json:"database"`
	Table      string     `json:"table"`
	Privileges Privileges `json:"privileges"`
}

// New is an account of that name without privileges, whose password is checked by a
// plugin. It fails for unknown plugins and what is no secret of one.
func New(name Name, plugin, secret string) (*Account, error) {
	a := &Account{Name: Name{name.User, strings.ToLower(name.Host)}, Plugin: cmp.Or(plugin, DefaultPlugin), Secret: secret}
	return a, a.check()
}

func (a *Account) check() error {
	switch {
	case a.Plugin != NativePassword && a.Plugin != CachingSHA2:
		return fmt.Errorf("the account %s has the plugin %q: use %s or %s", a.Name, a.Plugin, NativePassword, CachingSHA2)
	case a.Secret != "" && !ValidSecret(a.Plugin, a.Secret):
		return fmt.Errorf("the account %s has a secret that is not one of %s", a.Name, a.Plugin)
	}
	return nil
}

// Identity is what tells an account from all others, also from one that has its name after
// it: by its ID, which it keeps under another name, or where it has none by its name.
type Identity struct {
	id   uint64
	name Name
}

// IdentityOf is that of an account of such a name and such an ID.
func IdentityOf(id uint64, name Name) Identity {
	if id != 0 {
		return Identity{id: id}
	}
	return Identity{name: name}
}

// Identity is that of the account.
func (a *Account) Identity() Identity { return IdentityOf(a.ID, a.Name) }

// firstID is the ID of an account that has been there since before accounts had one, or from
// the beginning.
func firstID(n Name) uint64 {
	hash := sha256.Sum256([]byte(n.String()))
	return binary.LittleEndian.Uint64(hash[:]) | 1
}

// NewID is an ID that no account has.
func NewID() uint64 {
	var b [8]byte
	for {
		rand.Read(b[:]) // which never fails
		if id := binary.LittleEndian.Uint64(b[:]); id != 0 {
			return id
		}
	}
}

// Copy is an account like a that may be changed.
func (a *Account) Copy() *Account {
	out := *a
	out.Databases, out.Tables = slices.Clone(a.Databases), slices.Clone(a.Tables)
	return &out
}

// NeedsCertificate reports whether nobody logs in without a certificate of a client.
func (a *Account) NeedsCertificate() bool {
	return a.Require == RequireX509 || a.Subject != "" || a.Issuer != ""
}

// All reports whether the account may do everything.
func (a *Account) All() bool { return a.Global.Has(OnAll | GrantOption) }

// In are the privileges on a whole database.
func (a *Account) In(database string) Privileges {
	for _, g := range a.Databases {
		if Like(g.Pattern, database, '\\') {
			return a.Global | g.Privileges
		}
	}
	return a.Global
}

// On are the privileges on a table, a view or a table group; group is the table group that the
// table is a family of, or empty.
func (a *Account) On(database, table, group string) Privileges {
	p := a.In(database)
	for _, g := range a.Tables {
		if g.Database == database && (g.Table == table || group != "" && g.Table == group) {
			p |= g.Privileges
		}
	}
	return p
}

// Enters reports whether the account may use a database: it has some privilege in
// it.
func (a *Account) Enters(database string) bool {
	if a.In(database)&(OnDatabase|GrantOption) != 0 {
		return true
	}
	return slices.ContainsFunc(a.Tables, func(g TableGrant) bool { return g.Database == database })
}

// Set replaces the privileges on a level: those on everything where database is empty,
// those on a database where table is.
func (a *Account) Set(database, table string, p Privileges) {
	switch {
	case database == "":
		a.Global = p
	case table == "":
		a.Databases = slices.DeleteFunc(a.Databases, func(g DatabaseGrant) bool { return g.Pattern == database })
		if p != 0 {
			a.Databases = append(a.Databases, DatabaseGrant{database, p})
			slices.SortStableFunc(a.Databases, func(x, y DatabaseGrant) int {
				return cmp.Compare(telling(y.Pattern, '\\'), telling(x.Pattern, '\\'))
			})
		}
	default:
		a.Tables = slices.DeleteFunc(a.Tables, func(g TableGrant) bool { return g.Database == database && g.Table == table })
		if p != 0 {
			a.Tables = append(a.Tables, TableGrant{database, table, p})
		}
	}
}

// Given are the privileges that were given on just that level, as for Set.
func (a *Account) Given(database, table string) Privileges {
	switch {
	case database == "":
		return a.Global
	case table == "":
		for _, g := range a.Databases {
			if g.Pattern == database {
				return g.Privileges
			}
		}
		return 0
	}
	for _, g := range a.Tables {
		if g.Database == database && g.Table == table {
			return g.Privileges
		}
	}
	return 0
}
