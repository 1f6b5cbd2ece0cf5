package ast

// AccountName is 'user'@'host'.
type AccountName struct {
	User, Host string // the host is % unless given
	// Current is CURRENT_USER or USER(), which only the session knows.
	Current bool
}

// AccountSpec is an account and how its password is checked.
type AccountSpec struct {
	AccountName
	Plugin string // empty for the default
	// Password is the one of IDENTIFIED BY, Secret is the plugin's stored value, from AS; nil if not given.
	Password, Secret *string
}

// Identified reports whether the statement says how the password is checked.
func (s *AccountSpec) Identified() bool {
	return s.Plugin != "" || s.Password != nil || s.Secret != nil
}

// AccountOptions are the options after the accounts; nil if not given.
type AccountOptions struct {
	Require *Requirement
	Locked  *bool
}

// Requirement is REQUIRE: Kind is NONE, SSL, X509 or SPECIFIED. The other fields belong to SPECIFIED, and are
// empty if not given.
type Requirement struct {
	Kind, Subject, Issuer, Cipher string
}

// CreateUser is CREATE USER and, with Alter, ALTER USER.
type CreateUser struct {
	Alter       bool
	IfNotExists bool
	IfExists    bool
	Accounts    []AccountSpec
	Options     AccountOptions
}

// DropUser is DROP USER.
type DropUser struct {
	IfExists bool
	Accounts []AccountName
}

// RenameUser is RENAME USER.
type RenameUser struct{ Pairs []AccountPair }

// AccountPair is old TO new.
type AccountPair struct{ From, To AccountName }

// Grant is GRANT and, with Revoke, REVOKE.
type Grant struct {
	Revoke bool
	// Privileges are the named ones, in upper case; All is ALL [PRIVILEGES], and Everything is REVOKE ALL
	// PRIVILEGES, GRANT OPTION.
	Privileges      []string
	All, Everything bool
	// Option is WITH GRANT OPTION.
	Option bool
	// On is the object after ON; its Table is empty for a whole database. Global is *.*, and Star is * alone.
	Global, Star bool
	On           TableName
	Accounts     []AccountSpec
	Options      AccountOptions
}

// SetPassword is SET PASSWORD; For is nil for the user's own.
type SetPassword struct {
	For      *AccountName
	Password string
}

func (*CreateUser) statement()  {}
func (*DropUser) statement()    {}
func (*RenameUser) statement()  {}
func (*Grant) statement()       {}
func (*SetPassword) statement() {}
