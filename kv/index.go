package kv

import (
	"context"
	"fmt"
	"slices"
)

// Index describes an index of a table: a second order of its rows. Its entries are the cells of
// a hidden table of the catalog, one that has IndexOf, and are written in the same commit as the
// cells that they come from. What the columns of an index are is the front's own knowledge.
type Index struct {
	Name string `json:"name"`
	// Entries is the ID of the table that has the entries.
	Entries uint64 `json:"entries"`
	// Unique says that no two rows have one entry.
	Unique bool `json:"unique,omitempty"`
	// Building says that writers keep the entries of the rows that they write, and that those of
	// other rows may be missing: nobody may look rows up in it yet.
	Building bool `json:"building,omitempty"`
	// Stale counts, of an index that is Building, how often rows have gone without their entries, and older versions may
	// have come to light, since it had the entries of all rows: entries are told from others by their rows.
	Stale uint64 `json:"stale,omitempty"`
	// Step counts, of an index that is Building, the calls of RenewIndex.
	Step uint64 `json:"step,omitempty"`
}

// IndexNamed is the ordinal of the table's index of that name, -1 where there is none.
func (t *Table) IndexNamed(name string) int {
	for i := range t.Indexes {
		if t.Indexes[i].Name == name {
			return i
		}
	}
	return -1
}

// IndexWith is the ordinal of the table's index that has its entries in the table of that ID, -1 where there is none.
func (t *Table) IndexWith(entries uint64) int {
	return slices.IndexFunc(t.Indexes, func(index Index) bool { return index.Entries == entries })
}

// Indexed is a Txn that keeps the entries of indexes.
type Indexed interface {
	// Found tells the newest version of each column that a row has, by qualifier, as a scan has just given
	// them under the row's lock. It is a hint, which spares the first write to the row to read them
	// again. An error is that of the write.
	Found(t *Table, row []byte, cells []Cell) error
	// Settle writes the entries of a row as it is now; of all rows that have been written where row is nil. A row that is
	// not settled so is settled by Commit, and by a Scan of a table of entries that is not as of a savepoint.
	// DuplicateEntryError where another row has an entry of a unique index: then, and after another error, none of the
	// row's entries has been written, and the row is not settled.
	Settle(ctx context.Context, t *Table, row []byte) error
}

// DuplicateEntryError says that a row would have the entry of another row in a unique index.
type DuplicateEntryError struct {
	Table *Table // the indexed one
	Index string
	// Entry is the row that both have in the table of entries, Row the other row of Table.
	Entry, Row []byte
}

// Error implements error.
func (e *DuplicateEntryError) Error() string {
	return fmt.Sprintf("the row %q of %s.%s has the same entry %x in the unique index %s",
		e.Row, e.Table.Database, e.Table.Name, e.Entry, e.Index)
}
