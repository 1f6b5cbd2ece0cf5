package text

import "github.com/hbasekv/hbasekv/sqlfront/collation"

// findWeighed is the first position at or after byte from of a text where as many bytes as the part has are
// equal to it, in time proportional to the lengths: it compares the hashes of the weights, and the texts only
// if these are equal.
func (s *search) findWeighed(by collation.Collation, b []byte, from int) (start int, err error) {
	want, got := newWeighed(by), newWeighed(by)
	got.base, got.inverse = want.base, want.inverse
	for part := s.part; len(part) > 0; {
		part = part[want.push(part):]
	}
	if err := s.meter.Step(4 * len(s.part)); err != nil {
		return -1, err
	}
	for lo, hi := from, from; ; {
		switch width := hi - lo; {
		case width == len(s.part) && got.sums == want.sums && by.EqualUnpadded(b[lo:hi], s.part):
			return lo, nil
		case hi < len(b) && width < len(s.part):
			hi += got.push(b[hi:])
		case hi == len(b) && width <= len(s.part):
			return -1, nil
		default:
			lo += got.drop(b[lo:])
		}
		if err := s.meter.Step(8); err != nil {
			return -1, err
		}
	}
}

// weighed is the hashes of the weights of some characters, level by level. Characters can be added at the end
// and removed at the beginning.
type weighed struct {
	rollingHash
	inverse uint64 // of the base
	by      collation.Collation
	sums    [3]uint64
	powers  [3]uint64 // of the base, by the number of weights
	weights []uint16
}

func newWeighed(by collation.Collation) *weighed {
	w := &weighed{rollingHash: newRollingHash(), by: by, powers: [3]uint64{1, 1, 1}}
	w.inverse = w.power(w.base, hashPrime-2)
	return w
}

// power is x to the n-th power.
func (h rollingHash) power(x, n uint64) uint64 {
	out := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			out = h.mul(out, x)
		}
		x = h.mul(x, x)
	}
	return out
}

// push adds the first character of a text, and returns its size.
func (w *weighed) push(text []byte) (size int) {
	for level := range w.by.Levels() {
		w.weights, size = w.by.AppendCharacter(w.weights[:0], text, level)
		for _, weight := range w.weights {
			w.sums[level] = w.rollingHash.push(w.sums[level], rune(weight))
			w.powers[level] = w.mul(w.powers[level], w.base)
		}
	}
	return size
}

// drop removes the oldest character, which text begins with.
func (w *weighed) drop(text []byte) (size int) {
	for level := range w.by.Levels() {
		w.weights, size = w.by.AppendCharacter(w.weights[:0], text, level)
		for _, weight := range w.weights {
			w.powers[level] = w.mul(w.powers[level], w.inverse)
			w.sums[level] = w.rollingHash.drop(w.sums[level], w.mul(w.powers[level], w.code(rune(weight))))
		}
	}
	return size
}
