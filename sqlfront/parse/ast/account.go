package ast

// AccountName is 'user'@'host'.
type AccountName struct {
	User, Host string // the host is % unless given
	// Current is CURRENT_USER or USER(), whom only the session knows.
	Current bool
}

// AccountSpec is an account with how its password is checked.
type AccountSpec struct {
	AccountName
	Plugin string // empty is the default
	// Password is that of IDENTIFIED BY, Secret what the plugin keeps, of AS; nil where
	// they are not given.
	Password, Secret *string
}

// Identified reports whether the statement says how the password is checked.
func (s *AccountSpec) Identified() bool {
	return s.Plugin != "" || s.Password != nil || s.Secret != nil
}

// AccountOptions are what stands behind the accounts; nil is what is not said.
type AccountOptions struct {
	Require *Requirement
	Locked  *bool
}

// Requirement is REQUIRE: Kind is NONE, SSL, X509 or SPECIFIED. Of the last, what is not
// said is empty.
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
	// Privileges are those that are named, in upper case; All is ALL [PRIVILEGES], and
	// Everything REVOKE ALL PRIVILEGES, GRANT OPTION.
	Privileges      []string
	All, Everything bool
	// Option is WITH GRANT OPTION.
	Option bool
	// Database and Table are what stands behind ON. Global is *.*; Table is empty of a
	// whole database; both are of * alone.
	Global, Star bool
	On           TableName
	Accounts     []AccountSpec
	Options      AccountOptions
}

// SetPassword is SET PASSWORD; For is nil of one's own.
type SetPassword struct {
	For      *AccountName
	Password string
}

func (*CreateUser) statement()  {}
func (*DropUser) statement()    {}
func (*RenameUser) statement()  {}
func (*Grant) statement()       {}
func (*SetPassword) statement() {}
