package kv

import (
	"context"
	"time"
)

// Store keeps tables. Its methods are safe for concurrent use.
type Store interface {
	// Catalog is the newest catalog, or one that was a moment ago where another
	// process changes it.
	Catalog(ctx context.Context) (*Catalog, error)
	// ChangeCatalog runs fn on a private copy of the newest catalog, one fn at a
	// time. Where fn returns nil, the changed catalog becomes durable and visible,
	// and the data that it gives up is removed, all atomically. Where fn returns
	// an error, nothing changes, and the error is returned as it is.
	ChangeCatalog(ctx context.Context, fn func(*CatalogChange) error) error
	// Begin starts a transaction. The snapshot may be taken later; what can fail
	// of that does so here or in Renew.
	Begin(context.Context, TxnOptions) (Txn, error)
	// Close does not wait for open transactions and cursors: they fail with
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
	// Serializable makes Commit fail with ErrConflict where another transaction
	// has, since the snapshot, changed what this one read or added to a range
	// that it read. Only a transaction that writes is checked: one that does not
	// write has read one committed state.
	Serializable bool
	// Single says that the transaction is one statement, which its caller runs
	// again after ErrConflict. The snapshot may then be taken late, by the first
	// Scan of more than one locked row. Until then writes and scans see what was
	// committed last of the rows that are locked. A Scan fails with ErrConflict
	// where the catalog is no longer the one that Catalog gave. Single means
	// nothing to a Serializable transaction.
	Single bool
	// Again says that a Single transaction runs its statement once more, since the
	// one before could not be committed. What a store takes for granted in a first
	// run it had better read now.
	Again bool
}

// RowLock is how LockRow locks. The zero value locks as a write does.
type RowLock struct {
	// Shared lets others who share it have the lock too, but no writer.
	Shared bool
	// NoWait fails with ErrRowLocked instead of waiting.
	NoWait bool
}

// Txn is a transaction: it reads the snapshot taken by its first read or
// write, with its own writes on top. One goroutine uses it at a time. It may have
// several cursors open. While nobody calls the transaction, different goroutines
// may read them, each its own. A cursor sees the writes made before it was opened
// and none made later.
//
// A write locks its row, in all tables of the group, until the end of the
// transaction. It fails with ErrLockTimeout, with ErrDeadlock, with ErrConflict
// where another transaction has changed the row since the snapshot, and with
// ErrTooLarge where the store could not commit so much. After an error the
// transaction stands as before the call. Only ErrDeadlock and ErrConflict leave
// nothing but Rollback or, after ErrConflict, Renew.
type Txn interface {
	// Catalog is the catalog of the snapshot; calling it takes the snapshot.
	// Tables passed to the other methods must come from it.
	Catalog() *Catalog
	// Now is the store's clock at the snapshot, in ms since 1970-01-01 UTC: the
	// moment at which tables' Retention is judged. Calling it takes the snapshot.
	// It never runs behind what has been collected.
	Now() int64
	// Scan reads cells of one table, or of several families of one group: then
	// each row's cells come family by family, in the order given. The context
	// cancels the cursor at any time. s and what it refers to must stay as they
	// are until the cursor is closed.
	Scan(ctx context.Context, tables []*Table, s *Scan) (Cursor, error)
	// Put writes the cell whether or not that version exists.
	Put(ctx context.Context, t *Table, c Cell) error
	// PutIfAbsent writes the cell unless that exact version exists, and
	// reports whether it did (HBase's checkAndMutate with ifNotExists). A version
	// that the table's Retention does not keep does not exist; neither for PutNext.
	PutIfAbsent(ctx context.Context, t *Table, c Cell) (bool, error)
	// PutNext writes the cell at the first timestamp from c.Timestamp on at
	// which its column has no version and the table's MaxVersions keep it, and
	// returns that timestamp. ErrTimestampExhausted where there is none.
	PutNext(ctx context.Context, t *Table, c Cell) (int64, error)
	// DeleteVersion removes one version, if it exists (HBase's deleteColumn). No
	// version that the table's Retention does not keep comes back by it; where one
	// would because time has passed, Commit fails with ErrConflict.
	DeleteVersion(ctx context.Context, t *Table, row, qualifier []byte, timestamp int64) error
	// DeleteColumn removes all versions of a column (HBase's deleteColumns).
	DeleteColumn(ctx context.Context, t *Table, row, qualifier []byte) error
	// LockRow locks a row without writing, until the end of the transaction.
	// Where it fails with ErrConflict, the row is locked all the same.
	LockRow(ctx context.Context, t *Table, row []byte, how RowLock) error
	// Renew takes a new snapshot, which the transaction reads from then on with
	// its own writes on top. Its locks are kept, and ErrConflict is forgotten. A
	// serializable transaction is no longer checked for what it read before: the
	// caller must not have used that. ErrCatalogChanged and ErrNoPartition, which
	// leave only Rollback, mean what they mean for Commit. After another error the
	// transaction is as before.
	Renew(ctx context.Context) error
	// Savepoint marks the present state of the transaction's writes.
	Savepoint() Savepoint
	// RollbackTo undoes all writes made since the savepoint. It stays valid;
	// later savepoints do not. Row locks are kept, and open cursors read on as
	// before.
	RollbackTo(Savepoint)
	// Commit makes the writes visible and, in a store that syncs, durable. It
	// fails with ErrCatalogChanged where a table that was written has been
	// dropped, truncated or changed since the snapshot. A change of layout alone
	// is followed, unless the transaction is serializable; ErrNoPartition tells
	// that a row has no place in the new layout. After Commit, whatever it
	// returned, the transaction is over.
	Commit(ctx context.Context) error
	// Rollback ends the transaction without its writes. It may be called after
	// Commit, and again.
	Rollback()
}

