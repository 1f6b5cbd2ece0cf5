package kv

import "math"

// Cell is one version of one column of one row
// (https://hbase.apache.org/book.html#_cells).
type Cell struct {
	// Family is the index, in the tables given to Scan, of the cell's table.
	Family    int
	Row       []byte
	Qualifier []byte
	// Timestamp is the version, in milliseconds since 1970-01-01 UTC; any
	// int64 is legal.
	Timestamp int64
	// Value is nil for the null value, which is distinct from the empty value.
	Value []byte
	// TTL is, of a cell that a Txn puts, for how many milliseconds from its
	// Timestamp on it is there; 0 is until it is removed. The table's Retention must
	// have CellTTL, unless the store's servers judge it. What is read has none.
	TTL int64
}

// Expires is the first moment at which the cell is no longer there, by its own
// TTL; ok is false where there is none.
func (c *Cell) Expires() (at int64, ok bool) {
	if c.TTL <= 0 || c.Timestamp > math.MaxInt64-c.TTL {
		return 0, false
	}
	return c.Timestamp + c.TTL, true
}
