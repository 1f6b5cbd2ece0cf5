package constrain

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// characters is a binary string as text: each byte that is no UTF-8 is a question mark.
type characters struct{}

// preimage: up to the first byte that is no UTF-8 a string is its text, and from there on it
// comes behind it. So it may come behind the span where the text goes on with a question
// mark in front of the span's end.
func (characters) preimage(out []span[text], s span[text]) []span[text] {
	out = append(out, s)
	if s.hi.end {
		return out
	}
	same := common(s)
	for i, c := range s.hi.b {
		if i == maxEnds || c > '?' && i >= same || c == '?' {
			out = append(out, span[text]{beforeText(append(s.hi.b[:i:i], firstNotASCII)), successor(s.hi.b[:i])})
		}
		if i == maxEnds {
			break
		}
	}
	return out
}

const firstNotASCII = 0x80

// common is how many bytes all strings of a span begin with.
func common(s span[text]) int {
	last := s.hi.b
	n := 0
	for n < len(s.lo.b) && n < len(last) && s.lo.b[n] == last[n] {
		n++
	}
	return n
}

// firstCharacters are as many of the first characters of a text.
type firstCharacters int

func (n firstCharacters) preimage(out []span[text], s span[text]) []span[text] {
	if head, _, cut := n.head(s.lo.b); cut {
		s.lo = beforeText(head)
	}
	s.lo.after = false
	head, full, cut := n.head(s.hi.b)
	if !s.hi.end && (cut || full && s.hi.after) {
		s.hi = successor(head)
	}
	return append(out, s)
}

// head is the first n characters: full tells that there are as many, cut that there are more.
func (n firstCharacters) head(b []byte) (head []byte, full, cut bool) {
	at, i := 0, 0
	for ; i < int(n) && at < len(b); i++ {
		_, size := value.NextRune(b[at:])
		at += size
	}
	return b[:at], i == int(n), at < len(b)
}

// hexDigits is a binary string in hexadecimal, by which it is ordered as by its bytes.
type hexDigits struct{}

func (hexDigits) preimage(out []span[text], s span[text]) []span[text] {
	return append(out, span[text]{unhexed(s.lo), unhexed(s.hi)})
}

const upperHex = "0123456789ABCDEF"

// unhexed is the cut before the strings whose digits come behind c.
func unhexed(c text) text {
	if c.end || c.b == nil {
		return c
	}
	head := make([]byte, 0, len(c.b)/2+1)
	for i := 0; i < len(c.b); i += 2 {
		high, isDigit := hexDigit(c.b[i])
		low, isByte := 0, false
		if isDigit && i+1 < len(c.b) {
			low, isByte = hexDigit(c.b[i+1])
		}
		if !isByte {
			return nextByte(head, high<<4+low)
		}
		head = append(head, byte(high<<4+low))
	}
	return text{b: head, after: c.after}
}

// hexDigit is the value of a digit; of another character the number of digits before it.
func hexDigit(c byte) (n int, isDigit bool) {
	for n < len(upperHex) && upperHex[n] < c {
		n++
	}
	return n, n < len(upperHex) && upperHex[n] == c
}

// nextByte is the cut before the strings that begin with head and a byte of at least b,
// which may be more than a byte holds.
func nextByte(head []byte, b int) text {
	if b > 0xFF {
		return successor(head)
	}
	return beforeText(append(bytes.Clone(head), byte(b)))
}
