package cost

import "github.com/hbasekv/hbasekv/kv"

// manyLookups is after how many lookups of a cell a join asks for the first time
// whether to read the table once would have cost less, and how many rows of the right
// side it reads before it asks whether the left side is better looked up.
const manyLookups = 1024

// Limits are what bounds the choices of a statement.
type Limits struct {
	// Rows is after how many rows a join is done in another way whatever that costs, for tests;
	// 0 is by what it costs.
	Rows int
	// Memory is what rows may be kept in, in bytes; 0 is without a limit.
	Memory int64
}

// Forced reports whether the other way is to be taken whatever it costs.
func (l Limits) Forced() bool { return l.Rows > 0 }

// ManyRows is from how many rows or lookups on another way is asked for.
func (l Limits) ManyRows() int64 {
	if l.Forced() {
		return int64(l.Rows)
	}
	return manyLookups
}

// ReadsSooner reports whether all of an estimate is read and kept in the time of so many
// cells, in half of the memory that there is.
func (l Limits) ReadsSooner(e kv.Estimate, cells int64) bool {
	return e.Stored < cells && (l.Memory == 0 || e.Bytes < l.Memory/2)
}

// KeepsSooner reports whether all of an estimate is read and kept, in memory or in files, in
// the time of the lookups so far, and found in that of those to come.
func (l Limits) KeepsSooner(e kv.Estimate, made *Lookups) bool {
	return l.ReadsSooner(e, made.Compared) || made.filesSooner(e)
}

// Fits reports whether the rows of an estimate, each with so much beside its bytes, are likely
// to fit into memory.
func (l Limits) Fits(e kv.Estimate, each int64) bool {
	return l.Memory == 0 || e.Bytes+each*e.Cells < l.Memory
}
