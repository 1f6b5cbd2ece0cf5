// Package pebblekv keeps tables in one Pebble store
// (https://github.com/cockroachdb/pebble).
//
// [Open] returns a [Store], which implements kv.Store and the optional interfaces of kv. The library
// never prints.
//
// # Packages
//
// The Store opens the database, changes the catalog, and passes its work to the packages below internal,
// none of which imports it. From the lowest up:
//
//	pacer      makes long work give way to short work
//	cellkey    the bytes of keys and values
//	faultfs    handling of disk faults
//	rowlock    the table of row locks
//	spill      writes of a transaction that exceed its memory
//	overlay    a transaction's own writes
//	views      the store at one commit, and what readers share
//	read       iterators, streams and the cursor
//	estimate   estimates of how much a scan returns
//	layout     which key space holds what
//	records    the catalog's records
//	move       moving cells to other key spaces
//	collect    removing what retention hides
//	txn        transactions
//	tablebuild table files of cells in any order
//	bulk       bulk loads by such files
//	check      looking for damage
//	backup     copies of a store in use
//
// # Keys
//
// A cell's key is its key space, row, qualifier and timestamp, encoded so that bytes.Compare is HBase's
// order (package cellkey, the only one that knows the bytes). Pebble's comparer splits keys after the
// row: bloom filters hold rows, and an iterator that seeks a row checks them. Blocks are columnar, record
// the interval of their timestamps, and keep values next to their keys.
//
// These were chosen with BenchmarkKeyFormat: 500,000 cells of 100 bytes, five to a row, and cells with 10
// and 1,000 versions; processor time, the best of two runs, go1.26, Pebble v2.1.7. "6 files" is before
// compaction, with each row in one of six overlapping files.
//
//	                             split none  split K  split K  split K  split KQ  split KQ
//	                                   rows     rows  columns  columns      rows   columns
//	                                                              times                times
//	row of 5 cells          us         3.26     3.19     2.25   * 2.26      2.96      2.83
//	missing row             us         3.66     0.60     0.60   * 0.61      2.38      2.35
//	cell                    us         3.74     2.60     2.00   * 2.30      2.58      2.44
//	missing cell of a row   us         1.20     2.48     2.04   * 2.23      0.72      0.77
//	row, 6 files            us         14.1     4.06     3.24   * 3.65      8.39      9.70
//	missing row, 6 files    us         15.6     1.67     1.33   * 1.37      8.61      9.41
//	cell, 6 files           us         3.60     3.56     2.94   * 3.43      3.32      3.70
//	full scan               ns/cell      64       68       56   *   64        57        63
//	prefix scan of 100      ns/cell      82       84       71   *   75        72        75
//	latest of 1 version     ns/cell      70       70       63   *   63        85        89
//	latest of 10            ns/cell    1194     1199     1042   * 1083       138       133
//	latest of 1,000         ns/cell    1019     1030      955   * 1023       740       492
//	1% of time, clustered   ns/cell    6171     6148     5271   *   55      5532        46
//	1% of time, versions    ns/cell    4388     4732     4960   *  696      4032      2928
//
// A split at (K, Q) skips some ten versions sooner, because Pebble then steps over them itself, but every
// row that is missing or spread over files costs more. The benchmark skips two versions by steps and then
// seeks, the store up to twelve, which halves the figure for ten. Rows or columns, the filter and the
// intervals are stored in each file and can change with any version; the bytes of keys and the split
// cannot. (With values stored separately, Pebble's default for keys of one prefix, the row of five cells
// took 2.7 us and the scan of 1% of the versions 2,300 ns a cell.)
//
// # Slices
//
// A partition with slices of time has a key space for each slice, so that a slice is dropped by one range
// deletion. A source merges the slices that a scan's times can touch, as if they were one key space
// (package read); a single slice is read like any other partition. The rest of the package sees leaves:
// cells are placed, moved, checked and counted by row and time.
//
// # Retention
//
// What a table's retention hides is removed in the background (package collect): by a range of keys or
// one by one, in the same order of commits as writes. The properties of a file tell which times it has
// and how many versions of one column, and a table is collected if a quarter of its size is no longer
// kept.
//
// # Hot rows
//
// The newest versions of a row whose columns have long histories take a seek each. If such a row is read
// again, they are kept in memory until a commit writes the row (package read). Scans of older views or of
// more than one row do not look there.
//
// # Ownership
//
// Bytes passed in are copied. Bytes that a cursor returns belong to Pebble, a kept row or the
// transaction, and must not be changed. They are valid until the cursor's next step or Close, also while
// the store is being closed: see [Store.Close].
//
// # Atomicity
//
// A transaction reads a snapshot, shared by all that begin between two commits, with an overlay of its
// own writes, which are kept as records of the one Pebble batch that its commit applies. A transaction of
// one statement takes no snapshot while it only writes (package read) and reads no row but the one that
// it has just locked (package txn). Commits become visible one after the other and wait for the disk
// together. Writes lock their rows in a lock table with first-come queues, in which readers may share; a
// deadlock is found before it forms. While a writer has an older snapshot, the store remembers which rows
// later commits wrote, so that a write to one of them is refused, and for serializable transactions also
// the keys, with which their reads are compared at the commit (package read). That memory is bounded: a
// transaction that would need what was forgotten is refused. A change of the catalog and the removal of
// the dropped data are one synced batch.
//
// Ranges of rows that are deleted as a whole are records of the same batch. Their rows are locked by one
// lock, which is granted only if nobody else has a lock in the table or has written to it since the
// snapshot: so each cell that the records hide when they are committed was in the snapshot. Readers of
// the transaction's own writes skip what is stored in such spans (packages overlay and read).
//
// Writes of a transaction that exceed its memory go to sorted runs in a directory that the next start
// removes (packages spill and overlay). Each write there has its number, so that savepoints are still
// numbers. The commit makes table files of the newest write of each key, which Pebble ingests like those
// of a bulk load (package txn).
//
// A bulk load is a commit too, of files that are built beside the store and ingested by Pebble (package
// bulk): with the lock of the commits held, remembered in the history, and behind a gate that keeps its
// rows from being locked at that moment.
//
// After an error of the log or the manifest all commits fail, and readers continue with what is durable:
// each commit holds the view before it for them until it is synced. The store must be opened again, which
// a [Reopener] does by itself.
package pebblekv
