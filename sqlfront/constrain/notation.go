package constrain

import (
	"math"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// String is the constraint in one line: what is read and, after `filter:`, the remaining condition.
// Dimensions without a restriction are not printed.
func (c *Constraint) String() string {
	if c.Contradiction {
		return "contradiction"
	}
	parts := []string{"spans: " + FormatRanges(c.Ranges)}
	if c.Qualifiers != nil {
		parts = append(parts, "qualifiers: "+FormatQualifiers(c.Qualifiers))
	}
	if c.Time.Bounded {
		parts = append(parts, "time: "+FormatTime(c.Time))
	}
	if c.Times != nil {
		parts = append(parts, "times: "+formatAll(c.Times, FormatTime))
	}
	if c.Families != nil {
		parts = append(parts, "families: "+strings.Join(c.familyNames, " "))
	}
	if c.Remaining != nil {
		parts = append(parts, "filter: "+expr.Print(c.Remaining))
	}
	return strings.Join(parts, "; ")
}

// FormatRanges prints key spans one after the other; nil is [ - ], the whole table.
func FormatRanges(ranges []kv.Range) string {
	if ranges == nil {
		return FormatRange(kv.Range{})
	}
	return formatAll(ranges, FormatRange)
}

// FormatRange prints a key span as [start - end], with a round bracket at an excluded end:
//
//	[/'a' - /'b')                row a and all before row b
//	[/'a' - /'a']                row a
//	[/'a'/'q' - /'a'/'q']        column q of row a, all versions
//	[/'a'/'q'/9 - /'a'/'q'/5]    its versions with 9 >= T >= 5, newest first
//	(/'a'/'q' - ]                all after column q of row a
//	[ - ]                        everything
//
// Bytes are printed as SQL literals, 0x.. if they are not text. A version follows its column, newer ones
// before older ones.
func FormatRange(r kv.Range) string {
	open, shut := "[", ")"
	if r.Start.After {
		open = "("
	}
	if r.End.After || r.End.Depth == kv.DepthNone {
		shut = "]"
	}
	return open + formatPosition(r.Start) + " - " + formatPosition(r.End) + shut
}

func formatPosition(p kv.Position) string {
	var b strings.Builder
	if p.Depth >= kv.DepthRow {
		b.WriteString("/" + formatBytes(p.Row))
	}
	if p.Depth >= kv.DepthColumn {
		b.WriteString("/" + formatBytes(p.Qualifier))
	}
	if p.Depth >= kv.DepthCell {
		b.WriteString("/" + strconv.FormatInt(p.Timestamp, 10))
	}
	return b.String()
}

// FormatQualifiers prints qualifier ranges as FormatRange does, without the slash.
func FormatQualifiers(ranges []kv.QualifierRange) string {
	return formatAll(ranges, formatQualifierRange)
}

func formatQualifierRange(q kv.QualifierRange) string {
	if interval.IsNext(q.Start, q.End) {
		return "[" + formatBytes(q.Start) + " - " + formatBytes(q.Start) + "]"
	}
	open, shut := "[", ")"
	start, end := "", ""
	if q.Start != nil {
		b, after := shorten(q.Start)
		if start = formatBytes(b); after {
			open = "("
		}
	}
	if q.End == nil {
		shut = "]"
	} else {
		b, after := shorten(q.End)
		if end = formatBytes(b); after {
			shut = "]"
		}
	}
	return open + start + " - " + end + shut
}

// shorten removes the trailing zero byte of a string that is the successor of another.
func shorten(b []byte) ([]byte, bool) {
	if n := len(b); n > 0 && b[n-1] == 0 {
		return b[:n-1], true
	}
	return b, false
}

// FormatTime prints a range of timestamps, both ends included; an end at the limit of int64 is omitted.
func FormatTime(t kv.TimeRange) string {
	first, last := "", ""
	if t.Bounded && t.Min != math.MinInt64 {
		first = strconv.FormatInt(t.Min, 10)
	}
	if t.Bounded && t.Max != math.MaxInt64 {
		last = strconv.FormatInt(t.Max, 10)
	}
	return "[" + first + " - " + last + "]"
}

func formatBytes(b []byte) string {
	return expr.Print(&expr.Const{V: value.NewBytes(b)})
}

func formatAll[T any](items []T, format func(T) string) string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = format(item)
	}
	return strings.Join(out, " ")
}
