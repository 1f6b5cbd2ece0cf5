package constrain

import (
	"bytes"
	"cmp"
	"math"

	"github.com/hbasekv/hbasekv/kv"
)

// text is a cut between byte strings in unsigned byte order: just before b, or
// just after it, which is just before b followed by a zero byte.
type text struct {
	b     []byte
	after bool
	end   bool // behind all strings
}

func beforeText(b []byte) text { return text{b: notNil(b)} }
func afterText(b []byte) text  { return text{b: notNil(b), after: true} }

// notNil keeps the empty string apart from the cut before all strings.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (text) last() text { return text{end: true} }

func (c text) compare(o text) int {
	if c.end || o.end {
		return compareBool(c.end, o.end)
	}
	return compareStrings(c.b, c.after, o.b, o.after)
}

// appended is the cut as the string that it is just before; nil is behind all
// strings.
func (c text) appended() []byte {
	switch {
	case c.end:
		return nil
	case c.after:
		return append(c.b[:len(c.b):len(c.b)], 0)
	}
	return notNil(c.b)
}

// compareStrings orders a and b, each followed by a zero byte where the flag
// beside it is true.
func compareStrings(a []byte, aZero bool, b []byte, bZero bool) int {
	order := bytes.Compare(a, b)
	switch {
	case order == 0:
		return compareBool(aZero, bZero)
	case order < 0 && aZero && isNext(a, b):
		return compareBool(false, bZero)
	case order > 0 && bZero && isNext(b, a):
		return compareBool(aZero, false)
	}
	return order
}

// isNext reports whether b is a followed by a zero byte, the string next to a.
func isNext(a, b []byte) bool {
	return len(b) == len(a)+1 && b[len(a)] == 0 && bytes.HasPrefix(b, a)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// successor is the cut behind all strings that begin with prefix.
func successor(prefix []byte) text {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			next := bytes.Clone(prefix[:i+1])
			next[i]++
			return beforeText(next)
		}
	}
	return text{end: true}
}

// moment is a cut between timestamps, in ascending order: just before t.
type moment struct {
	started bool // false: before all timestamps
	end     bool // behind all timestamps
	t       int64
}

func beforeTime(t int64) moment { return moment{t: t, started: t != math.MinInt64} }

func afterTime(t int64) moment {
	if t == math.MaxInt64 {
		return moment{end: true}
	}
	return beforeTime(t + 1)
}

func (moment) last() moment { return moment{end: true} }

func (m moment) compare(o moment) int {
	if order := compareBool(m.end, o.end); order != 0 || m.end {
		return order
	}
	return cmp.Compare(m.first(), o.first())
}

// first is the first timestamp behind the cut, which is not the last one.
func (m moment) first() int64 {
	if !m.started {
		return math.MinInt64
	}
	return m.t
}

// final is the last timestamp before the cut, which is not the first one.
func (m moment) final() int64 {
	if m.end {
		return math.MaxInt64
	}
	return m.first() - 1
}

// mirrored is the timestamps whose absolute values are in the set. The smallest
// timestamp has none; it is taken for one with the greatest.
func mirrored(s set[moment]) set[moment] {
	if s == nil {
		return nil
	}
	var out []span[moment]
	for _, each := range s {
		each.lo = later(each.lo, beforeTime(0))
		if each.lo.compare(each.hi) >= 0 {
			continue
		}
		twin := span[moment]{hi: afterTime(-each.lo.first())}
		if !each.hi.end {
			twin.lo = beforeTime(-each.hi.final())
		}
		out = append(out, each, twin)
	}
	return normalize(out)
}

// place is a cut in the order of a table's cells. The open Position with After
// set is behind all cells; in a kv.Range it is the zero Position again.
type place kv.Position

func beforeRow(row []byte) place { return place{Row: row, Depth: kv.DepthRow} }
func afterRow(row []byte) place  { return place{Row: row, Depth: kv.DepthRow, After: true} }

func (place) last() place { return place{After: true} }

func (p place) isLast() bool { return p.Depth == kv.DepthNone && p.After }

// compare orders places by what lies between them: after a row is the same as
// before the next possible row, and so on.
func (p place) compare(o place) int {
	if order := compareBool(p.isLast(), o.isLast()); order != 0 || p.isLast() {
		return order
	}
	if order := compareStrings(p.Row, p.afterRow(), o.Row, o.afterRow()); order != 0 {
		return order
	}
	if order := compareStrings(p.qualifier(), p.afterColumn(), o.qualifier(), o.afterColumn()); order != 0 {
		return order
	}
	return cmp.Compare(o.newest(), p.newest())
}

func (p place) afterRow() bool { return p.Depth == kv.DepthRow && p.After }

func (p place) qualifier() []byte {
	if p.Depth < kv.DepthColumn {
		return nil
	}
	return p.Qualifier
}

func (p place) afterColumn() bool {
	return p.After && (p.Depth == kv.DepthColumn || p.Depth == kv.DepthCell && p.Timestamp == math.MinInt64)
}

// newest is the newest timestamp behind the place in its column.
func (p place) newest() int64 {
	switch {
	case p.Depth < kv.DepthCell || p.afterColumn():
		return math.MaxInt64
	case p.After:
		return p.Timestamp - 1
	}
	return p.Timestamp
}
