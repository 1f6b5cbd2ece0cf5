package kv

import (
	"context"
	"time"
)

// Store keeps tables. Its methods are safe for concurrent use.
type Store interface {
	// Catalog returns the newest catalog, or a slightly older one if another process changes it.
	Catalog(ctx context.Context) (*Catalog, error)
	// ChangeCatalog runs fn on a private copy of the newest catalog, one fn at a time. If fn
	// returns nil, the changed catalog becomes durable and visible, and the dropped data is
	// removed, all atomically. If fn returns an error, nothing changes, and that error is
	// returned as it is.
	ChangeCatalog(ctx context.Context, fn func(*CatalogChange) error) error
	// Begin starts a transaction. The snapshot may be taken later, but errors
	// in taking it come from Begin or Renew.
	Begin(context.Context, TxnOptions) (Txn, error)
	// Close does not wait for open transactions and cursors: they fail with
	// ErrClosed from then on. It may be called again.
	Close() error
}

// TxnOptions are the properties of a transaction.
type TxnOptions struct {
	// ReadOnly refuses writes with ErrReadOnly.
	ReadOnly bool
	// LockTimeout is how long a write waits for a row lock before it fails with
	// ErrLockTimeout; 0 is the store's default.
	LockTimeout time.Duration
	// Serializable makes Commit fail with ErrConflict if another transaction has, since the
	// snapshot, changed what this one read or added to a range that it read. Only a
	// transaction that writes is checked: a transaction without writes has read one
	// committed state.
	Serializable bool
	// Single means that the transaction is one statement, which its caller runs again after
	// ErrConflict. The snapshot may then be taken late, by the first Scan of more than one
	// locked row. Until then writes and scans see the last committed state of the locked
	// rows. A Scan fails with ErrConflict if the catalog is no longer the one that Catalog
	// returned. Single is ignored in a Serializable transaction.
	Single bool
	// Again means that a Single transaction runs its statement again because the last one
	// could not be committed. The store should now read what it assumes in a first run.
	Again bool
}

// RowLock says how LockRow locks. The zero value locks like a write.
type RowLock struct {
	// Shared allows other shared locks of the row, but no writer.
	Shared bool
	// NoWait fails with ErrRowLocked instead of waiting.
	NoWait bool
}

// Txn is a transaction: it reads the snapshot taken by its first read or write, with its own
// writes on top. One goroutine uses it at a time. It may have several cursors open. While
// nobody calls the transaction, different goroutines may each read one of them. A cursor
// sees the writes made before it was opened and none made later.
//
// A write locks its row, in all tables of the group, until the end of the transaction. It
// fails with ErrLockTimeout, with ErrDeadlock, with ErrConflict if another transaction has
// changed the row since the snapshot, and with ErrTooLarge if the store could not commit
// that much. After an error the transaction is as before the call, but after ErrDeadlock and
// ErrConflict only Rollback or, after ErrConflict, Renew may follow.
type Txn interface {
	// Catalog returns the catalog of the snapshot; calling it takes the
	// snapshot. Tables passed to the other methods must come from it.
	Catalog() *Catalog
	// Now returns the store's clock at the snapshot, in ms since 1970-01-01 UTC: the time at
	// which tables' Retention is judged. Calling it takes the snapshot. It is never earlier
	// than the time of a collection.
	Now() int64
	// Scan reads cells of one table, or of several families of one group: then each row's
	// cells come family by family, in the order of tables. The context cancels the cursor at
	// any time. s and what it refers to must not change until the cursor is closed.
	Scan(ctx context.Context, tables []*Table, s *Scan) (Cursor, error)
	// Put writes the cell whether or not that version exists.
	Put(ctx context.Context, t *Table, c Cell) error
	// PutIfAbsent writes the cell unless that exact version exists, and reports whether it
	// did (HBase's checkAndMutate with ifNotExists). A version that the table's Retention
	// does not keep does not exist; this also applies to PutNext.
	PutIfAbsent(ctx context.Context, t *Table, c Cell) (bool, error)
	// PutNext writes the cell at the first timestamp from c.Timestamp on at which its column
	// has no version and the table's MaxVersions keeps it, and returns that timestamp. It
	// fails with ErrTimestampExhausted if there is none.
	PutNext(ctx context.Context, t *Table, c Cell) (int64, error)
	// DeleteVersion removes one version, if it exists (HBase's deleteColumn). It does not
	// uncover versions that the table's Retention does not keep; if one would be uncovered
	// because time has passed, Commit fails with ErrConflict.
	DeleteVersion(ctx context.Context, t *Table, row, qualifier []byte, timestamp int64) error
	// DeleteColumn removes all versions of a column (HBase's deleteColumns).
	DeleteColumn(ctx context.Context, t *Table, row, qualifier []byte) error
	// LockRow locks a row without writing, until the end of the transaction. If it fails
	// with ErrConflict, the row is locked nevertheless.
	LockRow(ctx context.Context, t *Table, row []byte, how RowLock) error
	// Renew takes a new snapshot, which the transaction reads from then on with its own
	// writes on top. Its locks are kept, and ErrConflict is cleared. A serializable
	// transaction is no longer checked for what it read before: the caller must not have
	// used that. Renew fails with ErrCatalogChanged and ErrNoPartition like Commit; then
	// only Rollback may follow. After another error the transaction is as before.
	Renew(ctx context.Context) error
	// Savepoint marks the present state of the transaction's writes.
	Savepoint() Savepoint
	// RollbackTo undoes all writes made since the savepoint. It stays valid; later
	// savepoints do not. Row locks are kept, and open cursors continue as before.
	RollbackTo(Savepoint)
	// Commit makes the writes visible atomically and, in a store that syncs, durable. It
	// fails with ErrCatalogChanged if a written table has been dropped, truncated or changed
	// since the snapshot. It follows a change of layout alone, unless the transaction is
	// serializable, and fails with ErrNoPartition if no partition of the new layout holds a
	// row. After Commit, whatever it returned, the transaction is over.
	Commit(ctx context.Context) error
	// Rollback ends the transaction without its writes. It may be called after
	// Commit, and again.
	Rollback()
}

