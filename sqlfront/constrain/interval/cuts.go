package interval

import (
	"bytes"
	"cmp"
	"math"

	"github.com/hbasekv/hbasekv/kv"
)

// Text is a cut between byte strings in unsigned byte order: just before b, or
// just after it, which is just before b followed by a zero byte.
type Text struct {
	Bytes []byte
	After bool
	End   bool // after all strings
}

// The spans and sets of byte strings.
type (
	TextSpan = Span[Text]
	Texts    = Set[Text]
)

// BeforeText is the cut just before a string.
func BeforeText(b []byte) Text { return Text{Bytes: NotNil(b)} }

// AfterText is the cut just after a string.
func AfterText(b []byte) Text { return Text{Bytes: NotNil(b), After: true} }

// NotNil keeps the empty string apart from the cut before all strings.
func NotNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (Text) last() Text { return Text{End: true} }

// Compare orders cuts.
func (c Text) Compare(o Text) int {
	if c.End || o.End {
		return compareBool(c.End, o.End)
	}
	return compareStrings(c.Bytes, c.After, o.Bytes, o.After)
}

// Appended is the string that the cut is just before; nil is after all strings.
func (c Text) Appended() []byte {
	switch {
	case c.End:
		return nil
	case c.After:
		return append(c.Bytes[:len(c.Bytes):len(c.Bytes)], 0)
	}
	return NotNil(c.Bytes)
}

// compareStrings orders a and b, each followed by a zero byte if its flag is true.
func compareStrings(a []byte, aZero bool, b []byte, bZero bool) int {
	order := bytes.Compare(a, b)
	switch {
	case order == 0:
		return compareBool(aZero, bZero)
	case order < 0 && aZero && IsNext(a, b):
		return compareBool(false, bZero)
	case order > 0 && bZero && IsNext(b, a):
		return compareBool(aZero, false)
	}
	return order
}

// IsNext reports whether b is a followed by a zero byte, which is the next string after a.
func IsNext(a, b []byte) bool {
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

// Successor is the cut after all strings that begin with prefix.
func Successor(prefix []byte) Text {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			next := bytes.Clone(prefix[:i+1])
			next[i]++
			return BeforeText(next)
		}
	}
	return Text{End: true}
}

// Moment is a cut between timestamps, in ascending order: just before t.
type Moment struct {
	Started bool // false: before all timestamps
	End     bool // after all timestamps
	t       int64
}

// The spans and sets of timestamps.
type (
	MomentSpan = Span[Moment]
	Moments    = Set[Moment]
)

// BeforeTime is the cut just before a timestamp.
func BeforeTime(t int64) Moment { return Moment{t: t, Started: t != math.MinInt64} }

// AfterTime is the cut just after a timestamp.
func AfterTime(t int64) Moment {
	if t == math.MaxInt64 {
		return Moment{End: true}
	}
	return BeforeTime(t + 1)
}

func (Moment) last() Moment { return Moment{End: true} }

// Compare orders moments.
func (m Moment) Compare(o Moment) int {
	if order := compareBool(m.End, o.End); order != 0 || m.End {
		return order
	}
	return cmp.Compare(m.First(), o.First())
}

// First is the first timestamp after the cut, which must not be the last one.
func (m Moment) First() int64 {
	if !m.Started {
		return math.MinInt64
	}
	return m.t
}

// Final is the last timestamp before the cut, which must not be the first one.
func (m Moment) Final() int64 {
	if m.End {
		return math.MaxInt64
	}
	return m.First() - 1
}

// Mirrored are the timestamps whose absolute values are in the set. The smallest timestamp has none; it
// counts as having the greatest.
func Mirrored(s Moments) Moments {
	if s == nil {
		return nil
	}
	var out []MomentSpan
	for _, each := range s {
		each.Lo = Later(each.Lo, BeforeTime(0))
		if each.Lo.Compare(each.Hi) >= 0 {
			continue
		}
		twin := MomentSpan{Hi: AfterTime(-each.Lo.First())}
		if !each.Hi.End {
			twin.Lo = BeforeTime(-each.Hi.Final())
		}
		out = append(out, each, twin)
	}
	return Normalize(out)
}

// Place is a cut in the order of a table's cells. The open Position with After set is after all cells; in a
// kv.Range it is the zero Position again.
type Place kv.Position

// The spans and sets of places.
type (
	PlaceSpan = Span[Place]
	Places    = Set[Place]
)

// BeforeRow is the place before a row.
func BeforeRow(row []byte) Place { return Place{Row: row, Depth: kv.DepthRow} }

// AfterRow is the place after a row.
func AfterRow(row []byte) Place { return Place{Row: row, Depth: kv.DepthRow, After: true} }

func (Place) last() Place { return Place{After: true} }

func (p Place) isLast() bool { return p.Depth == kv.DepthNone && p.After }

// Compare orders places by the cells between them: after a row is the same as before the next possible row,
// and so on.
func (p Place) Compare(o Place) int {
	if order := compareBool(p.isLast(), o.isLast()); order != 0 || p.isLast() {
		return order
	}
	if order := compareStrings(p.Row, p.AfterRow(), o.Row, o.AfterRow()); order != 0 {
		return order
	}
	if order := compareStrings(p.Column(), p.AfterColumn(), o.Column(), o.AfterColumn()); order != 0 {
		return order
	}
	return cmp.Compare(o.Newest(), p.Newest())
}

// AfterRow reports whether the place is after a whole row.
func (p Place) AfterRow() bool { return p.Depth == kv.DepthRow && p.After }

// Column is the qualifier that the place is at, nil if it is before or after a whole row.
func (p Place) Column() []byte {
	if p.Depth < kv.DepthColumn {
		return nil
	}
	return p.Qualifier
}

// AfterColumn reports whether the place is after all versions of its column.
func (p Place) AfterColumn() bool {
	return p.After && (p.Depth == kv.DepthColumn || p.Depth == kv.DepthCell && p.Timestamp == math.MinInt64)
}

// Newest is the newest timestamp after the place in its column.
func (p Place) Newest() int64 {
	switch {
	case p.Depth < kv.DepthCell || p.AfterColumn():
		return math.MaxInt64
	case p.After:
		return p.Timestamp - 1
	}
	return p.Timestamp
}

// Behind is the cut with b prepended.
func (c Text) Behind(b []byte) Text {
	switch {
	case c.End:
		return Successor(b)
	case c.Bytes == nil:
		return BeforeText(b)
	}
	return Text{Bytes: append(b[:len(b):len(b)], c.Bytes...), After: c.After}
}
