package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// finder finds the rows with the keys of many rows at once. One goroutine uses it.
type finder struct {
	text  []byte // of the keys
	ends  []int32
	found []spill.Found
}

// find gives for each of the rows, of which the keys are columns, what an index in memory
// has. It is valid until the next call.
func (f *finder) find(in *spill.Index, keys []*value.Vector, rows []int32) []spill.Found {
	f.text, f.ends = f.text[:0], f.ends[:0]
	for _, i := range rows {
		f.text = appendKeyAt(f.text, keys, i)
		f.ends = append(f.ends, int32(len(f.text)))
	}
	f.found = in.FindAll(f.found[:0], f.text, f.ends)
	return f.found
}

// appendKeyAt is appendKeys of columns; where a part is NULL it appends nothing, which is
// the key of no row.
func appendKeyAt(text []byte, keys []*value.Vector, i int32) []byte {
	start := len(text)
	for _, v := range keys {
		if v.IsNull(i) {
			return text[:start]
		}
		text = v.AppendKey(text, i)
	}
	return text
}
