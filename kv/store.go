package kv

import (
	"context"
	"time"
)

// Store keeps tables. Its methods are safe for concurrent use.
type Store interface {
	// Catalog is the newest catalog.
	Catalog() *Catalog
	// ChangeCatalog runs fn on a private copy of the newest catalog, one fn
	// at a time; where fn returns nil, the changed catalog and the removal of
	// the data that it gives up are made durable and visible atomically. fn's
	// error is returned as it is, and nothing changes.
	ChangeCatalog(ctx context.Context, fn func(*CatalogChange) error) error
	// Begin starts a transaction. It takes no snapshot yet.
	Begin(TxnOptions) Txn
	// Close waits for nothing: open transactions and cursors fail with
	// ErrClosed from then on. It may be called again.
	Close() error
}

// TxnOptions are the properties of a transaction.
type TxnOptions struct {
	// ReadOnly refuses writes with ErrReadOnly.
	ReadOnly bool
	// LockTimeout is how long a write waits for a row lock before it fails
	// with ErrLockTimeout; 0 is the store's own default.
	LockTimeout time.Duration
	// Serializable makes Commit fail with ErrConflict where a transaction that
	// was committed since the snapshot has changed what this one read, also
	// where it added to a range that was read. Only a transaction that writes
	// is checked: one that does not has read one committed state.
	Serializable bool
	// Single says that the transaction is one statement, whose caller runs it
	// again after ErrConflict: the snapshot may be taken as late as by the first
	// Scan of more than a row that is locked. Writes and scans before that see of the
	// rows that are locked what was committed last. Scan is ErrConflict where the catalog is another than the one that
	// Catalog gave before. Of a Serializable transaction it says nothing.
	Single bool
}

// RowLock is how LockRow locks. The zero value locks as a write does.
type RowLock struct {
	// Shared lets others who share it have the lock too, but no writer.
	Shared bool
	// NoWait fails with ErrRowLocked instead of waiting.
	NoWait bool
}

// Txn is a transaction: it reads the snapshot taken by its first read or
// write, with its own writes on top. It is used by one goroutine at a time,
// and may have several cursors open; these may be read by different goroutines,
// each by one, while nobody calls the transaction. A cursor sees the writes made
// before it was opened and none made later.
//
// A write locks its row (in the table's group) until the end of the
// transaction; ErrLockTimeout, ErrDeadlock and ErrConflict (a row changed by
// another transaction since the snapshot) are its errors, and ErrTooLarge where
// the store could not commit so much. After an error the
// transaction stands as before the call, except after ErrDeadlock and
// ErrConflict, which leave only Rollback, and after ErrConflict Renew too.
type Txn interface {
	// Catalog is the catalog of the snapshot; calling it takes the snapshot.
	// Tables passed to the other methods must come from it.
	Catalog() *Catalog
	// Scan reads cells of the tables, which are one table or families of one
	// group; of several, each row's cells come family by family, in the
	// order given. The context cancels the cursor at any time.
	Scan(ctx context.Context, tables []*Table, s *Scan) (Cursor, error)
	// Put writes the cell whether or not that version exists.
	Put(ctx context.Context, t *Table, c Cell) error
	// PutIfAbsent writes the cell unless that exact version exists, and
	// reports whether it did (HBase's checkAndMutate with ifNotExists).
	PutIfAbsent(ctx context.Context, t *Table, c Cell) (bool, error)
	// PutNext writes the cell at the first timestamp from c.Timestamp on at
	// which its column has no version, and returns that timestamp.
	// ErrTimestampExhausted where there is none.
	PutNext(ctx context.Context, t *Table, c Cell) (int64, error)
	// DeleteVersion removes one version, if it exists (HBase's deleteColumn).
	DeleteVersion(ctx context.Context, t *Table, row, qualifier []byte, timestamp int64) error
	// DeleteColumn removes all versions of a column (HBase's deleteColumns).
	DeleteColumn(ctx context.Context, t *Table, row, qualifier []byte) error
	// LockRow locks a row without writing, until the end of the transaction.
	// Where it fails with ErrConflict, the row is locked all the same.
	LockRow(ctx context.Context, t *Table, row []byte, how RowLock) error
	// Renew takes a new snapshot, which the transaction reads from then on with
	// its own writes on top; its locks are kept, and ErrConflict is forgotten.
	// What was read before no longer counts where the transaction is
	// serializable: its caller must not have used it. ErrCatalogChanged and
	// ErrNoPartition, which leave only Rollback, as for Commit.
	Renew() error
	// Savepoint marks the present state of the transaction's writes.
	Savepoint() Savepoint
	// RollbackTo undoes all writes made since the savepoint, which stays
	// valid; those taken after it are gone. Row locks are kept, and cursors
	// that are open read on as before.
	RollbackTo(Savepoint)
	// Commit makes the writes visible and, in a store that syncs, durable.
	// ErrCatalogChanged where a table that was written has been dropped,
	// truncated or changed since the snapshot, but for a change of layout:
	// then ErrNoPartition where a row has no place in the new one. (A
	// serializable transaction does not outlive that.) After Commit, whatever
	// it returned, the transaction is over.
	Commit(ctx context.Context) error
	// Rollback ends the transaction without its writes; it may be called
	// after Commit, and again.
	Rollback()
}

