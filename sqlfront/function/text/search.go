package text

import (
	"bytes"
	"math/bits"
	"math/rand/v2"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
)

// search finds a part of strings in time that grows with the sum of their lengths,
// and not with their product as comparing at each place does.
type search struct {
	part []byte
	// next is the first character of a string, as it is compared, and its size in
	// bytes; nil compares bytes.
	next collation.Characters
	// sameSize is true where as many bytes match as the part has, as in MySQL's
	// LOCATE: a letter with an accent is not found where there is one without.
	sameSize bool
	meter    *cancelcheck.Meter
}

// FindBytes is the first place where the part is, by its bytes, and -1 where it is in none. It fails
// with the error of the meter's context.
func FindBytes(b, part []byte, meter *cancelcheck.Meter) (at int, err error) {
	s := search{part: part, meter: meter}
	at, _, err = s.find(b, 0)
	return at, err
}

// find is the first place at or behind the byte from where the part is, and -1
// where it is in none.
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

// headLength is how many bytes the standard library looks for. Of more it makes a
// hash that all know, so that a text can be written of which each place looks right.
const headLength = 32

// findBytes finds the head of the part, and compares the rest until that has cost
// more than hashing does.
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

// findText compares where the first character is, until that has cost more than
// hashing does.
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

// compareAt reports whether the part begins b at the byte at, where it ends, and
// how many characters were compared.
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
			return at, compared, false // and the next look finds it out
		}
	}
	return at, compared, true
}

// findHashed compares the hashes of as many characters as the part has, one place
// after the other (Rabin and Karp), and the characters only where these are equal.
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

// rollingHash is a polynomial over the numbers below a prime, at a random place:
// nobody can write texts that differ and have one hash.
type rollingHash struct{ base uint64 }

const hashPrime = 1<<61 - 1

func newRollingHash() rollingHash { return rollingHash{1<<32 + rand.Uint64N(hashPrime-1<<32)} }

// code is a number above 0, for collations give negative ones.
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

// drop takes the share of a character away.
func (rollingHash) drop(hash, share uint64) uint64 {
	if hash < share {
		hash += hashPrime
	}
	return hash - share
}
