package exec

import (
	"github.com/hbasekv/hbasekv/kv"
)

// givesCells reports whether each cell that the store gives is a row, and nothing is to be done
// about it. It is asked before the first row.
func (s *scan) givesCells() (bool, error) {
	if s.x.Lock != nil || len(s.keys) > 0 || len(s.values) > 0 || s.opened || s.empty() {
		return false, nil
	}
	if err := s.openCursor(); err != nil {
		return false, err
	}
	_, ok := s.cursor.(kv.Batcher)
	return ok, nil
}

// fill reads at most so many cells, and reports false behind the last.
func (s *scan) fill(cells *kv.Batch, most int) (bool, error) {
	if !s.cursor.(kv.Batcher).NextBatch(cells, most) {
		return false, s.cursor.Err()
	}
	s.given += int64(cells.Len())
	return true, nil
}
