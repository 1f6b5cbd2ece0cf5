package aggregate

import "math"

// doubleSum is a sum of doubles that is rounded once, at the end, so that it depends neither on
// their order nor on how they were divided. It is one double while no addition rounds, as with
// whole numbers, and then a few doubles whose digits do not overlap (J. R. Shewchuk, Adaptive
// Precision Floating-Point Arithmetic, 1997). This takes less memory than an exactSum for each
// group.
type doubleSum struct {
	high float64   // the largest part
	rest []float64 // the others, ascending
	// huge replaces these if they might overflow.
	huge *exactSum
}

// hugeDouble is the size from which an exactSum is used.
const hugeDouble = 0x1p1000

// twoSum returns the rounded sum, and the rounding error.
func twoSum(a, b float64) (sum, lost float64) {
	sum = a + b
	c := sum - a
	return sum, (a - (sum - c)) + (b - c)
}

// add adds x, which is finite.
func (s *doubleSum) add(x float64) {
	if s.huge == nil && (math.Abs(x) > hugeDouble || math.Abs(s.high) > hugeDouble) {
		s.grow()
	}
	if s.huge != nil {
		s.huge.add(x)
		return
	}
	kept := s.rest[:0]
	for _, y := range s.rest {
		sum, lost := twoSum(x, y)
		if lost != 0 {
			kept = append(kept, lost)
		}
		x = sum
	}
	sum, lost := twoSum(x, s.high)
	if lost != 0 {
		kept = append(kept, lost)
	}
	s.high, s.rest = sum, kept
}

func (s *doubleSum) grow() {
	s.huge = &exactSum{}
	s.huge.add(s.high)
	for _, x := range s.rest {
		s.huge.add(x)
	}
	s.high, s.rest = 0, nil
}

func (s *doubleSum) combine(o *doubleSum) {
	if o.huge != nil {
		if s.huge == nil {
			s.grow()
		}
		s.huge.combine(o.huge)
		return
	}
	s.add(o.high)
	for _, x := range o.rest {
		s.add(x)
	}
}

// float is the double nearest to the sum.
func (s *doubleSum) float() float64 {
	if s.huge != nil {
		return s.huge.float()
	}
	high, lost, i := s.high, 0.0, len(s.rest)
	for i > 0 && lost == 0 {
		i--
		high, lost = twoSum(high, s.rest[i])
	}
	// What was lost is at most half of the last digit; if it is exactly half, the next part
	// decides.
	if i > 0 && lost != 0 && (lost < 0) == (s.rest[i-1] < 0) {
		if more, behind := twoSum(high, 2*lost); behind == 0 && more-high == 2*lost {
			return more
		}
	}
	return high
}
