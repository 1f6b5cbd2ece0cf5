package kvtest

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// Catalog is the store's newest catalog. It panics where that cannot be read.
func Catalog(s kv.Store) *kv.Catalog {
	c, err := s.Catalog(context.Background())
	if err != nil {
		panic(err)
	}
	return c
}

// Begin is kv.Store.Begin. It panics where the transaction cannot be started.
func Begin(s kv.Store, o kv.TxnOptions) kv.Txn {
	txn, err := s.Begin(context.Background(), o)
	if err != nil {
		panic(err)
	}
	return txn
}
