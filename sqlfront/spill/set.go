package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Set finds different rows by their keys. Where its memory is used up it puts off rows that may be new;
// Next gives those that are, after the last Add, in the order of arrival.
type Set struct {
	space   *Space
	account *Account
	hold    *bool // while true, the set does not put rows off
	bytes   int   // of the account
	seen    rowmem.KeyTable
	full    bool
	// putOff has the rows that may be new: the number of each, its key, and its values. fresh has the
	// numbers of those that are new, inOrder gives them all in their order.
	putOff  *Partitions
	count   int64
	row     []value.Value
	fresh   numbers
	inOrder *merge
	meter   cancelcheck.Meter
}

// NewSet makes an empty Set.
func (s *Space) NewSet() *Set {
	account := s.Account()
	return account.NewSet(new(bool))
}

// NewSet makes an empty Set that counts its memory in the account; it puts off no rows while hold is
// true.
func (a *Account) NewSet(hold *bool) *Set {
	return &Set{space: a.space, account: a, hold: hold}
}

// Peak is the most memory that was in use at one time, in bytes.
func (s *Set) Peak() int64 { return s.account.Peak() }

// Spilled reports whether rows have been put off.
func (s *Set) Spilled() bool { return s.putOff != nil }

// setOverhead is about the memory of a key in the table without its bytes.
const setOverhead = 56

// Add reports whether the row is the first with that key. It is false where that is not known yet. Key
// and row are copied where they are kept. Its errors are those of [Space].
func (s *Set) Add(key []byte, row []value.Value) (bool, error) {
	hash := rowmem.KeyHash(key)
	if !s.full {
		_, isNew := s.seen.AddHash(hash, key)
		if isNew {
			s.grow(len(key) + setOverhead)
			s.full = !*s.hold && s.account.Full()
		}
		return isNew, nil
	}
	if s.seen.FindHash(hash, key) != rowmem.NoKey {
		return false, nil
	}
	if s.putOff == nil {
		s.putOff = s.space.NewPartitions()
	}
	s.row = append(append(s.row[:0], value.NewInt(s.count), value.NewBytes(key)), row...)
	s.count++
	return false, s.putOff.Add(hash, s.row)
}

// Keys has the keys of the new rows in the order of arrival, of a set that has put off none.
func (s *Set) Keys() *rowmem.KeyTable { return &s.seen }

// Unite adds the keys of another set, and gives the number of keys. Neither set may have put rows off.
// The memory of both stays accounted for as before.
func (s *Set) Unite(o *Set) int64 {
	if o.seen.Len() > s.seen.Len() {
		s.seen, o.seen = o.seen, s.seen
	}
	for number := range o.seen.Len() {
		s.seen.Add(o.seen.Key(number))
	}
	return int64(s.seen.Len())
}

// AddAll adds the keys of another set, which has put off no rows and is not changed. It gives the
// number of keys that are known to be different. Its errors are those of [Space].
func (s *Set) AddAll(o *Set) (int64, error) {
	for number := range o.seen.Len() {
		if _, err := s.Add(o.seen.Key(number), nil); err != nil {
			return 0, err
		}
	}
	return int64(s.seen.Len()), nil
}

// Next gives the next row that was put off and is new, nil behind the last. Add must not be called
// after the first Next. Its errors are those of [Space].
func (s *Set) Next() ([]value.Value, error) {
	if s.putOff == nil {
		return nil, nil
	}
	if s.inOrder == nil {
		if err := s.end(); err != nil {
			return nil, err
		}
	}
	for {
		row, err := s.inOrder.next()
		if row == nil || err != nil {
			return nil, err
		}
		if err := s.meter.Step(cancelcheck.Row); err != nil {
			return nil, err
		}
		if s.fresh.has(row[0].Int()) {
			return row[2:], nil
		}
	}
}

// end finds the new rows, one partition at a time.
func (s *Set) end() error {
	s.seen = rowmem.KeyTable{}
	s.grow(-s.bytes)
	s.fresh = make(numbers, s.count/64+1)
	s.grow(8 * len(s.fresh))
	if err := s.findFresh(); err != nil {
		return err
	}
	s.inOrder, s.meter.Ctx = &merge{}, s.space.ctx
	s.grow(len(s.putOff.each) * s.putOff.block)
	return s.inOrder.start(s.putOff.runs(), s.putOff.block, rowmem.ByFirst.Comparer())
}

func (s *Set) grow(bytes int) {
	s.bytes += bytes
	s.account.Grow(bytes)
}

// Close gives up the rows. It may be called again. Its errors are those of [Space].
func (s *Set) Close() error {
	s.seen, s.inOrder, s.fresh = rowmem.KeyTable{}, nil, nil
	s.grow(-s.bytes)
	return s.putOff.Close()
}
