package sqlfront

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Account is whom a session acts for.
type Account struct {
	// Name and ID are the account's, User and Host what the client says that it is and where
	// it comes from.
	Name       rights.Name
	ID         uint64
	User, Host string
	// Peer is where the client is, as the process list has it: an address with its
	// port.
	Peer string
}

// identity is what the account is found by: its name may change, and be another's.
func (a Account) identity() rights.Identity { return rights.IdentityOf(a.ID, a.Name) }

// owns reports whether two sessions are one user's. Clients that log in by an account for
// everybody are strangers to each other, whatever they say that they are.
func (a Account) owns(b Account) bool { return a.Name.User != "" && a.identity() == b.identity() }

// String is what USER() answers.
func (a Account) String() string { return a.User + "@" + a.Host }

// Encryption is the protocol and the cipher of a client's connection, both empty where
// it is not encrypted.
type Encryption = function.Encryption
