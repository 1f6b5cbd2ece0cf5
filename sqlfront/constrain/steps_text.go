package constrain

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// characters is a binary string converted to text, with a question mark for each byte that is not valid
// UTF-8.
type characters struct{}

// preimage uses that a string equals its text up to the first byte that is not valid UTF-8, and is after it
// from there on. The string may then be after the span if the text continues with a question mark before the
// span's end.
func (characters) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	out = append(out, s)
	if s.Hi.End {
		return out
	}
	same := common(s)
	for i, c := range s.Hi.Bytes {
		if i == maxEnds || c > '?' && i >= same || c == '?' {
			head := s.Hi.Bytes[:i:i]
			other := append(head, firstNotASCII)
			out = append(out, interval.TextSpan{Lo: interval.BeforeText(other), Hi: interval.Successor(head)})
		}
		if i == maxEnds {
			break
		}
	}
	return out
}

const firstNotASCII = 0x80

// common is the number of leading bytes that all strings of a span share.
func common(s interval.TextSpan) int {
	last := s.Hi.Bytes
	n := 0
	for n < len(s.Lo.Bytes) && n < len(last) && s.Lo.Bytes[n] == last[n] {
		n++
	}
	return n
}

// firstCharacters is the function to the first n characters of a text.
type firstCharacters int

func (n firstCharacters) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	if head, _, cut := n.head(s.Lo.Bytes); cut {
		s.Lo = interval.BeforeText(head)
	}
	s.Lo.After = false
	head, full, cut := n.head(s.Hi.Bytes)
	if !s.Hi.End && (cut || full && s.Hi.After) {
		s.Hi = interval.Successor(head)
	}
	return append(out, s)
}

// head is the first n characters; full says that there are that many, cut that there are more.
func (n firstCharacters) head(b []byte) (head []byte, full, cut bool) {
	at, i := 0, 0
	for ; i < int(n) && at < len(b); i++ {
		_, size := value.NextRune(b[at:])
		at += size
	}
	return b[:at], i == int(n), at < len(b)
}

// hexDigits is a binary string in hexadecimal digits, whose order is that of the bytes.
type hexDigits struct{}

func (hexDigits) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	return append(out, interval.TextSpan{Lo: unhexed(s.Lo), Hi: unhexed(s.Hi)})
}

const upperHex = "0123456789ABCDEF"

// unhexed is the cut before the strings whose digits are after c.
func unhexed(c interval.Text) interval.Text {
	if c.End || c.Bytes == nil {
		return c
	}
	head := make([]byte, 0, len(c.Bytes)/2+1)
	for i := 0; i < len(c.Bytes); i += 2 {
		high, isDigit := hexDigit(c.Bytes[i])
		low, isByte := 0, false
		if isDigit && i+1 < len(c.Bytes) {
			low, isByte = hexDigit(c.Bytes[i+1])
		}
		if !isByte {
			return nextByte(head, high<<4+low)
		}
		head = append(head, byte(high<<4+low))
	}
	return interval.Text{Bytes: head, After: c.After}
}

// hexDigit is the value of a digit; for another character the number of digits before it.
func hexDigit(c byte) (n int, isDigit bool) {
	for n < len(upperHex) && upperHex[n] < c {
		n++
	}
	return n, n < len(upperHex) && upperHex[n] == c
}

// nextByte is the cut before the strings that begin with head and a byte of at least b, which may exceed a
// byte.
func nextByte(head []byte, b int) interval.Text {
	if b > 0xFF {
		return interval.Successor(head)
	}
	return interval.BeforeText(append(bytes.Clone(head), byte(b)))
}
