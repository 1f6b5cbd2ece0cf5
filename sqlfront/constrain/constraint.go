package constrain

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// View says from which versions of a cell the rows come. The zero View shows the newest version, or the
// newest few.
type View struct {
	// AllVersions says that the view shows all versions in Time.
	AllVersions bool
	// Opaque says that it is not known how versions are chosen: no condition on T can be pushed down.
	Opaque bool
	// Time is the view's own range of timestamps, which is applied before the newest versions are
	// picked.
	Time kv.TimeRange
}

// Constraint is the part of WHERE that a scan of the store evaluates, and the remaining filter. Its first
// fields are those of kv.Scan.
type Constraint struct {
	// Ranges are sorted, disjoint, not empty, and do not touch; nil is the
	// whole table. For a table group's virtual table their ends are rows.
	Ranges []kv.Range
	// Qualifiers are sorted, disjoint, not empty, and do not touch; nil is all.
	Qualifiers []kv.QualifierRange
	// Time is the view's range, restricted by WHERE as far as that is allowed.
	Time kv.TimeRange
	// Times are sorted, disjoint ranges with the timestamps of all that the scan has to read, if
	// Columns.Sliced asked for it and they are more exact than Time; else nil.
	Times []kv.TimeRange
	// Families are ordinals in Columns.Families, ascending; nil is all.
	Families []int
	// Remaining is the condition that rows of the scan must still satisfy; nil if there is none.
	Remaining expr.Node
	// Contradiction says that no row can satisfy WHERE. Ranges is then empty.
	Contradiction bool

	familyNames []string // of Families, for printing
}

// Access is the class of what a constraint reads.
type Access uint8

// String is a word for the class.
func (a Access) String() string {
	return [...]string{"none", "const", "ref", "range", "full"}[a]
}

// The classes of access, from none to everything; EXPLAIN has MySQL's words
// for them (https://dev.mysql.com/doc/refman/5.7/en/explain-output.html#explain-join-types).
const (
	AccessNone  Access = iota // nothing: the condition is never true
	AccessConst               // one column of one row
	AccessRef                 // known rows, or known columns of them
	AccessRange               // ranges of rows
	AccessFull                // all rows
)

// Access is the class of what the constraint reads.
func (c *Constraint) Access() Access {
	switch {
	case c.Contradiction, c.Ranges != nil && len(c.Ranges) == 0:
		return AccessNone
	case c.Ranges == nil:
		return AccessFull
	}
	for _, r := range c.Ranges {
		if _, ok := rowOf(spanOf(r)); !ok {
			return AccessRange
		}
	}
	if _, _, ok := columnOf(spanOf(c.Ranges[0])); ok && len(c.Ranges) == 1 {
		return AccessConst
	}
	return AccessRef
}

// RowRanges are the ranges of rows that Ranges touch, sorted and disjoint, for partition pruning.
func (c *Constraint) RowRanges() []partition.RowRange {
	if c.Ranges == nil {
		return []partition.RowRange{{}}
	}
	out := make([]partition.RowRange, 0, len(c.Ranges))
	for _, r := range c.Ranges {
		start, end := firstRow(r.Start), endRow(r.End)
		if n := len(out); n > 0 && (out[n-1].End == nil || bytes.Compare(start, out[n-1].End) <= 0) {
			out[n-1].End = end
			continue
		}
		out = append(out, partition.RowRange{Start: start, End: end})
	}
	return out
}

// firstRow is the first row that may have cells after a range's start.
func firstRow(p kv.Position) []byte {
	if p.Depth == kv.DepthRow && p.After {
		return interval.AfterText(p.Row).Appended()
	}
	return p.Row
}

// endRow is the row before which all rows with cells before a range's end are; nil is open-ended.
func endRow(p kv.Position) []byte {
	switch {
	case p.Depth == kv.DepthNone:
		return nil
	case p.Depth == kv.DepthRow && !p.After:
		return interval.BeforeText(p.Row).Appended()
	}
	return interval.AfterText(p.Row).Appended()
}

func spanOf(r kv.Range) interval.PlaceSpan {
	s := interval.PlaceSpan{Lo: interval.Place(r.Start), Hi: interval.Place(r.End)}
	if r.End.Depth == kv.DepthNone {
		s.Hi.After = true
	}
	return s
}

func rangeOf(s interval.PlaceSpan) kv.Range {
	r := kv.Range{Start: kv.Position(s.Lo), End: kv.Position(s.Hi)}
	if r.End.Depth == kv.DepthNone {
		r.End = kv.Position{}
	}
	return r
}

func qualifierRange(s interval.TextSpan) kv.QualifierRange {
	q := kv.QualifierRange{End: s.Hi.Appended()}
	if s.Lo.Bytes != nil {
		q.Start = s.Lo.Appended()
	}
	return q
}
