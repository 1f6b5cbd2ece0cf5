package computed

import (
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Slice is a RowSource over rows in memory.
func Slice(rows [][]value.Value) RowSource { return &sliceRows{rows: rows} }

// sliceRows is a RowSource over rows in memory.
type sliceRows struct {
	rows [][]value.Value
	next int
}

func (s *sliceRows) Next() ([]value.Value, error) {
	if s.next >= len(s.rows) {
		return nil, io.EOF
	}
	s.next++
	return s.rows[s.next-1], nil
}

func (s *sliceRows) Close() error { return nil }
