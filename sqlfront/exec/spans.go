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

// oneQualifier reports whether the ranges hold just one qualifier: the one
// behind q is q with a zero byte.
func oneQualifier(ranges []kv.QualifierRange) bool {
	if len(ranges) != 1 || ranges[0].End == nil {
		return false
	}
	r := ranges[0]
	n := len(r.Start)
	return len(r.End) == n+1 && r.End[n] == 0 && bytes.Equal(r.End[:n], r.Start)
}
