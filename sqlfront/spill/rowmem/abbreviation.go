package rowmem

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Abbreviation maps the first key of a row in a sort to a number, so that most rows are compared by
// their numbers: the row with the lower number comes first. It supports integers, and strings by their
// first bytes; it is off for a sort with other kinds. A percentile of 100,000 integers of 180
// different values takes 185 ms of processor time with it, and 220 ms without (benchmark Reports).
type Abbreviation struct {
	column int
	desc   bool
	// Only means that the sort has no other key.
	Only bool
	kind value.Kind // of the keys so far; Null if all were NULL
	Off  bool
	// parts means that other keys may share the number of some key.
	parts bool
}

// The numbers of integers outside the range that has numbers of its own.
const (
	leastAbbreviation    = 1
	greatestAbbreviation = 1<<64 - 2
	abbreviationBytes    = 7 // of a string
)

// Of returns the number of a row.
func (b *Abbreviation) Of(row []value.Value) uint64 {
	if b.Off {
		return 0
	}
	n := b.number(row)
	b.parts = b.parts || !b.Whole(n)
	return n
}

// TellAll reports whether the numbers alone order all rows.
func (b *Abbreviation) TellAll() bool { return b.Only && !b.Off && !b.parts }

func (b *Abbreviation) number(row []value.Value) uint64 {
	v := row[b.column]
	n := uint64(0)
	if !v.IsNull() {
		if b.kind == value.Null {
			b.kind = v.Kind()
		}
		switch {
		case v.Kind() != b.kind:
			b.Off = true
		case b.kind == value.Int:
			n = abbreviatedInt(v.Int())
		case b.kind == value.Bytes:
			n = abbreviatedString(v.Raw())
		default:
			b.Off = true
		}
	}
	if b.desc {
		return ^n
	}
	return n
}

func abbreviatedInt(i int64) uint64 {
	const bias = 1 << 62
	switch {
	case i < -bias:
		return leastAbbreviation
	case i >= bias:
		return greatestAbbreviation
	}
	return uint64(i+bias) + leastAbbreviation + 1
}

// abbreviatedString returns the first bytes of a string, followed by how many there are.
func abbreviatedString(s []byte) (n uint64) {
	for i := range min(len(s), abbreviationBytes) {
		n |= uint64(s[i]) << (8 * (abbreviationBytes - i))
	}
	return n | uint64(min(len(s), abbreviationBytes+1)+1)
}

// Whole reports whether all rows with that number have equal keys.
func (b *Abbreviation) Whole(n uint64) bool {
	if b.desc {
		n = ^n
	}
	if b.kind == value.Bytes {
		return n&0xff <= abbreviationBytes+1
	}
	return n != leastAbbreviation && n != greatestAbbreviation
}

// Tells compares two rows by their numbers; ok is false if the numbers do not decide.
func (b *Abbreviation) Tells(n, m uint64) (order int, ok bool) {
	if b.Off {
		return 0, false
	}
	return cmp.Compare(n, m), n != m || b.Only && b.Whole(n)
}

// With returns the Abbreviation for the rows of both.
func (b Abbreviation) With(o Abbreviation) Abbreviation {
	if b.kind == value.Null {
		b.kind = o.kind
	}
	b.parts = b.parts || o.parts
	b.Off = b.Off || o.Off || o.kind != value.Null && o.kind != b.kind
	return b
}
