package aggregate

import (
	"math"
	"math/big"
	"math/bits"
)

// exactSum is a sum of doubles without rounding: what was added can be subtracted again. Its digits
// have 32 bits and weigh 2^-1074 and upwards; each has room for the carries of many additions.
type exactSum struct {
	digits [sumDigits]int64
	adds   int
	// low and high limit the digits that may not be zero: from low to below high.
	low, high int
}

const (
	smallestExponent = -1074
	digitBits        = 32
	digitMask        = 1<<digitBits - 1
	// sumDigits are enough for 2^60 times the greatest double.
	sumDigits = (1024-smallestExponent)/digitBits + 3
	// maxAdds avoids an overflow of a digit of 63 bits.
	maxAdds = 1 << 29
)

// add adds x, which is finite.
func (s *exactSum) add(x float64) {
	if x == 0 {
		return
	}
	b := math.Float64bits(x)
	mantissa, exponent := b&(1<<52-1), int(b>>52&0x7FF)
	if exponent == 0 {
		exponent = 1
	} else {
		mantissa |= 1 << 52
	}
	place := exponent - 1
	at := place / digitBits
	high, low := bits.Mul64(mantissa, 1<<(place%digitBits))
	d := s.digits[at : at+3]
	if x < 0 {
		d[0] -= int64(low & digitMask)
		d[1] -= int64(low >> digitBits)
		d[2] -= int64(high)
	} else {
		d[0] += int64(low & digitMask)
		d[1] += int64(low >> digitBits)
		d[2] += int64(high)
	}
	if s.low == s.high {
		s.low, s.high = at, at+3
	}
	s.low, s.high = min(s.low, at), max(s.high, at+3)
	if s.adds++; s.adds == maxAdds {
		s.carry()
	}
}

func (s *exactSum) combine(o *exactSum) {
	s.carry()
	o.carry()
	if o.low == o.high {
		return
	}
	for i := o.low; i < o.high; i++ {
		s.digits[i] += o.digits[i]
	}
	if s.low == s.high {
		s.low, s.high = o.low, o.high
	}
	s.low, s.high = min(s.low, o.low), max(s.high, o.high)
}

// carry brings all digits except the highest into the range from 0 to below 2^32.
func (s *exactSum) carry() {
	s.adds = 0
	if s.low == s.high {
		return
	}
	rest := int64(0)
	for i := s.low; i < sumDigits-1; i++ {
		if i >= s.high && (rest == 0 || rest == -1 && i > s.high) {
			break
		}
		d := s.digits[i] + rest
		s.digits[i], rest = d&digitMask, d>>digitBits
		s.high = max(s.high, i+1)
	}
	if rest != 0 {
		s.digits[s.high-1] += rest << digitBits // the sign stays in the highest digit
	}
	for s.high > s.low && s.digits[s.high-1] == 0 {
		s.high--
	}
	for s.low < s.high && s.digits[s.low] == 0 {
		s.low++
	}
}

// magnitude is the sum without its sign: digits from 0 to below 2^32, the first of
// which weighs 2^(32*low - 1074).
func (s *exactSum) magnitude() (m exactSum, negative bool) {
	s.carry()
	m = *s
	if m.low == m.high || m.digits[m.high-1] >= 0 {
		return m, false
	}
	for i := m.low; i < m.high; i++ {
		m.digits[i] = -m.digits[i]
	}
	m.carry()
	return m, true
}

// float is the double nearest to the sum.
func (s *exactSum) float() float64 {
	m, negative := s.magnitude()
	if m.low == m.high {
		return 0
	}
	top, exponent, sticky := uint64(0), 0, false
	used := 0
	for i := m.high - 1; i >= m.low; i-- {
		d := uint64(m.digits[i])
		switch {
		case used == 0:
			top, used = d, bits.Len64(d)
			exponent = i * digitBits
		case used+digitBits <= 64:
			top, used, exponent = top<<digitBits|d, used+digitBits, i*digitBits
		case used < 64:
			room := 64 - used
			top = top<<room | d>>(digitBits-room)
			sticky = sticky || d<<(64-digitBits+room) != 0
			exponent, used = i*digitBits+digitBits-room, 64
		default:
			sticky = sticky || d != 0
		}
	}
	if sticky {
		top |= 1
	}
	f := math.Ldexp(float64(top), exponent+smallestExponent)
	if negative {
		return -f
	}
	return f
}

// bigPrecision is enough for a difference of products of sums: for doubles that are not all equal,
// it shows in fewer bits.
const bigPrecision = 320

// big returns the sum with bigPrecision bits.
func (s *exactSum) big() *big.Float {
	m, negative := s.magnitude()
	out := new(big.Float).SetPrec(bigPrecision)
	if m.low == m.high {
		return out
	}
	from := max(m.low, m.high-bigPrecision/digitBits)
	n, digit := new(big.Int), new(big.Int)
	for i := m.high - 1; i >= from; i-- {
		n.Lsh(n, digitBits)
		n.Or(n, digit.SetInt64(m.digits[i]))
	}
	out.SetInt(n)
	out.SetMantExp(out, from*digitBits+smallestExponent)
	if negative {
		out.Neg(out)
	}
	return out
}
