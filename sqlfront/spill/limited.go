package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxFirst is the greatest limit with which a LimitedSorter keeps only the first rows.
const maxFirst = 1 << 16

// LimitedSorter sorts rows as a Sorter does. With a limit it keeps only so many rows, as long as
// these fit in memory.
type LimitedSorter struct {
	space *Space
	keys  Keys
	limit int64 // 0 for none
	first TopN  // with a limit
	all   *Sorter
}

// NewLimitedSorter makes a LimitedSorter for so many rows, or for all if limit is 0.
func (s *Space) NewLimitedSorter(keys Keys, limit int64) LimitedSorter {
	out := LimitedSorter{space: s, keys: keys, limit: limit}
	if out.Limited() {
		out.first = out.newFirst()
	}
	return out
}

// Limited reports whether only the first rows are kept, as long as they fit in memory.
func (s *LimitedSorter) Limited() bool { return s.limit > 0 && s.limit <= maxFirst }

// First returns the first rows so far.
func (s *LimitedSorter) First() *TopN { return &s.first }

// Limit is the number of rows, 0 for all.
func (s *LimitedSorter) Limit() int64 { return s.limit }

// newFirst makes an empty TopN.
func (s *LimitedSorter) newFirst() TopN {
	return TopN{keys: s.keys, most: int(s.limit), account: s.space.Account()}
}

// FirstOfPart returns an empty TopN for the first rows of a part, for MergeFirst.
func (s *LimitedSorter) FirstOfPart() *TopN {
	out := s.newFirst()
	return &out
}

// SorterOfPart returns a Sorter for a part of the rows, for Merge.
func (s *LimitedSorter) SorterOfPart() *Sorter { return s.space.NewSorterOfPart(s.keys) }

// MergeFirst merges the first rows of parts. Its errors are those of [Space].
func (s *LimitedSorter) MergeFirst(parts []*TopN) error {
	for _, f := range parts {
		f.byArrival()
		for _, row := range f.rows {
			if err := s.Add(row.row); err != nil {
				return err
			}
		}
		f.Close()
	}
	return s.Sort()
}

// Merge merges sorted parts on several goroutines. Its errors are those of [Space].
func (s *LimitedSorter) Merge(parts []*Sorter, workers int) error {
	s.begin()
	return s.all.Merge(parts, workers)
}

// Add adds a copy of the row. Its errors are those of [Space].
func (s *LimitedSorter) Add(row []value.Value) error {
	if s.all != nil {
		return s.all.Add(row)
	}
	if !s.Limited() {
		s.begin()
		return s.all.Add(row)
	}
	if s.first.Add(row); s.first.Full() {
		return s.giveUpFirst()
	}
	return nil
}

// begin makes the sorter of all rows.
func (s *LimitedSorter) begin() {
	s.all = s.space.NewSorter(s.keys)
	s.all.Most = s.limit
}

// giveUpFirst changes to a sorter of all rows, because the first ones do not fit in memory.
func (s *LimitedSorter) giveUpFirst() error {
	s.begin()
	s.first.byArrival()
	for _, r := range s.first.rows {
		if err := s.all.Add(r.row); err != nil {
			return err
		}
	}
	s.first.Close()
	return nil
}

// Sort ends the adding; then Next returns the rows. Its errors are those of [Space].
func (s *LimitedSorter) Sort() error {
	if s.all != nil {
		return s.all.Sort()
	}
	s.first.inOrder()
	return nil
}

// Next returns the next row in order, or nil after the last. Its errors are those of [Space].
func (s *LimitedSorter) Next() ([]value.Value, error) {
	if s.all != nil {
		return s.all.Next()
	}
	return s.first.take(), nil
}

// Spilled reports whether rows are in temporary files.
func (s *LimitedSorter) Spilled() bool { return s.all != nil && s.all.Spilled() }

// Close releases memory and temporary files. Its errors are those of [Space].
func (s *LimitedSorter) Close() error {
	s.first.Close()
	if s.all == nil {
		return nil
	}
	return s.all.Close()
}

// Peak is the most memory used at any time, in bytes.
func (s *LimitedSorter) Peak() int64 {
	if s.all != nil {
		return max(s.first.account.Peak(), s.all.Peak())
	}
	return s.first.account.Peak()
}
