package index

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
)

// Entry is a cell of the table of entries. Which columns it comes from, only the front knows.
type Entry struct {
	// Row of an entry ends with the row that it is of, and Qualifier is empty. Of a Unique entry,
	// Row is the columns alone and Qualifier the row that it is of, so that two rows that have
	// the same columns meet in one row of the table of entries.
	Row, Qualifier []byte
	// Unique refuses the entry where another row has one with the same Row.
	Unique bool
	// Timestamp is that of the cells that the entry comes from. In a table with a TTL they must
	// expire as one: where they do not, the entry is gone with its own Timestamp.
	Timestamp int64
	// Value is what the entry has besides; it is empty where it has nothing.
	Value []byte
}

// Entries make the entries of one index. They are safe for concurrent use.
type Entries interface {
	// Qualifiers are the columns that the entries of a row come from together, sorted: what is
	// written to others changes no entry. nil is that each column has entries of its own.
	Qualifiers() [][]byte
	// Append appends the entries of a row, or of one of its columns where each has its own: none
	// or several. cells are the newest versions, with their values, of those columns that the row
	// has, by qualifier; there are none where the row is gone. No two of the entries have the same Row and Qualifier, and they share no memory
	// with what is given. The error is that of the write which the entries are for.
	Append(to []Entry, row []byte, cells []kv.Cell) ([]Entry, error)
	// BaseRow is the row that an entry is of, by the entry's Row and Qualifier, whose memory it may
	// share. The error says why it cannot be told.
	BaseRow(row, qualifier []byte) ([]byte, error)
}

// Maker gives the Entries of one of the indexes of a table, by its ordinal in t.Indexes. It is
// called once for each descriptor of a table, by any goroutine, and reads no store.
type Maker func(t *kv.Table, index int) (Entries, error)

// compare is the order of entries: that of their cells.
func compare(a, b *Entry) int {
	if c := bytes.Compare(a.Row, b.Row); c != 0 {
		return c
	}
	return bytes.Compare(a.Qualifier, b.Qualifier)
}

// same reports whether two entries are one cell.
func same(a, b *Entry) bool {
	return compare(a, b) == 0 && a.Timestamp == b.Timestamp && bytes.Equal(a.Value, b.Value)
}

// cell is the entry as a cell.
func (e *Entry) cell() kv.Cell {
	return kv.Cell{Row: e.Row, Qualifier: e.Qualifier, Timestamp: e.Timestamp, Value: e.Value}
}
