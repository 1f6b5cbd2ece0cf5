package kv

import "math"

// Cell is one version of one column of one row
// (https://hbase.apache.org/book.html#_cells).
type Cell struct {
	// Family is the index of the cell's table in the tables passed to Scan.
	Family    int
	Row       []byte
	Qualifier []byte
	// Timestamp is the version, in milliseconds since 1970-01-01 UTC; any
	// int64 is legal.
	Timestamp int64
	// Value is nil for the null value, which is distinct from the empty value.
	Value []byte
	// TTL is for how many milliseconds after its Timestamp a cell that a Txn puts
	// exists; 0 is until it is removed. The table's Retention must have CellTTL,
	// unless the store's servers judge it. It is 0 in cells that are read.
	TTL int64
}

// Expires returns the first time, in ms since 1970-01-01 UTC, at which the cell has
// expired by its own TTL; ok is false if it has none.
func (c *Cell) Expires() (at int64, ok bool) {
	if c.TTL <= 0 || c.Timestamp > math.MaxInt64-c.TTL {
		return 0, false
	}
	return c.Timestamp + c.TTL, true
}
