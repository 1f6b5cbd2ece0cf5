package exec

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
)

// oneRow reports whether the range is within one row, and within one column.
func oneRow(r kv.Range) (row, column bool) {
	s, e := r.Start, r.End
	if s.Depth == kv.DepthNone || e.Depth == kv.DepthNone || !bytes.Equal(s.Row, e.Row) {
		return false, false
	}
	column = s.Depth >= kv.DepthColumn && e.Depth >= kv.DepthColumn && bytes.Equal(s.Qualifier, e.Qualifier)
	return true, column
}
