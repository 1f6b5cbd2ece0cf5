package kv

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
}
