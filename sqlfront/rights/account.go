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

// Name identifies an account.
type Name struct {
	User string `json:"user"` // empty for the account of users without one of their own
	// Host is the client's origin: a pattern of % and _, or an IPv4 address with a netmask after a slash.
	// localhost is a socket and the loopback addresses.
	Host string `json:"host"`
}

// Root is the only account of a new store.
var Root = Name{"root", "localhost"}

// String is 'user'@'host'.
func (n Name) String() string { return quote(n.User) + "@" + quote(n.Host) }

// Plain is user@host.
func (n Name) Plain() string { return n.User + "@" + n.Host }

// quote quotes a name as in MySQL's GRANT.
func quote(s string) string { return "'" + escaper.Replace(s) + "'" }

var escaper = strings.NewReplacer(`\`, `\\`, `'`, `''`, "\x00", `\0`)

// Requirement is what an account requires of its connections.
type Requirement string

// The requirements.
const (
	RequireNone Requirement = ""
	RequireTLS  Requirement = "SSL"
	RequireX509 Requirement = "X509" // a verified client certificate
	// RequireSpecified means Subject, Issuer and Cipher of the account.
	RequireSpecified Requirement = "SPECIFIED"
)

// Account is a user who may log in. Those in Accounts are immutable.
type Account struct {
	Name
	// ID distinguishes the account from earlier and later ones of the same name; 0 is none.
	ID uint64 `json:"id,omitempty"`
	// Plugin is NativePassword or CachingSHA2, Secret is its stored form of the password: MySQL's
	// authentication_string, empty if no password is needed.
	Plugin string `json:"plugin"`
	Secret string `json:"secret,omitempty"`
	// Require is what connections must have; Locked accounts cannot log in.
	Require Requirement `json:"require,omitempty"`
	Locked  bool        `json:"locked,omitempty"`
	// Subject and Issuer are those that a client's certificate must have, such as /C=SE/CN=ann, and Cipher is
	// OpenSSL's name of the connection's cipher; empty is any.
	Subject string `json:"subject,omitempty"`
	Issuer  string `json:"issuer,omitempty"`
	Cipher  string `json:"cipher,omitempty"`
	// Global are the privileges on all databases.
	Global Privileges `json:"global,omitempty"`
	// Databases are the privileges on databases, the most specific patterns first, and Tables those on
	// tables, views and table groups.
	Databases []DatabaseGrant `json:"databases,omitempty"`
	Tables    []TableGrant    `json:"tables,omitempty"`
}

// DatabaseGrant is the privileges in the databases whose names match a pattern of % and _, in which a
// backslash escapes either.
type DatabaseGrant struct {
	Pattern    string     `json:"pattern"`
	Privileges Privileges `json:"privileges"`
}

// TableGrant is the privileges on a table, a view, or a table group and all its families.
type TableGrant struct {
	Database   string     `json:"database"`
	Table      string     `json:"table"`
	Privileges Privileges `json:"privileges"`
}

// New is an account of that name without privileges, whose password a plugin checks. The error is for an
// unknown plugin or an invalid secret.
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

// Identity identifies an account: by its ID, which it keeps when it is renamed and which a later account of
// its name does not have, or if it has none by its name.
type Identity struct {
	id   uint64
	name Name
}

// IdentityOf is the identity of an account with this ID and name.
func IdentityOf(id uint64, name Name) Identity {
	if id != 0 {
		return Identity{id: id}
	}
	return Identity{name: name}
}

// Identity is the identity of the account.
func (a *Account) Identity() Identity { return IdentityOf(a.ID, a.Name) }

// firstID is the ID of an account from the time before accounts had IDs, or of the initial account.
func firstID(n Name) uint64 {
	hash := sha256.Sum256([]byte(n.String()))
	return binary.LittleEndian.Uint64(hash[:]) | 1
}

// NewID is an unused ID.
func NewID() uint64 {
	var b [8]byte
	for {
		rand.Read(b[:]) // it never fails
		if id := binary.LittleEndian.Uint64(b[:]); id != 0 {
			return id
		}
	}
}

// Copy is a copy of the account that may be changed.
func (a *Account) Copy() *Account {
	out := *a
	out.Databases, out.Tables = slices.Clone(a.Databases), slices.Clone(a.Tables)
	return &out
}

// NeedsCertificate reports whether logging in needs a client certificate.
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

// On are the privileges on a table, a view or a table group. group is the table group of which the table is a
// family, or empty.
func (a *Account) On(database, table, group string) Privileges {
	p := a.In(database)
	for _, g := range a.Tables {
		if g.Database == database && (g.Table == table || group != "" && g.Table == group) {
			p |= g.Privileges
		}
	}
	return p
}

// Enters reports whether the account may use a database: it has some privilege in it.
func (a *Account) Enters(database string) bool {
	if a.In(database)&(OnDatabase|GrantOption) != 0 {
		return true
	}
	return slices.ContainsFunc(a.Tables, func(g TableGrant) bool { return g.Database == database })
}

// Set replaces the privileges on a level: the global ones if database is empty, those on a database if table
// is.
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

// Given are the privileges that were granted on exactly that level, as for Set.
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
