package filter

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/big"
	"strings"
)

// unlike is the result of a Comparator that only matches for what does not match.
const unlike = 1

func matching(yes bool) int {
	if yes {
		return 0
	}
	return unlike
}

// Compare implements Comparator.
func (c BinaryComparator) Compare(stored []byte) int { return bytes.Compare(c.Value, stored) }

// Operand implements Comparator.
func (c BinaryComparator) Operand() []byte { return c.Value }

// Compare implements Comparator.
func (c BinaryPrefixComparator) Compare(stored []byte) int {
	return bytes.Compare(c.Value, stored[:min(len(stored), len(c.Value))])
}

// Operand implements Comparator.
func (c BinaryPrefixComparator) Operand() []byte { return c.Value }

// Compare implements Comparator. If the stored bytes end before the component, it compares with the rest.
func (c BinaryComponentComparator) Compare(stored []byte) int {
	start := min(max(c.Offset, 0), len(stored))
	return bytes.Compare(c.Value, stored[start:min(len(stored), start+len(c.Value))])
}

// Operand implements Comparator.
func (c BinaryComponentComparator) Operand() []byte { return c.Value }

// Compare implements Comparator.
func (c BitComparator) Compare(stored []byte) int {
	if len(stored) != len(c.Value) {
		return unlike
	}
	joined := byte(0)
	for i, b := range c.Value {
		switch c.Op {
		case BitAnd:
			joined |= b & stored[i]
		case BitOr:
			joined |= b | stored[i]
		default:
			joined |= b ^ stored[i]
		}
	}
	return matching(joined != 0)
}

// Operand implements Comparator.
func (c BitComparator) Operand() []byte { return c.Value }

// Compare implements Comparator. A value of less than 8 bytes is larger than every integer; in HBase
// it is an error.
func (c LongComparator) Compare(stored []byte) int {
	if len(stored) < 8 {
		return -1
	}
	return cmp.Compare(c.Value, int64(binary.BigEndian.Uint64(stored)))
}

// Operand implements Comparator.
func (c LongComparator) Operand() []byte { return binary.BigEndian.AppendUint64(nil, uint64(c.Value)) }

// Compare implements Comparator.
func (NullComparator) Compare([]byte) int { return unlike }

// Operand implements Comparator.
func (NullComparator) Operand() []byte { return nil }

// Compare implements Comparator.
func (c SubstringComparator) Compare(stored []byte) int {
	return matching(strings.Contains(strings.ToLower(string(stored)), strings.ToLower(c.Text)))
}

// Operand implements Comparator.
func (c SubstringComparator) Operand() []byte { return []byte(strings.ToLower(c.Text)) }

// Compare implements Comparator. A value that is no decimal is larger than every decimal; in HBase it
// is an error.
func (c BigDecimalComparator) Compare(stored []byte) int {
	own, ok := readDecimal(c.Value)
	other, also := readDecimal(stored)
	if !ok || !also {
		return -1
	}
	return own.compare(other)
}

// Operand implements Comparator.
func (c BigDecimalComparator) Operand() []byte { return c.Value }

// decimal is an integer divided by a power of ten.
type decimal struct {
	unscaled *big.Int
	scale    int32
}

func readDecimal(stored []byte) (decimal, bool) {
	if len(stored) < 5 {
		return decimal{}, false
	}
	n := new(big.Int).SetBytes(stored[4:])
	if stored[4]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(stored[4:]))))
	}
	return decimal{n, int32(binary.BigEndian.Uint32(stored))}, true
}

// compare compares two decimals: by sign, by the positions of their first digits, and only then by all
// digits, since a scale may be up to 2^31 and the digits for it would not fit in memory.
func (d decimal) compare(o decimal) int {
	sign := d.unscaled.Sign()
	if sign != o.unscaled.Sign() || sign == 0 {
		return cmp.Compare(sign, o.unscaled.Sign())
	}
	own, other := new(big.Int).Abs(d.unscaled).String(), new(big.Int).Abs(o.unscaled).String()
	first := cmp.Compare(int64(len(own))-int64(d.scale), int64(len(other))-int64(o.scale))
	if first == 0 {
		first = strings.Compare(strings.TrimRight(own, "0"), strings.TrimRight(other, "0"))
	}
	return sign * first
}
