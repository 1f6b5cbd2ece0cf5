package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// sortKey is one key of a sort: a column of the sorted rows.
type sortKey struct {
	column int
	desc   bool
}

// sortKeys are the keys of a sort, the first one first.
type sortKeys []sortKey

func sortKeysOf(order []OrderItem) sortKeys {
	keys := make(sortKeys, len(order))
	for i, k := range order {
		keys[i] = sortKey{column: k.Column, desc: k.Desc}
	}
	return keys
}

// compare compares the keys: NULL comes first, or last where descending.
func (s sortKeys) compare(a, b []value.Value) int {
	for _, k := range s {
		if c := value.Order(a[k.column], b[k.column]); c != 0 {
			if k.desc {
				return -c
			}
			return c
		}
	}
	return 0
}

// maxTop is the longest LIMIT for which a sort keeps only the rows that the
// limit lets through.
const maxTop = 1 << 16

// sorter sorts rows, those that are alike in all keys in the order of their
// arrival. With a limit it keeps no more rows than that, while they fit into
// memory.
type sorter struct {
	space *spill.Space
	keys  sortKeys
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
	return topRows{compare: s.keys.compare, most: int(s.limit), account: s.space.Account()}
}

// run sorts rows that are kept in memory.
func (s sortKeys) run(space *spill.Space) *spill.Sorter {
	out := s.sorter(space)
	out.Hold = true
	return out
}

// sorter sorts rows by the keys.
func (s sortKeys) sorter(space *spill.Space) *spill.Sorter {
	out := space.NewSorter(s.compare)
	if len(s) > 0 {
		out.By(s[0].column, s[0].desc, len(s) == 1)
	}
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
	s.all = s.keys.sorter(s.space)
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