// Observed is a Txn that says what it is at. Any goroutine may call it, at any time.
type Observed interface {
	Observe() TxnState
}

// Warner is a Txn that tells of what its writes do beyond what was asked for, a
// sentence each. It may be asked after the transaction is over.
type Warner interface {
	Warnings() []string
}

// Wrapped is a Txn within another one, which passes on what not each store has.
type Wrapped struct{ Txn }

// Observe implements Observed.
func (w Wrapped) Observe() TxnState {
	if o, ok := w.Txn.(Observed); ok {
		return o.Observe()
	}
	return TxnState{}
}

// Warnings implements Warner.
func (w Wrapped) Warnings() []string {
	if of, ok := w.Txn.(Warner); ok {
		return of.Warnings()
	}
	return nil
}

// DeleteRanges implements RangeDeleter.
func (w Wrapped) DeleteRanges(ctx context.Context, t *Table, s *Scan) (RangesDeleted, error) {
	if d, ok := w.Txn.(RangeDeleter); ok {
		return d.DeleteRanges(ctx, t, s)
	}
	return RangesDeleted{}, nil
}

// TxnState is what a transaction holds.
type TxnState struct {
	RowsLocked uint64
	Writes     uint64 // made and not undone
	// WaitsSince is when it began to wait for a row lock, zero where it does not.
	WaitsSince time.Time
}

// Savepoint is a state of a transaction's writes.
type Savepoint any

// Flusher is a Store that can write what it holds in memory to its files.
type Flusher interface {
	// Flush writes what is of some tables, or more. None is all tables, which a store
	// on many machines may refuse.
	Flush(ctx context.Context, tables ...*Table) error
}

// Compacter is a Store that can rewrite a table's data compactly.
type Compacter interface {
	// Compact rewrites some leaves of the table's partitioning, and what lies among
	// them; nil is all.
	Compact(ctx context.Context, t *Table, leaves []int) error
}

// PartitionStats are the sizes of one partition of a table.
type PartitionStats struct {
	Cells int64 // versions
	Bytes int64 // of keys and values; where estimated, what they take on disk
	// Estimated is true where the figures were not counted.
	Estimated bool
	// MinRow and MaxRow are the first and the last row; nil where there is none.
	MinRow, MaxRow []byte
	// Server is where the partition is, of a store on several machines.
	Server string
}

// PartitionLoad is how much was asked of one partition since the store was
// opened, or since the partition got its bounds if that was later. What failed or
// was rolled back counts too.
type PartitionLoad struct {
	Reads  int64 // cells that scans looked at; a lookup that finds nothing is one
	Writes int64 // puts and deletes
}

// LoadReader is a Store that counts what is asked of partitions. The slice is
// parallel to the leaves of the table's partitioning.
type LoadReader interface {
	TableLoads(t *Table) []PartitionLoad
}

// BoundsFinder is a Store that cuts partitions by itself, at rows that it has.
type BoundsFinder interface {
	// FoundBounds are the upper bounds of a table's partitions that no statement has set, so
	// far as the store can tell. They are not to be changed.
	FoundBounds(t *Table) [][]byte
}

// StatsReader is a Store that can tell sizes. The slice is parallel to the
// leaves of the table's partitioning. Exact figures take a scan of the keys; else
// large partitions are estimated.
type StatsReader interface {
	TableStats(ctx context.Context, t *Table, exact bool) ([]PartitionStats, error)
}

// CheckedChanger is a Store whose catalog changes can depend on what has been
// read.
type CheckedChanger interface {
	// ChangeCatalogAfter is Store.ChangeCatalog that fails with ErrConflict where
	// a commit has, since the snapshot of a transaction, changed what the
	// transaction read. The transaction is one of this store, serializable, and
	// has not written; it stays open.
	ChangeCatalogAfter(ctx context.Context, read Txn, fn func(*CatalogChange) error) error
}

// Repartitioner is a Store that can move cells between partitions while they
// are read and written.
type Repartitioner interface {
	// Repartition gives a table and each other table of its group another
	// layout. layout sets Partitioning and PartitionColumn of a private copy of
	// each one's newest descriptor; its error is returned as it is.
	//
	// Readers and writers go on meanwhile. They see the layout change at one
	// moment, with all cells; transactions that began before it can be committed
	// after it. Where the context or the process ends before that moment,
	// everything stays as it was. A catalog change that is made to the tables
	// meanwhile takes effect, and the move begins again. A second move of a table
	// waits for the first. ErrNoPartition tells that a row has no place in the new
	// layout, ErrNoTable that the table is missing.
	Repartition(ctx context.Context, database, name string, layout func(*Table) error, o MoveOptions) error
	// Isolate moves the cells of one leaf of a table's partitioning, in the same
	// way, to where no other leaf's are. ErrNoPartition tells that there is no leaf
	// of that name.
	Isolate(ctx context.Context, database, name, leaf string, o MoveOptions) error
}

// MoveOptions are how cells are moved.
type MoveOptions struct {
	// Progress, where it is not nil, is called by the goroutine that moves: once
	// before anything is planned, then now and then. The last call comes when all
	// cells are moved and not yet seen in their new places.
	Progress func(MoveProgress)
}

// MoveProgress is how far a move has come.
type MoveProgress struct {
	Cells    int64 // moved so far
	AllCells int64 // an estimate; at least Cells
}
