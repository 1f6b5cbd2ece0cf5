package kv

import (
	"context"
	"iter"
	"time"
)

// BulkLoader is a Store that can take in many cells as files, past its log and
// its memory, as HBase does with the files of HFileOutputFormat and
// completebulkload (https://hbase.apache.org/book.html#arch.bulk.load).
type BulkLoader interface {
	// BulkLoad writes cells as Txn.Put does: whether or not the version exists.
	// Of a version that comes twice the last one stays. Cell.Family is the index
	// of the cell's table in tables, which come from Catalog. A cell's bytes are
	// no longer looked at once the next cell is asked for. Cells that come in the
	// order of their rows, qualifiers and timestamps are written as they come;
	// others are sorted first, on disk where they are many.
	//
	// All cells become visible at one moment, and are durable before BulkLoad
	// returns, also where the store does not sync. Otherwise there are none: an
	// error of the source is returned as it is, and so is the context's. In a store
	// that writes rows one by one where that was asked of it, some may be written
	// and stay so, which BulkStats says beside the error.
	//
	// The load is one commit behind all that were made before it ended. At its
	// end it waits for those who hold locks on its rows: ErrLockTimeout.
	// A transaction with an older snapshot gets ErrConflict where it writes one
	// of its rows or, serializable, has read where it wrote; where a load has
	// very many rows, it may get that for others too. ErrCatalogChanged where a
	// table has been dropped, truncated or changed since; cells follow a change
	// of layout. ErrNoPartition where a row has no place, ErrReadOnly.
	BulkLoad(ctx context.Context, tables []*Table, cells iter.Seq2[Cell, error], o BulkOptions) (BulkStats, error)
}

// BulkOptions are how a load is done. The zero value is good for all.
type BulkOptions struct {
	// LockTimeout is how long the load waits for locks on its rows, and for one
	// who moves the tables' cells before that one has to begin again; 0 is the
	// store's own default.
	LockTimeout time.Duration
	// Unlocked neither waits for those who hold locks on the load's rows nor gives those a conflict who have an
	// older snapshot: the caller sees to it that none of them writes these rows from what it has read of them.
	Unlocked bool
}

// BulkStats is what a load has done.
type BulkStats struct {
	Cells   int64 // taken from the source
	Written int64 // without those that later ones have replaced
	Files   int
	Bytes   int64 // of the files
	// Sorted is true where the cells did not come in order.
	Sorted bool
}
