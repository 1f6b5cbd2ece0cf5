package sqlfront

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Account is the user that a session acts for, and what its client says of itself.
type Account struct {
	// Name and ID are those of the account. User and Host are the name and the address that the client
	// logs in with.
	Name       rights.Name
	ID         uint64
	User, Host string
	// Peer is the client's address with its port, as the process list shows it.
	Peer string
}

// identity identifies the account. Its name does not: it may change, and be given to another account.
func (a Account) identity() rights.Identity { return rights.IdentityOf(a.ID, a.Name) }

// owns reports whether two sessions belong to the same user. Clients of an anonymous account never do,
// whatever names they log in with.
func (a Account) owns(b Account) bool { return a.Name.User != "" && a.identity() == b.identity() }

// String is the result of USER().
func (a Account) String() string { return a.User + "@" + a.Host }

// Encryption is the protocol and the cipher of a client's connection, both empty if it is not encrypted.
type Encryption = function.Encryption