// Savepoint is a state of a transaction's writes.
type Savepoint any

// Flusher is a Store that can write what it holds in memory to its tables.
type Flusher interface {
	Flush(ctx context.Context) error
}

// Compacter is a Store that can rewrite a table's data compactly.
type Compacter interface {
	Compact(ctx context.Context, t *Table) error
}

// PartitionStats are the sizes of one partition of a table.
type PartitionStats struct {
	Cells int64 // versions
	Bytes int64 // of keys and values; where estimated, what they take on disk
	// Estimated is true where the figures were not counted.
	Estimated bool
	// MinRow and MaxRow are the first and the last row; nil where there is none.
	MinRow, MaxRow []byte
}

// PartitionLoad is how much was asked of one partition since the store was
// opened or, where that is later, since the partition got its bounds. What
// failed or was rolled back counts too.
type PartitionLoad struct {
	Reads  int64 // cells that scans looked at; a lookup that finds nothing is one
	Writes int64 // puts and deletes
}

// LoadReader is a Store that counts what is asked of partitions. The slice is
// parallel to the leaves of the table's partitioning.
type LoadReader interface {
	TableLoads(t *Table) []PartitionLoad
}

// StatsReader is a Store that can tell sizes. The slice is parallel to the
// leaves of the table's partitioning. Unless exact figures are asked for, which takes a scan of
// the keys, large partitions are estimated.
type StatsReader interface {
	TableStats(ctx context.Context, t *Table, exact bool) ([]PartitionStats, error)
}

// CheckedChanger is a Store whose catalog changes can depend on what has been
// read.
type CheckedChanger interface {
	// ChangeCatalogAfter is Store.ChangeCatalog that takes effect only where
	// no commit since the snapshot of the transaction has changed what the
	// transaction has read: ErrConflict. The transaction, one of this store, is
	// serializable and has not written; it stays open.
	ChangeCatalogAfter(ctx context.Context, read Txn, fn func(*CatalogChange) error) error
}

// Repartitioner is a Store that can move cells between partitions while they
// are read and written.
type Repartitioner interface {
	// Repartition gives a table and each other table of its group another
	// layout. layout sets Partitioning and PartitionColumn of a private copy
	// of each one's newest descriptor; its error is returned as it is.
	// Readers and writers go on meanwhile and see the layout change at one
	// moment, with all cells; until then, and for good where the context ends
	// or the process does, everything is as before. Transactions that began
	// before that moment can be committed after it. A catalog change that is
	// made to the tables meanwhile takes effect, and the move begins anew; a
	// second move of a table waits for the first. ErrNoPartition where a row
	// has no place in the new layout, ErrNoTable where the table is missing.
	Repartition(ctx context.Context, database, name string, layout func(*Table) error, o MoveOptions) error
	// Isolate moves the cells of one leaf of a table's partitioning, in the same
	// way, into a key space that it shares with no other. ErrNoPartition where
	// there is none of that name.
	Isolate(ctx context.Context, database, name, leaf string, o MoveOptions) error
}

// MoveOptions are how cells are moved.
type MoveOptions struct {
	// Progress, where it is not nil, is called by the goroutine that moves:
	// first before anything is planned, then now and then, and with all cells
	// moved before they are seen in their new places.
	Progress func(MoveProgress)
}

// MoveProgress is how far a move has come.
type MoveProgress struct {
	Cells    int64 // moved so far
	AllCells int64 // an estimate; at least Cells
}
