package text

import (
	"bytes"
	"math/bits"
	"math/rand/v2"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
)

// search finds a part of strings in time proportional to the sum of their lengths, not to their product, as
// comparing at each position would take.
type search struct {
	part []byte
	// next is the first character of a string, as it is compared, and its size in bytes; if nil, bytes are
	// compared.
	next collation.Characters
	// sameSize is true if a match must have as many bytes as the part, as in MySQL's LOCATE: a letter with an
	// accent is not found by one without.
	sameSize bool
	meter    *cancelcheck.Meter
}

// FindBytes is the position of the first occurrence of part by its bytes, or -1. The error is that of the
// meter's context.
func FindBytes(b, part []byte, meter *cancelcheck.Meter) (at int, err error) {
	s := search{part: part, meter: meter}
	at, _, err = s.find(b, 0)
	return at, err
}

// find is the first occurrence of the part at or after byte from; start is -1 if there is none.
func (s *search) find(b []byte, from int) (start, end int, err error) {
	switch {
	case s.next != nil && len(s.part) > 0:
		return s.findText(b, from)
	case s.next == nil && len(s.part) > headLength || len(b)-from > cancelcheck.Stride:
		return s.findBytes(b, from)
	}
	i := bytes.Index(b[from:], s.part)
	if i < 0 {
		return -1, -1, s.meter.Step(len(b) - from)
	}
	return from + i, from + i + len(s.part), s.meter.Step(i + headLength)
}

// headLength is the number of bytes that the standard library searches. For more it uses a public hash, for
// which texts can be constructed that match everywhere.
const headLength = 32

// findBytes finds the head of the part, and compares the rest, until that has cost more than hashing.
func (s *search) findBytes(b []byte, from int) (start, end int, err error) {
	head := s.part[:min(len(s.part), headLength)]
	rest := s.part[len(head):]
	credit := len(s.part) + 16*headLength
	for len(b)-from >= len(s.part) {
		i := bytes.Index(b[from:min(len(b), from+cancelcheck.Stride+len(head))], head)
		if i < 0 {
			i = cancelcheck.Stride
		} else if at := from + i; bytes.HasPrefix(b[at+len(head):], rest) {
			return at, at + len(s.part), s.meter.Step(i + len(rest) + headLength)
		} else if credit += i - len(rest)/8; credit < 0 {
			return s.findHashed(b, at+1)
		}
		from += i + 1
		if err := s.meter.Step(i + 1); err != nil {
			return -1, -1, err
		}
	}
	return -1, -1, nil
}

// findText compares wherever the first character is, until that has cost more than hashing.
func (s *search) findText(b []byte, from int) (start, end int, err error) {
	first, _ := s.next(s.part)
	credit := 64
	for at := from; at < len(b); {
		c, size := s.next(b[at:])
		if err := s.meter.Step(size); err != nil {
			return -1, -1, err
		}
		if credit += size; c == first {
			end, compared, ok := s.compareAt(b, at)
			if ok && (!s.sameSize || end-at == len(s.part)) {
				return at, end, nil
			}
			if credit -= 4 * compared; credit < 0 {
				return s.findHashed(b, at+size)
			}
		}
		at += size
	}
	return -1, -1, nil
}

// compareAt reports whether the part is at byte at of b, where it ends, and how many characters were
// compared.
func (s *search) compareAt(b []byte, at int) (end, compared int, ok bool) {
	for part := s.part; len(part) > 0; compared++ {
		if at >= len(b) {
			return at, compared, false
		}
		x, n := s.next(b[at:])
		y, m := s.next(part)
		if x != y {
			return at, compared, false
		}
		at, part = at+n, part[m:]
		if compared%cancelcheck.Stride == cancelcheck.Stride-1 && s.meter.Step(compared) != nil {
			return at, compared, false // the next comparison will find it
		}
	}
	return at, compared, true
}

// findHashed compares the hashes of as many characters as the part has, at one position after the other
// (Rabin and Karp), and the characters only if these are equal.
func (s *search) findHashed(b []byte, from int) (start, end int, err error) {
	next := s.next
	if next == nil {
		next = nextByte
	}
	h := newRollingHash()
	want, first, missing := uint64(0), uint64(1), 0
	for part := s.part; len(part) > 0; missing++ {
		c, size := next(part)
		want, first, part = h.push(want, c), h.mul(first, h.base), part[size:]
	}
	if err := s.meter.Step(len(s.part)); err != nil {
		return -1, -1, err
	}
	got, lo, hi := uint64(0), from, from
	for {
		if missing == 0 && got == want && (!s.sameSize || hi-lo == len(s.part)) {
			if end, ok := s.equalAt(b, lo); ok {
				return lo, end, nil
			}
		}
		if hi >= len(b) {
			return -1, -1, nil
		}
		c, size := next(b[hi:])
		got, hi = h.push(got, c), hi+size
		if missing > 0 {
			missing--
		} else {
			c, size = next(b[lo:])
			got, lo = h.drop(got, h.mul(first, h.code(c))), lo+size
		}
		if err := s.meter.Step(4); err != nil {
			return -1, -1, err
		}
	}
}

func (s *search) equalAt(b []byte, at int) (end int, ok bool) {
	if s.next == nil {
		return at + len(s.part), bytes.HasPrefix(b[at:], s.part)
	}
	end, _, ok = s.compareAt(b, at)
	return end, ok
}

func nextByte(b []byte) (rune, int) { return rune(b[0]), 1 }

// rollingHash is a polynomial over the numbers below a prime, at a random point: different texts with the
// same hash cannot be constructed.
type rollingHash struct{ base uint64 }

const hashPrime = 1<<61 - 1

func newRollingHash() rollingHash { return rollingHash{1<<32 + rand.Uint64N(hashPrime-1<<32)} }

// code is a positive number: collations also use negative ones.
func (rollingHash) code(c rune) uint64 { return uint64(int64(c) + 1<<32) }

func (rollingHash) mul(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	sum := lo&hashPrime + (hi<<3 | lo>>61)
	if sum >= hashPrime {
		sum -= hashPrime
	}
	return sum
}

func (h rollingHash) push(hash uint64, c rune) uint64 {
	sum := h.mul(hash, h.base) + h.code(c)
	if sum >= hashPrime {
		sum -= hashPrime
	}
	return sum
}

// drop removes the share of a character.
func (rollingHash) drop(hash, share uint64) uint64 {
	if hash < share {
		hash += hashPrime
	}
	return hash - share
}
