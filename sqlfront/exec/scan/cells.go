package scan

import (
	"github.com/hbasekv/hbasekv/kv"
)

// GivesCells reports whether each cell of the store is a row, without further processing. It must
// be called before the first row. The error is the store's.
func (s *Scan) GivesCells() (bool, error) {
	if s.X.Lock != nil || len(s.Keys) > 0 || len(s.Values) > 0 || s.opened || s.Empty() {
		return false, nil
	}
	if err := s.openCursor(); err != nil {
		return false, err
	}
	_, ok := s.cursor.(kv.Batcher)
	return ok, nil
}

// Fill reads at most most cells, and returns false after the last. Errors are those of the store,
// and cancellation.
func (s *Scan) Fill(cells *kv.Batch, most int) (bool, error) {
	if !s.cursor.(kv.Batcher).NextBatch(cells, most) {
		return false, s.cursor.Err()
	}
	s.given += int64(cells.Len())
	return true, nil
}
