package kv

import (
	"context"
	"iter"
	"time"
)

// BulkLoader is a Store that can ingest many cells as files, bypassing its log and its memory, like HBase
// with the files of HFileOutputFormat and completebulkload
// (https://hbase.apache.org/book.html#arch.bulk.load).
type BulkLoader interface {
	// BulkLoad writes cells like Txn.Put, whether or not the version exists. If a version comes twice, the
	// last one stays. Cell.Family is the index of the cell's table in tables, which must come from Catalog.
	// The bytes of a cell are not used after the next cell is asked for. Cells in the order of their rows,
	// qualifiers and timestamps are written as they come; others are sorted first, on disk if they are many.
	//
	// All cells become visible atomically, and are durable before BulkLoad returns, even if the store does
	// not sync. After an error there are none of them: an error of the source is returned as it is, and so is
	// the context's. In a store that was asked to write rows one by one, some may be written and stay so,
	// which BulkStats then says.
	//
	// The load is one commit, after all that were made before it ended. At its end it waits for those who
	// hold locks on its rows, and fails with ErrLockTimeout if that takes too long. A transaction with an
	// older snapshot gets ErrConflict if it writes a row of the load or, if serializable, has read where the
	// load wrote; after a load with very many rows, it may get that for other rows too. BulkLoad fails with
	// ErrCatalogChanged if a table has been dropped, truncated or changed since; the cells follow a change of
	// layout. It fails with ErrNoPartition if no partition holds a row, and with ErrReadOnly.
	BulkLoad(ctx context.Context, tables []*Table, cells iter.Seq2[Cell, error], o BulkOptions) (BulkStats, error)
}

// BulkOptions say how a load is done. The zero value always works.
type BulkOptions struct {
	// LockTimeout is how long the load waits for locks on its rows, and for a move of the tables' cells
	// before that has to begin again; 0 is the store's default.
	LockTimeout time.Duration
	// Unlocked makes the load neither wait for locks on its rows nor conflict with transactions that have an
	// older snapshot: the caller makes sure that none of these writes such rows based on what it has read of
	// them.
	Unlocked bool
}

// BulkStats says what a load has done.
type BulkStats struct {
	Cells   int64 // read from the source
	Written int64 // without those replaced by later ones
	Files   int
	Bytes   int64 // size of the files
	// Sorted is true if the cells did not come in order.
	Sorted bool
}
