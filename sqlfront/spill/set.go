package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Set finds distinct rows by their keys. If its memory is used up, it defers rows that may be new;
// after the last Add, Next returns those that are, in the order of arrival.
type Set struct {
	space   *Space
	account *Account
	hold    *bool // while true, the set defers no rows
	bytes   int   // accounted for
	seen    rowmem.KeyTable
	full    bool
	// putOff has the rows that may be new: the number of each, its key, and its values. fresh has the
	// numbers of those that are new; inOrder merges the deferred rows in their order.
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

// NewSet makes an empty Set that counts its memory in the account; it defers no rows while hold is
// true.
func (a *Account) NewSet(hold *bool) *Set {
	return &Set{space: a.space, account: a, hold: hold}
}

// Peak is the most memory used at any time, in bytes.
func (s *Set) Peak() int64 { return s.account.Peak() }

// Spilled reports whether rows have been deferred.
func (s *Set) Spilled() bool { return s.putOff != nil }

// setOverhead is about the memory of a key in the table without its bytes.
const setOverhead = 56

// Add reports whether the row is the first with that key. It also returns false if that is not known
// yet. Key and row are copied if they are kept. Its errors are those of [Space].
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

// Keys returns the keys of the new rows in the order of arrival, for a set that has deferred no rows.
func (s *Set) Keys() *rowmem.KeyTable { return &s.seen }

// Unite adds the keys of another set, and returns the number of keys. Neither set may have deferred
// rows. The memory of both stays accounted for as before.
func (s *Set) Unite(o *Set) int64 {
	if o.seen.Len() > s.seen.Len() {
		s.seen, o.seen = o.seen, s.seen
	}
	for number := range o.seen.Len() {
		s.seen.Add(o.seen.Key(number))
	}
	return int64(s.seen.Len())
}

// AddAll adds the keys of another set, which has deferred no rows and is not changed. It returns the
// number of keys that are known to be different. Its errors are those of [Space].
func (s *Set) AddAll(o *Set) (int64, error) {
	for number := range o.seen.Len() {
		if _, err := s.Add(o.seen.Key(number), nil); err != nil {
			return 0, err
		}
	}
	return int64(s.seen.Len()), nil
}

// Next returns the next deferred row that is new, or nil after the last. Add must not be called after
// the first Next. Its errors are those of [Space].
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

// Close releases memory and temporary files. It may be called again. Its errors are those of [Space].
func (s *Set) Close() error {
	s.seen, s.inOrder, s.fresh = rowmem.KeyTable{}, nil, nil
	s.grow(-s.bytes)
	return s.putOff.Close()
}
