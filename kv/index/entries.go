package index

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
)

// Entry is a cell of the table of entries. Only the front knows from which columns it comes.
type Entry struct {
	// Row of an entry ends with the row of the table, and Qualifier is empty. For a Unique entry, Row is the
	// columns alone and Qualifier the row of the table, so that two rows with the same columns meet in one
	// row of the table of entries.
	Row, Qualifier []byte
	// Unique refuses the entry if another row has one with the same Row.
	Unique bool
	// Timestamp is that of the cells from which the entry comes. In a table with a TTL they must expire
	// together; otherwise the entry expires with its own Timestamp.
	Timestamp int64
	// Value is further content of the entry; it may be empty.
	Value []byte
}

// Entries make the entries of one index. They are safe for concurrent use.
type Entries interface {
	// Qualifiers returns the columns from which the entries of a row are made together, sorted: writes to
	// others change no entry. nil means that each column has entries of its own.
	Qualifiers() [][]byte
	// Append appends the entries, if any, of a row, or of one of its columns if each has its own. cells are
	// the newest versions, with their values, of those columns that the row has, by qualifier; empty if the
	// row is gone. No two of the entries may have the same Row and Qualifier, and they must not share memory
	// with the arguments. An error is returned by the write that needs the entries.
	Append(to []Entry, row []byte, cells []kv.Cell) ([]Entry, error)
	// BaseRow returns the row to which an entry belongs, from the entry's Row and Qualifier, whose memory it
	// may share. The error says why that is impossible.
	BaseRow(row, qualifier []byte) ([]byte, error)
}

// Maker returns the Entries of an index of a table, given its ordinal in t.Indexes. It is called once for
// each descriptor of a table, by any goroutine, and must not read the store.
type Maker func(t *kv.Table, index int) (Entries, error)

// compare orders entries like their cells.
func compare(a, b *Entry) int {
	if c := bytes.Compare(a.Row, b.Row); c != 0 {
		return c
	}
	return bytes.Compare(a.Qualifier, b.Qualifier)
}

// same reports whether two entries are the same cell.
func same(a, b *Entry) bool {
	return compare(a, b) == 0 && a.Timestamp == b.Timestamp && bytes.Equal(a.Value, b.Value)
}

// cell returns the entry as a cell.
func (e *Entry) cell() kv.Cell {
	return kv.Cell{Row: e.Row, Qualifier: e.Qualifier, Timestamp: e.Timestamp, Value: e.Value}
}
