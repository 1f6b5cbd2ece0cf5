package transaction

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Txn is an open transaction.
type Txn struct {
	kv.Txn
	Options    sysvar.TxOptions // with the session's defaults
	Fresh      bool             // no statement has read or written in it
	Writes     bool             // a statement that writes what others see has begun in it
	savepoints []namedSavepoint
	// Aborted is why only a rollback is possible, or nil.
	Aborted error
}

// restart begins a transaction again that has no writes.
func (tx *Txn) restart(txn kv.Txn) {
	tx.Rollback()
	tx.Txn = txn
	for i := range tx.savepoints {
		tx.savepoints[i].at = txn.Savepoint()
	}
}

// abort leaves only a rollback of the transaction.
func (tx *Txn) abort(err error) {
	tx.Rollback()
	tx.Aborted = err
}

// AbortIf aborts the transaction, if there is one, after an error that leaves nothing else.
func (tx *Txn) AbortIf(err error) {
	if tx != nil && storeerr.Fatal(err) {
		tx.abort(storeerr.Map(context.Background(), err))
	}
}
