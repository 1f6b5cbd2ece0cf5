package rowcodec

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The first bytes of OrderedBytes' values, ascending.
const (
	codeNull     = 0x05
	negLarge     = 0x08
	negMedium    = 0x13 // minus the exponent
	negSmall     = 0x14
	codeZero     = 0x15
	posSmall     = 0x16
	posMedium    = 0x17 // plus the exponent
	posLarge     = 0x22
	codeInt8     = 0x29
	codeInt16    = 0x2a
	codeInt32    = 0x2b
	codeInt64    = 0x2c
	codeFloat32  = 0x30
	codeFloat64  = 0x31
	codeString   = 0x34
	codeBlob     = 0x37
	codeBlobCopy = 0x38

	mostMedium = 10 // exponents
)

// appendNumeric appends an exact number as OrderedBytes.encodeNumeric does: as 0.M times a power of 100, the
// sign and the exponent first, followed by M as digits to the base of 100, each doubled, with a bit that says
// that another one follows. HBase rounds to 31 digits; here all are kept.
func appendNumeric(dst []byte, v value.Value) []byte {
	var buf [96]byte
	text := v.AppendText(buf[:0])
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	var pairsBuf [96]byte
	pairs, exponent := toPairs(pairsBuf[:0], text)
	if len(pairs) == 0 {
		return append(dst, codeZero)
	}
	dst = appendExponent(dst, exponent, negative)
	start := len(dst)
	for i, d := range pairs {
		if d *= 2; i < len(pairs)-1 {
			d++
		}
		dst = append(dst, d)
	}
	if negative {
		turn(dst[start:])
	}
	return dst
}

func appendExponent(dst []byte, exponent int, negative bool) []byte {
	switch {
	case exponent > mostMedium && negative:
		return appendVaruint(append(dst, negLarge), uint64(exponent), true)
	case exponent > mostMedium:
		return appendVaruint(append(dst, posLarge), uint64(exponent), false)
	case exponent > 0 && negative:
		return append(dst, byte(negMedium-exponent))
	case exponent > 0:
		return append(dst, byte(posMedium+exponent))
	case negative:
		return appendVaruint(append(dst, negSmall), uint64(-exponent), false)
	}
	return appendVaruint(append(dst, posSmall), uint64(-exponent), true)
}

// toPairs appends the digits of a number to the base of 100, from the first to the last that is not 0, and
// returns the exponent of 100 that makes it 0.pairs.
func toPairs(dst, text []byte) (pairs []byte, exponent int) {
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	whole = bytes.TrimLeft(whole, "0")
	exponent = (len(whole) + 1) / 2
	if len(whole)%2 == 1 {
		dst, whole = append(dst, whole[0]-'0'), whole[1:]
	}
	for ; len(whole) > 0; whole = whole[2:] {
		dst = append(dst, (whole[0]-'0')*10+whole[1]-'0')
	}
	for i := 0; i < len(fraction); i += 2 {
		d := (fraction[i] - '0') * 10
		if i+1 < len(fraction) {
			d += fraction[i+1] - '0'
		}
		if len(dst) == 0 && d == 0 {
			exponent--
			continue
		}
		dst = append(dst, d)
	}
	return bytes.TrimRight(dst, "\x00"), exponent
}

// mostPairs and mostExponent are more than any DECIMAL has.
const (
	mostPairs    = 64
	mostExponent = 64
)

// readNumeric returns the number and its number of bytes; 0 if there is none that fits into a DECIMAL.
func readNumeric(b []byte) (v value.Value, size int) {
	if len(b) > 0 && b[0] == codeZero {
		return value.NewInt(0), 1
	}
	exponent, negative, size := readExponent(b)
	if size == 0 {
		return v, 0
	}
	var buf [mostPairs]byte
	pairs := buf[:0]
	for more := true; more; size++ {
		if size >= len(b) || len(pairs) == mostPairs {
			return v, 0
		}
		d := b[size]
		if negative {
			d = ^d
		}
		if more = d&1 != 0; d>>1 > 99 {
			return v, 0
		}
		pairs = append(pairs, d>>1)
	}
	return fromPairs(pairs, exponent, negative), size
}

func readExponent(b []byte) (exponent int, negative bool, size int) {
	if len(b) == 0 {
		return 0, false, 0
	}
	switch head := b[0]; {
	case head > posMedium && head <= posMedium+mostMedium:
		return int(head - posMedium), false, 1
	case head < negMedium && head >= negMedium-mostMedium:
		return int(negMedium - head), true, 1
	case head == posSmall || head == posLarge || head == negSmall || head == negLarge:
		negative = head == negSmall || head == negLarge
		small := head == posSmall || head == negSmall
		n, read := readVaruint(b[1:], small != negative)
		if read == 0 || n > mostExponent || !small && n <= mostMedium {
			return 0, false, 0
		}
		if small {
			return -int(n), negative, 1 + read
		}
		return int(n), negative, 1 + read
	}
	return 0, false, 0
}

// fromPairs is the inverse of toPairs.
func fromPairs(pairs []byte, exponent int, negative bool) value.Value {
	var buf [2 * (mostPairs + mostExponent)]byte
	text := buf[:0]
	if negative {
		text = append(text, '-')
	}
	if exponent <= 0 {
		text = append(text, "0."...)
	}
	for ; exponent < 0; exponent++ {
		text = append(text, "00"...)
	}
	for i := 0; i < max(len(pairs), exponent); i++ {
		if i == exponent && i > 0 {
			text = append(text, '.')
		}
		d := byte(0)
		if i < len(pairs) {
			d = pairs[i]
		}
		text = append(text, '0'+d/10, '0'+d%10)
	}
	v, _ := value.ParseExact(text)
	return v
}
