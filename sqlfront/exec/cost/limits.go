package cost

import "github.com/hbasekv/hbasekv/kv"

// manyLookups is the number of lookups of cells after which a join first checks whether reading the
// table once would have cost less, and the number of rows of the right side that it reads before it
// checks whether to look up the left side instead.
const manyLookups = 1024

// Limits bound the choices of a statement.
type Limits struct {
	// Rows is the number of rows after which a join changes its way regardless of the cost, for
	// tests; 0 decides by cost.
	Rows int
	// Memory is the limit for kept rows, in bytes; 0 is without a limit.
	Memory int64
}

// Forced reports whether the other way must be taken regardless of the cost.
func (l Limits) Forced() bool { return l.Rows > 0 }

// ManyRows is the number of rows or lookups from which another way is considered.
func (l Limits) ManyRows() int64 {
	if l.Forced() {
		return int64(l.Rows)
	}
	return manyLookups
}

// ReadsSooner reports whether everything in an estimate can be read and kept in the time of so many
// cells, and in half of the memory.
func (l Limits) ReadsSooner(e kv.Estimate, cells int64) bool {
	return e.Stored < cells && (l.Memory == 0 || e.Bytes < l.Memory/2)
}

// KeepsSooner reports whether everything in an estimate can be read and kept, in memory or in
// files, in the time of the lookups so far, and be searched in that of the coming ones.
func (l Limits) KeepsSooner(e kv.Estimate, made *Lookups) bool {
	return l.ReadsSooner(e, made.Compared) || made.filesSooner(e)
}

// Fits reports whether the rows of an estimate are likely to fit in memory, each with so many bytes
// in addition to its own.
func (l Limits) Fits(e kv.Estimate, each int64) bool {
	return l.Memory == 0 || e.Bytes+each*e.Cells < l.Memory
}
