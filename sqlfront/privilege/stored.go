package privilege

import (
	"context"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Source is a store of accounts. It is safe for concurrent use.
type Source interface {
	// Accounts are the current accounts; the same pointer as long as they do not change.
	Accounts(ctx context.Context) (*rights.Accounts, error)
	// Change replaces them by the result of change, atomically. change may be called more than once.
	Change(ctx context.Context, change func(*rights.Accounts) (*rights.Accounts, error)) error
}

// Stored are the accounts in a store's catalog; they are those of rights.First until another one is created.
type Stored struct {
	Store kv.Store
	last  atomic.Pointer[keptAccounts] // as they were last read
}

// accountsAttribute is the name of the catalog's attribute.
const accountsAttribute = "accounts"

// keptAccounts are the accounts in a version of the catalog.
type keptAccounts struct {
	version  uint64
	text     string
	accounts *rights.Accounts
}

// Accounts implements Source. The errors are the store's, and 1105 for accounts that cannot be read.
func (s *Stored) Accounts(ctx context.Context) (*rights.Accounts, error) {
	catalog, err := s.Store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	kept := s.last.Load()
	if kept != nil && kept.version == catalog.Version() {
		return kept.accounts, nil
	}
	next := &keptAccounts{version: catalog.Version(), text: catalog.Attribute(accountsAttribute)}
	if next.accounts, err = kept.decode(next.text); err != nil {
		return nil, err
	}
	s.last.CompareAndSwap(kept, next) // another goroutine may have been faster
	return next.accounts, nil
}

// decode is the accounts of a text. The last ones are not decoded again, which would take time proportional
// to their number.
func (k *keptAccounts) decode(text string) (*rights.Accounts, error) {
	if k != nil && k.text == text {
		return k.accounts, nil
	}
	return decodeAccounts(text)
}

func decodeAccounts(text string) (*rights.Accounts, error) {
	if text == "" {
		return rights.First, nil
	}
	accounts, err := rights.Decode([]byte(text))
	if err != nil {
		return nil, mysqlerr.New(mysqlerr.Internal, "The accounts in the catalog cannot be read: %v", err)
	}
	return accounts, nil
}

// Change implements Source. The errors are those of change and of the store, and 1235 for a store that cannot
// keep accounts.
func (s *Stored) Change(ctx context.Context, change func(*rights.Accounts) (*rights.Accounts, error)) error {
	if kv.LimitsOf(s.Store).Allows(kv.SetAttributes) != nil {
		return mysqlerr.Unsupported("accounts in this store, which cannot keep them: start the server with a file of accounts")
	}
	return s.Store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		accounts, err := s.last.Load().decode(c.Catalog().Attribute(accountsAttribute))
		if err == nil {
			accounts, err = change(accounts)
		}
		if err != nil {
			return err
		}
		text, err := accounts.Encode()
		if err == nil {
			err = c.SetAttribute(accountsAttribute, string(text))
		}
		return err
	})
}
