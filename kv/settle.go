package kv

import "context"

// Settle writes the index entries of all rows that a transaction has written, so that a following Scan
// as of a savepoint finds them. The error is that of Indexed.Settle.
func Settle(ctx context.Context, txn Txn) error {
	if i, ok := txn.(Indexed); ok {
		return i.Settle(ctx, nil, nil)
	}
	return nil
}
