package spill

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Set tells rows that are new from those that came before. Where its memory is
// used up it puts rows off that may be new; they come from Next behind the last
// Add, in the order of their arrival.
type Set struct {
	space   *Space
	account *Account
	hold    *bool // while true, the set does not put rows off
	bytes   int   // of the account
	seen    KeyTable
	full    bool
	count   int64
	row     []value.Value
	// byKey are the rows put off, by key; inOrder those of them that are new.
	byKey, inOrder *Sorter
}

// NewSet makes an empty Set.
func (s *Space) NewSet() *Set {
	account := s.Account()
	return account.NewSet(new(bool))
}

// NewSet makes an empty Set that shares the account; it puts off no rows while
// hold is true.
func (a *Account) NewSet(hold *bool) *Set {
	return &Set{space: a.space, account: a, hold: hold}
}

// Peak is how many bytes were kept in memory at a time.
func (s *Set) Peak() int64 { return s.account.Peak() }

// Spilled reports whether rows have been put off.
func (s *Set) Spilled() bool { return s.byKey != nil }

// setOverhead is about what a key takes in the table beside its bytes.
const setOverhead = 56

// Add reports whether the row is the first with that key. A row of which that
// cannot be told yet is not. Key and row are copied where they are kept.
func (s *Set) Add(key []byte, row []value.Value) (bool, error) {
	if !s.full {
		_, isNew := s.seen.Add(key)
		if isNew {
			s.grow(len(key) + setOverhead)
			s.full = !*s.hold && s.account.Full()
		}
		return isNew, nil
	}
	if s.seen.Find(key) != NoKey {
		return false, nil
	}
	if s.byKey == nil {
		s.byKey = s.space.NewSorter(ByBytes)
		s.byKey.Unique = true
	}
	s.count++
	s.row = append(append(s.row[:0], value.NewBytes(key), value.NewInt(s.count)), row...)
	return false, s.byKey.Add(s.row)
}

// Keys are those of the rows that were new, in the order of their arrival, of a set that has
// put off none.
func (s *Set) Keys() *KeyTable { return &s.seen }

// Unite adds the keys of another set; neither has put rows off. It gives how many keys
// there are then. The memory of both is accounted for as before.
func (s *Set) Unite(o *Set) int64 {
	if o.seen.Len() > s.seen.Len() {
		s.seen, o.seen = o.seen, s.seen
	}
	for number := range o.seen.Len() {
		s.seen.Add(o.seen.Key(number))
	}
	return int64(s.seen.Len())
}

// AddAll adds the keys of another set, which has put off no rows and stays as it is. It
// gives how many keys are known to be different.
func (s *Set) AddAll(o *Set) (int64, error) {
	for number := range o.seen.Len() {
		if _, err := s.Add(o.seen.Key(number), nil); err != nil {
			return 0, err
		}
	}
	return int64(s.seen.Len()), nil
}

// Next is the next of the rows that were put off and are new, nil behind the
// last. After the first call there is no Add.
func (s *Set) Next() ([]value.Value, error) {
	if s.byKey == nil && s.inOrder == nil {
		return nil, nil
	}
	if s.inOrder == nil {
		if err := s.sort(); err != nil {
			return nil, err
		}
	}
	row, err := s.inOrder.Next()
	if row == nil || err != nil {
		return nil, err
	}
	return row[1:], nil
}

// sort finds the rows that are new.
func (s *Set) sort() error {
	s.seen = KeyTable{}
	s.grow(-s.bytes)
	s.inOrder = s.space.NewSorter(ByNumber)
	if err := s.byKey.Sort(); err != nil {
		return err
	}
	err := Each(s.byKey.Next, func(row []value.Value) error { return s.inOrder.Add(row[1:]) })
	if err == nil {
		err = s.byKey.Close()
	}
	if err != nil {
		return err
	}
	return s.inOrder.Sort()
}

func (s *Set) grow(bytes int) {
	s.bytes += bytes
	s.account.Grow(bytes)
}

// Close gives up the rows. It may be called again.
func (s *Set) Close() error {
	s.seen = KeyTable{}
	s.grow(-s.bytes)
	var err error
	for _, sorter := range []*Sorter{s.byKey, s.inOrder} {
		if sorter == nil {
			continue
		}
		if closeErr := sorter.Close(); err == nil {
			err = closeErr
		}
	}
	return err
}

// ByBytes orders rows by the bytes of their first value.
func ByBytes(a, b []value.Value) int { return bytes.Compare(a[0].Raw(), b[0].Raw()) }

// ByNumber orders rows by their first value, a number.
func ByNumber(a, b []value.Value) int { return int(a[0].Int() - b[0].Int()) }
