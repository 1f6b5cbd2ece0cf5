package kv

import (
	"context"
	"fmt"
	"slices"
)

// Index describes an index of a table: a second order of its rows. Its entries are the cells of a hidden
// table of the catalog, which has IndexOf set, and are written in the same commit as the cells from which
// they come. Only the front knows the columns of an index.
type Index struct {
	Name string `json:"name"`
	// Entries is the ID of the table that has the entries.
	Entries uint64 `json:"entries"`
	// Unique means that no two rows have the same entry.
	Unique bool `json:"unique,omitempty"`
	// Building means that writers maintain the entries of the rows that they write, and that entries of other
	// rows may be missing: no lookup may use the index yet.
	Building bool `json:"building,omitempty"`
	// Stale counts how often, since an index that is Building last had the entries of all rows, rows have
	// been removed without their entries and older versions may have been uncovered: entries must be checked
	// against their rows.
	Stale uint64 `json:"stale,omitempty"`
	// Step counts the calls of RenewIndex while the index is Building.
	Step uint64 `json:"step,omitempty"`
}

// IndexNamed returns the ordinal of the table's index of that name, -1 if there is none.
func (t *Table) IndexNamed(name string) int {
	for i := range t.Indexes {
		if t.Indexes[i].Name == name {
			return i
		}
	}
	return -1
}

// IndexWith returns the ordinal of the table's index whose entries are in the table with that ID, -1 if there
// is none.
func (t *Table) IndexWith(entries uint64) int {
	return slices.IndexFunc(t.Indexes, func(index Index) bool { return index.Entries == entries })
}

// Indexed is a Txn that maintains the entries of indexes.
type Indexed interface {
	// Found passes the newest version of each column that a row has, by qualifier, as a scan has just
	// returned them under the row's lock. It is a hint, which saves the first write to the row from reading
	// them again. An error is that of the write.
	Found(t *Table, row []byte, cells []Cell) error
	// Settle writes the entries of a row as it is now; of all written rows if row is nil. Rows that are not
	// settled are settled by Commit, and by a Scan of a table of entries that is not as of a savepoint. It
	// fails with DuplicateEntryError if another row has the entry in a unique index. After any error, none of
	// the row's entries has been written, and the row is not settled.
	Settle(ctx context.Context, t *Table, row []byte) error
}

// DuplicateEntryError means that a row would have the entry of another row in a unique index.
type DuplicateEntryError struct {
	Table *Table // the indexed one
	Index string
	// Entry is the row of both in the table of entries, Row the other row of Table.
	Entry, Row []byte
}

// Error implements error.
func (e *DuplicateEntryError) Error() string {
	return fmt.Sprintf("the row %q of %s.%s has the same entry %x in the unique index %s",
		e.Row, e.Table.Database, e.Table.Name, e.Entry, e.Index)
}