// Observed is a Txn that reports its state. Any goroutine may call it, at any time.
type Observed interface {
	Observe() TxnState
}

// Warner is a Txn that reports side effects of its writes, a sentence each. It may be called
// after the end of the transaction.
type Warner interface {
	Warnings() []string
}

// Wrapped is a Txn within another one, which passes on the optional interfaces.
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

// DeleteColumns implements ColumnsDeleter.
func (w Wrapped) DeleteColumns(ctx context.Context, t *Table, cells *Batch, at []int32) (done bool, err error) {
	if d, ok := w.Txn.(ColumnsDeleter); ok {
		return d.DeleteColumns(ctx, t, cells, at)
	}
	return false, nil
}

// TxnState is what a transaction holds and waits for.
type TxnState struct {
	RowsLocked, Writes uint64    // Writes are those made and not undone
	WaitsSince         time.Time // for a row lock; zero if it does not wait
	Self               any       // the transaction, as in WaitsFor of others
	WaitsFor           []any     // who holds the lock
}

// Savepoint is a state of a transaction's writes.
type Savepoint any

// Flusher is a Store that can write what it holds in memory to its files.
type Flusher interface {
	// Flush writes the data of some tables, or more. No tables means all, which a store on
	// many machines may refuse.
	Flush(ctx context.Context, tables ...*Table) error
}

// Compacter is a Store that can rewrite a table's data compactly.
type Compacter interface {
	// Compact rewrites some leaves of the table's partitioning, and what is stored between
	// them; nil is all.
	Compact(ctx context.Context, t *Table, leaves []int) error
}

// PartitionStats are the figures of one partition of a table.
type PartitionStats struct {
	Cells int64 // versions
	Bytes int64 // of keys and values; if estimated, the size on disk
	// Estimated is true if the figures were not counted.
	Estimated bool
	// MinRow and MaxRow are the first and the last row; nil if there is none.
	MinRow, MaxRow []byte
	// Server is where the partition is, in a store on several machines.
	Server string
}

// PartitionLoad counts the reads and writes of one partition since the store was opened, or
// since the partition got its bounds if that was later. Failed and rolled back ones count
// too.
type PartitionLoad struct {
	Reads  int64 // cells that scans looked at; a lookup that finds nothing counts as one
	Writes int64 // puts and deletes
}

// LoadReader is a Store that counts reads and writes of partitions. The slice
// is parallel to the leaves of the table's partitioning.
type LoadReader interface {
	TableLoads(t *Table) []PartitionLoad
}

// BoundsFinder is a Store that splits partitions by itself, at existing rows.
type BoundsFinder interface {
	// FoundBounds returns the upper bounds of a table's partitions that no statement has
	// set, as far as the store can tell. They must not be changed.
	FoundBounds(t *Table) [][]byte
}

// StatsReader is a Store that can report sizes. The slice is parallel to the leaves of the
// table's partitioning. If exact is set, the keys are scanned; otherwise large partitions
// are estimated.
type StatsReader interface {
	TableStats(ctx context.Context, t *Table, exact bool) ([]PartitionStats, error)
}

// CheckedChanger is a Store whose catalog changes can depend on what has been
// read.
type CheckedChanger interface {
	// ChangeCatalogAfter is Store.ChangeCatalog that fails with ErrConflict if a commit,
	// since the snapshot of a transaction, has changed what the transaction read. The
	// transaction must be one of this store, serializable, and without writes; it stays
	// open.
	ChangeCatalogAfter(ctx context.Context, read Txn, fn func(*CatalogChange) error) error
}

// Repartitioner is a Store that can move cells between partitions while they
// are read and written.
type Repartitioner interface {
	// Repartition gives a table and each other table of its group another layout. layout
	// sets Partitioning and PartitionColumn of a private copy of each one's newest
	// descriptor; its error is returned as it is.
	//
	// Readers and writers continue meanwhile. They see the layout change at one moment, with
	// all cells; transactions that began before it can be committed after it. If the context
	// or the process ends before that moment, everything stays as it was. A catalog change
	// that is made to the tables meanwhile takes effect, and the move begins again. A second
	// move of a table waits for the first. Repartition fails with ErrNoPartition if no
	// partition of the new layout holds a row, and with ErrNoTable if the table is missing.
	Repartition(ctx context.Context, database, name string, layout func(*Table) error, o MoveOptions) error
	// Isolate moves the cells of one leaf of a table's partitioning, in the same way, to a
	// place without cells of other leaves. It fails with ErrNoPartition if there is no leaf
	// of that name.
	Isolate(ctx context.Context, database, name, leaf string, o MoveOptions) error
}

// MoveOptions say how cells are moved.
type MoveOptions struct {
	// Progress, if not nil, is called by the goroutine that moves: once before planning, and
	// then at times. The last call comes when all cells are moved but not yet visible in
	// their new places.
	Progress func(MoveProgress)
}

// MoveProgress is the progress of a move.
type MoveProgress struct {
	Cells    int64 // moved so far
	AllCells int64 // an estimate; at least Cells
}
