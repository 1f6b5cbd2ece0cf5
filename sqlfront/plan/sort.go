package plan

import "github.com/hbasekv/hbasekv/sqlfront/value"

// sorted gives its child's rows in order.
type sorted struct {
	child  results
	by     []orderItem
	sorter sorter
	ready  bool
	given  int64
}

func (s *sorted) next() ([]value.Value, error) {
	if !s.ready {
		if err := s.read(); err != nil {
			return nil, err
		}
		s.ready = true
	}
	row := s.sorter.take()
	if row != nil {
		s.given++
	}
	return row, nil
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
		s.sorter.add(row)
		if err := s.sorter.x.tick(); err != nil {
			return err
		}
	}
}

func (s *sorted) close() error { return s.child.close() }
