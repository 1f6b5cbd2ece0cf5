package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func sortKeysOf(order []OrderItem) spill.Keys {
	keys := make(spill.Keys, len(order))
	for i, k := range order {
		keys[i] = spill.Key{Column: k.Column, Desc: k.Desc}
	}
	return keys
}

// maxTop is the longest LIMIT for which a sort keeps only the rows that the
// limit lets through.
const maxTop = 1 << 16

// sorter sorts rows, those that are alike in all keys in the order of their
// arrival. With a limit it keeps no more rows than that, while they fit into
// memory.
type sorter struct {
	space *spill.Space
	keys  spill.Keys
	limit int64   // 0 is none
	first topRows // with a limit
	all   *spill.Sorter
}

func newSorter(x *frame, order []OrderItem, limit int64) sorter {
	s := sorter{space: &x.stmt.space, keys: sortKeysOf(order), limit: limit}
	if s.top() {
		s.first = s.newFirst()
	}
	return s
}

// newFirst are the first rows of none yet.
func (s *sorter) newFirst() topRows {
	return topRows{keys: s.keys, most: int(s.limit), account: s.space.Account()}
}

// newRun sorts rows that are kept in memory.
func newRun(space *spill.Space, keys spill.Keys) *spill.Sorter {
	out := space.NewSorterBy(keys)
	out.Hold = true
	return out
}

// merge takes the rows of sorts in memory, and puts them in order on several goroutines.
func (s *sorter) merge(runs []*spill.Sorter, workers int) error {
	s.begin()
	return s.all.Merge(runs, workers)
}

func (s *sorter) top() bool { return s.limit > 0 && s.limit <= maxTop }

// add takes a copy of the row.
func (s *sorter) add(row []value.Value) error {
	if s.all != nil {
		return s.all.Add(row)
	}
	if !s.top() {
		s.begin()
		return s.all.Add(row)
	}
	if s.first.add(row); s.first.account.Full() {
		return s.giveUpTop()
	}
	return nil
}

// begin makes the sort of all rows.
func (s *sorter) begin() {
	s.all = s.space.NewSorterBy(s.keys)
	s.all.Most = s.limit
}

// giveUpTop goes over to a sort of all rows: those that the limit lets through
// do not fit into memory.
func (s *sorter) giveUpTop() error {
	s.begin()
	s.first.byArrival()
	for _, r := range s.first.rows {
		if err := s.all.Add(r.row); err != nil {
			return err
		}
	}
	s.first.release()
	return nil
}

// sort ends the adding; rows come from take then.
func (s *sorter) sort() error {
	if s.all != nil {
		return s.all.Sort()
	}
	s.first.inOrder()
	return nil
}

// take is the next row in order, nil behind the last.
func (s *sorter) take() ([]value.Value, error) {
	if s.all != nil {
		return s.all.Next()
	}
	return s.first.take(), nil
}

// spilled reports whether rows are in temporary files.
func (s *sorter) spilled() bool { return s.all != nil && s.all.Spilled() }

func (s *sorter) close() error {
	s.first.release()
	if s.all == nil {
		return nil
	}
	return s.all.Close()
}

// peak is how many bytes the sort has kept at a time.
func (s *sorter) peak() int64 {
	if s.all != nil {
		return max(s.first.account.Peak(), s.all.Peak())
	}
	return s.first.account.Peak()
}
