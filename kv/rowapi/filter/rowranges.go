package filter

import (
	"bytes"
	"fmt"
	"slices"
)

type fuzzyEvaluator struct {
	hinter
	keys      []FuzzyKey
	reversed  bool
	out, done bool
}

// Open implements Filter.
func (f FuzzyRowFilter) Open(reversed bool) (Evaluator, error) {
	if len(f.Keys) == 0 {
		return nil, fmt.Errorf("%w: FuzzyRowFilter has no keys", ErrInvalid)
	}
	for _, k := range f.Keys {
		if len(k.Row) != len(k.Mask) {
			return nil, fmt.Errorf("%w: a key of FuzzyRowFilter has %d bytes, but its mask has %d", ErrInvalid, len(k.Row),
				len(k.Mask))
		}
	}
	return &fuzzyEvaluator{keys: f.Keys, reversed: reversed}, nil
}

func (e *fuzzyEvaluator) Reset()                   { e.out = false }
func (e *fuzzyEvaluator) FilterAllRemaining() bool { return e.done }
func (e *fuzzyEvaluator) FilterRow() bool          { return e.out }

// FilterCell gives a hint if rows ascend; in descending order each row is read.
func (e *fuzzyEvaluator) FilterCell(c *Cell) Code {
	for i := range e.keys {
		if e.keys[i].mismatch(c.Row) < 0 {
			return Include
		}
	}
	if e.out = true; e.reversed {
		return NextRow
	}
	return SeekNextUsingHint
}

func (e *fuzzyEvaluator) NextCellHint(c *Cell) Hint {
	var least []byte
	for i := range e.keys {
		if next := e.keys[i].next(c.Row); next != nil && (least == nil || bytes.Compare(next, least) < 0) {
			least = next
		}
	}
	e.done = least == nil
	return Hint{Row: least}
}

// mismatch returns the first position at which a row does not match the key, -1 if there is none.
func (k *FuzzyKey) mismatch(row []byte) int {
	for i := range min(len(row), len(k.Row)) {
		if k.fixed(i) && row[i] != k.Row[i] {
			return i
		}
	}
	return -1
}

// fixed reports whether a row must have the key's byte. Clients send masks of 0 and 1, or prepared ones
// of -1 and 2.
func (k *FuzzyKey) fixed(i int) bool { return k.Mask[i] == 0 || k.Mask[i] == 0xff }

// next returns the first row, from one on, that matches; nil if there is none.
func (k *FuzzyKey) next(row []byte) []byte {
	at := k.mismatch(row)
	if at < 0 {
		return row
	}
	if row[at] < k.Row[at] {
		return append(bytes.Clone(row[:at]), k.Row[at])
	}
	for i := at - 1; i >= 0; i-- {
		if !k.fixed(i) && row[i] < 0xff {
			return append(bytes.Clone(row[:i]), row[i]+1)
		}
	}
	return nil
}

type rangesEvaluator struct {
	hinter
	ranges   []RowRange // in the order of the scan
	reversed bool
	code     Code
	done     bool
	hint     []byte
}

// Open implements Filter.
func (f MultiRowRangeFilter) Open(reversed bool) (Evaluator, error) {
	if len(f.Ranges) == 0 {
		return nil, fmt.Errorf("%w: MultiRowRangeFilter has no ranges", ErrInvalid)
	}
	for i := range f.Ranges {
		if r := &f.Ranges[i]; !r.valid() {
			return nil, fmt.Errorf("%w: invalid range of MultiRowRangeFilter: from %q to %q", ErrInvalid, r.Start, r.Stop)
		}
	}
	ranges := merged(f.Ranges)
	if reversed {
		slices.Reverse(ranges)
	}
	return &rangesEvaluator{ranges: ranges, reversed: reversed}, nil
}

// merged returns the same rows as sorted, disjoint ranges.
func merged(all []RowRange) (out []RowRange) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b RowRange) int { return bytes.Compare(a.Start, b.Start) })
	for _, r := range sorted {
		if len(out) == 0 || !out[len(out)-1].join(&r) {
			out = append(out, r)
		}
	}
	return out
}

// join adds a range that does not start earlier, if there is no gap, and reports whether it did.
func (r *RowRange) join(o *RowRange) bool {
	gap := compareStops(r.Stop, o.Start)
	if len(r.Stop) > 0 && len(o.Start) > 0 && (gap < 0 || gap == 0 && !r.StopInclusive && !o.StartInclusive) {
		return false
	}
	if bytes.Equal(r.Start, o.Start) {
		r.StartInclusive = r.StartInclusive || o.StartInclusive
	}
	switch longer := compareStops(r.Stop, o.Stop); {
	case longer == 0:
		r.StopInclusive = r.StopInclusive || o.StopInclusive
	case longer < 0:
		r.Stop, r.StopInclusive = o.Stop, o.StopInclusive
	}
	return true
}

// compareStops compares ends; the empty one is the last.
func compareStops(a, b []byte) int {
	if len(a) == 0 || len(b) == 0 {
		return len(b) - len(a)
	}
	return bytes.Compare(a, b)
}

func (r *RowRange) valid() bool {
	order := bytes.Compare(r.Start, r.Stop)
	return len(r.Start) == 0 || len(r.Stop) == 0 || order < 0 || order == 0 && r.StartInclusive && r.StopInclusive
}

// from reports whether a row is not before the start; before reports whether it is not after the stop.
func (r *RowRange) from(row []byte) bool {
	order := bytes.Compare(row, r.Start)
	return len(r.Start) == 0 || order > 0 || order == 0 && r.StartInclusive
}

func (r *RowRange) before(row []byte) bool {
	order := bytes.Compare(row, r.Stop)
	return len(r.Stop) == 0 || order < 0 || order == 0 && r.StopInclusive
}

func (e *rangesEvaluator) FilterAllRemaining() bool { return e.done }
func (e *rangesEvaluator) FilterCell(*Cell) Code    { return e.code }
func (e *rangesEvaluator) NextCellHint(*Cell) Hint  { return Hint{Row: e.hint} }

// FilterRowKey drops the ranges that rows have passed, and checks whether the row is in the next one, or
// where that begins.
func (e *rangesEvaluator) FilterRowKey(row []byte) bool {
	goesOn, reached := (*RowRange).before, (*RowRange).from
	if e.reversed {
		goesOn, reached = reached, goesOn
	}
	for len(e.ranges) > 0 && !goesOn(&e.ranges[0], row) {
		e.ranges = e.ranges[1:]
	}
	switch e.done = len(e.ranges) == 0; {
	case e.done:
		e.code = NextRow
	case reached(&e.ranges[0], row):
		e.code = Include
	case e.reversed:
		e.code, e.hint = SeekNextUsingHint, e.ranges[0].Stop
	default:
		e.code, e.hint = SeekNextUsingHint, e.ranges[0].Start
	}
	return false
}
