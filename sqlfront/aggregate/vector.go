package aggregate

import (
	"math/bits"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func anyNull(args []*value.Vector, i int32) bool {
	return slices.ContainsFunc(args, func(v *value.Vector) bool { return v.IsNull(i) })
}

// repeats drops rows of a vector that repeat an earlier one, so that a set need not be searched for
// them. To count the distinct values of 300,000 rows in 300 groups of 76 different ones takes 47 ms
// of processor time this way, and 60 ms if the set is always searched (benchmark Reports,
// distinctby).
type repeats struct {
	hashes []uint32 // of the rows
	last   []int32  // by hashes, plus 1; 0 if absent
	rows   []int32
}

// drop returns the rows without some that repeat an earlier one; they are valid until the next
// call.
func (r *repeats) drop(args []*value.Vector, rows []int32) []int32 {
	r.hashes = append(r.hashes[:0], make([]uint32, len(rows))...)
	for _, v := range args {
		v.AddHashes(rows, r.hashes)
	}
	size := 2 << bits.Len(uint(len(rows)))
	r.last, r.rows = append(r.last[:0], make([]int32, size)...), r.rows[:0]
	for at, i := range rows {
		last := &r.last[int(r.hashes[at])&(size-1)]
		if *last > 0 && value.SameRows(args, *last-1, i) {
			continue
		}
		*last = i + 1
		r.rows = append(r.rows, i)
	}
	return r.rows
}
