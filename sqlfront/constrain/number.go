package constrain

import (
	"encoding/binary"
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// number is a way to parse numbers from strings. Each number has a place in their order, an integer from
// least to most.
type number struct {
	least, most int64
	// at gives the number at a place.
	at func(place int64) value.Value
	// whole says that these are integers, whose places are their values, with the sign bit flipped for
	// unsigned ones.
	whole, unsigned bool
	// strings appends spans with all strings of the numbers from the place first to last.
	strings func(out []interval.TextSpan, first, last int64) []interval.TextSpan
}

// counted is the key of the number that is parsed from the string.
func (k key) counted(n *number) key {
	k.number, k.text, k.loose = n, false, true
	return k
}

// numberKey recognizes a call that parses a number from a binary string.
func (d *deriver) numberKey(c *expr.Call, n *number) (key, bool) {
	k, ok := d.bytesKey(c.Args[0])
	return k.counted(n), ok
}

// The fixed-size encodings of numbers.
var (
	longBytes     = wholeBytes(8, twosComplement)
	intBytes      = wholeBytes(4, twosComplement)
	shortBytes    = wholeBytes(2, twosComplement)
	sortableBytes = wholeBytes(8, sortedBytes)
	reversedBytes = wholeBytes(8, backwards)

	doubleBytes = number{least: -infinite + 1, most: infinite - 1, at: doubleAt,
		strings: func(out []interval.TextSpan, first, last int64) []interval.TextSpan {
			return floats(8, out, first, last)
		}}
	floatBytes = number{least: -infinite32 + 1, most: infinite32 - 1, at: floatAt,
		strings: func(out []interval.TextSpan, first, last int64) []interval.TextSpan {
			return floats(4, out, first, last)
		}}
	booleanByte = number{least: 0, most: 1, at: value.NewInt, whole: true, strings: booleans}
)

// wholeBytes are integers of a fixed size; pieces appends them in the order of their bytes.
func wholeBytes(
	size int, pieces func(size int, out []interval.TextSpan, first, last int64) []interval.TextSpan,
) number {
	most := int64(math.MaxInt64 >> (64 - 8*size))
	return number{least: -most - 1, most: most, at: value.NewInt, whole: true,
		strings: func(out []interval.TextSpan, first, last int64) []interval.TextSpan {
			return pieces(size, out, first, last)
		}}
}

// bytesFrom is the span of the strings of size bytes from first to last, as unsigned big-endian
// numbers.
func bytesFrom(size int, first, last uint64) interval.TextSpan {
	b := binary.BigEndian.AppendUint64(nil, first)
	e := binary.BigEndian.AppendUint64(nil, last)
	return interval.TextSpan{Lo: interval.BeforeText(b[8-size:]), Hi: interval.AfterText(e[8-size:])}
}

// twosComplement orders the negative numbers after the others.
func twosComplement(size int, out []interval.TextSpan, first, last int64) []interval.TextSpan {
	if last >= 0 {
		out = append(out, bytesFrom(size, uint64(max(first, 0)), uint64(last)))
	}
	if first < 0 {
		out = append(out, bytesFrom(size, uint64(first), uint64(min(last, -1))))
	}
	return out
}

func sortedBytes(size int, out []interval.TextSpan, first, last int64) []interval.TextSpan {
	return append(out, bytesFrom(size, uint64(first)^1<<63, uint64(last)^1<<63))
}

// backwards orders the greatest number first.
func backwards(size int, out []interval.TextSpan, first, last int64) []interval.TextSpan {
	return append(out, bytesFrom(size, uint64(math.MaxInt64)-uint64(last), uint64(math.MaxInt64)-uint64(first)))
}

// booleans are encoded as the zero byte for false, and any other byte for true.
func booleans(out []interval.TextSpan, first, last int64) []interval.TextSpan {
	if first == 0 {
		out = append(out, only([]byte{0}))
	}
	if last == 1 {
		out = append(out, interval.TextSpan{Lo: interval.BeforeText([]byte{1}), Hi: interval.Text{End: true}})
	}
	return out
}

// The places of the infinite doubles and floats, which are their bits. The place of -0 is 0 as well.
const (
	infinite   = 0x7FF << 52
	infinite32 = 0xFF << 23
)

func doubleAt(place int64) value.Value {
	return value.NewFloat(math.Float64frombits(bitsOf(place, 1<<63)))
}

func floatAt(place int64) value.Value {
	return value.NewFloat(float64(math.Float32frombits(uint32(bitsOf(place, 1<<31)))))
}

// bitsOf are the bits of the floating-point number at a place, with the given sign bit.
func bitsOf(place int64, sign uint64) uint64 {
	if place < 0 {
		return uint64(-place) | sign
	}
	return uint64(place)
}

// floats are the floating-point numbers of size bytes: the negative ones are after the others, beginning with
// the one nearest to 0.
func floats(size int, out []interval.TextSpan, first, last int64) []interval.TextSpan {
	sign := uint64(1) << (8*size - 1)
	if last >= 0 {
		out = append(out, bytesFrom(size, uint64(max(first, 0)), uint64(last)))
	}
	if first <= 0 {
		out = append(out, bytesFrom(size, bitsOf(min(last, 0), sign)|sign, bitsOf(first, sign)|sign))
	}
	return out
}

// numbers are spans with all strings whose numbers satisfy `number op v`, where v is the value of r. ok is
// false if nothing is known about them.
func (d *deriver) numbers(op expr.CompareOp, n *number, v value.Value, r expr.Node) (s interval.Texts, ok bool) {
	lo, hi, ok := d.placeCuts(n, v, r)
	if !ok {
		return nil, false
	}
	return n.of(pick(op, lo, hi)), true
}

// of are spans with all strings of the numbers at the places.
func (n *number) of(places interval.Moments) interval.Texts {
	places = places.Intersect(interval.Between(interval.BeforeTime(n.least), interval.AfterTime(n.most)))
	if places == nil {
		places = interval.Moments{{Hi: interval.Moment{End: true}}}
	}
	out := make([]interval.TextSpan, 0, len(places))
	for _, each := range places {
		out = n.strings(out, each.Lo.First(), each.Hi.Final())
	}
	return interval.Normalize(out)
}

// numbersBetween is the scan range of a number between the value lo of n.Lo and the value hi of n.Hi.
func (d *deriver) numbersBetween(k *key, n *expr.Between, lo, hi value.Value) scanRange {
	from, _, ok := d.placeCuts(k.number, lo, n.Lo)
	_, to, both := d.placeCuts(k.number, hi, n.Hi)
	if !ok || !both {
		return unknown()
	}
	return ofText(k, k.sources(k.number.of(interval.Between(from, to))))
}

// placeCuts are the cuts around the places of the numbers that equal v, the value of r.
func (d *deriver) placeCuts(n *number, v value.Value, r expr.Node) (lo, hi interval.Moment, ok bool) {
	switch kind := v.Kind(); {
	case !v.IsString() && !kind.IsNumber():
		return lo, hi, false
	case n.whole && (kind == value.Int || kind == value.Uint):
		lo, hi = integerCuts(v, n.unsigned)
		return lo, hi, true
	}
	if lo, ok = d.searchNumber(expr.Ge, n, r); ok {
		hi, ok = d.searchNumber(expr.Gt, n, r)
	}
	return lo, hi, ok
}

// integerCuts are the cuts around the place of an integer.
func integerCuts(v value.Value, unsigned bool) (lo, hi interval.Moment) {
	switch {
	case !unsigned && v.Kind() == value.Int:
		return interval.BeforeTime(v.Int()), interval.AfterTime(v.Int())
	case unsigned && v.Kind() == value.Int && v.Int() < 0:
		return interval.Moment{}, interval.Moment{}
	case unsigned:
		place := int64(v.AsUint() ^ signBit)
		return interval.BeforeTime(place), interval.AfterTime(place)
	case v.Uint() > math.MaxInt64:
		return interval.Moment{End: true}, interval.Moment{End: true}
	}
	return interval.BeforeTime(int64(v.Uint())), interval.AfterTime(int64(v.Uint()))
}

// searchNumber is the cut before the place of the first number for which `number op r` is true.
func (d *deriver) searchNumber(op expr.CompareOp, n *number, r expr.Node) (interval.Moment, bool) {
	env := d.quietEnv()
	return search(n.least, n.most, func(place int64) (bool, error) {
		return expr.Holds(&expr.Compare{Op: op, L: &expr.Const{V: n.at(place)}, R: r}, env)
	})
}

// search is the cut before the first integer for which holds is true; holds must be monotonic.
func search(least, most int64, holds func(int64) (bool, error)) (interval.Moment, bool) {
	switch ok, err := holds(most); {
	case err != nil:
		return interval.Moment{}, false
	case !ok:
		return interval.Moment{End: true}, true
	}
	// Shifted by half of their range, the integers are in the order of unsigned ones.
	const sign = 1 << 63
	lo, hi := uint64(least)^sign, uint64(most)^sign
	for lo < hi {
		mid := lo + (hi-lo)/2
		ok, err := holds(int64(mid ^ sign))
		switch {
		case err != nil:
			return interval.Moment{}, false
		case ok:
			hi = mid
		default:
			lo = mid + 1
		}
	}
	return interval.BeforeTime(int64(lo ^ sign)), true
}
