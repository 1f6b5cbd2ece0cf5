package plan

import "github.com/hbasekv/hbasekv/sqlfront/value"

// sorted gives its child's rows in order.
type sorted struct {
	child  results
	by     []orderItem
	sorter sorter
	x      *exec
	ready  bool
	given  int64
}

func newSorted(x *exec, child results, by []orderItem, limit int64) *sorted {
	return &sorted{child: child, by: by, x: x, sorter: newSorter(x, by, limit)}
}

func (s *sorted) next() ([]value.Value, error) {
	if !s.ready {
		if err := s.read(); err != nil {
			return nil, err
		}
		s.ready = true
	}
	row, err := s.sorter.take()
	if row != nil {
		s.given++
	}
	return row, err
}

func (s *sorted) read() error {
	for {
		row, err := s.child.next()
		if err != nil {
			return err
		}
		if row == nil {
			return s.sorter.sort()
		}
		if err := s.sorter.add(row); err != nil {
			return err
		}
		if err := s.x.tick(); err != nil {
			return err
		}
	}
}

func (s *sorted) close() error {
	return firstError(s.child.close(), s.sorter.close())
}
