package infoschema

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// levelText is the text of one level of a table's partitioning.
type levelText struct {
	method  string
	columns []string
	// names and bounds are those of a range, in parallel; a hash has count partitions.
	names, bounds []string
	count         int
	hidden        map[int]bool // indexes of bounds that must not be shown
}

// levelTexts are the texts of the partitions and of the subpartitions; below is nil if there are none, and
// both are without PARTITION BY. Bounds that the store has taken from rows are keys: only accounts that may
// read the table see them.
func (i *Information) levelTexts(a *rights.Authority, t *kv.Table) (outer, below *levelText) {
	s := t.Partitioning
	if s.Method() != partition.None {
		outer = rowLevel(t)
		if finder, ok := i.store.(kv.BoundsFinder); ok && !mayReadKeys(a, t) {
			outer.hide(t, finder.FoundBounds(t))
		}
	}
	if s.Slices() == nil {
		return outer, nil
	}
	below = timeLevel(t)
	if outer == nil || s.Slices().Outer {
		outer, below = below, outer
	}
	return outer, below
}

func rowLevel(t *kv.Table) *levelText {
	if schema.Of(t).Typed != nil {
		return typedLevel(t)
	}
	column := t.PartitionColumn
	if column == "" {
		column = schema.Of(t).ColumnNames()[0]
	}
	if t.Partitioning.Method() != partition.Range {
		return &levelText{method: "KEY", columns: []string{column}, count: t.Partitioning.Len()}
	}
	out := &levelText{method: "RANGE COLUMNS", columns: []string{column}}
	for i := range t.Partitioning.Len() {
		bound := maxValue
		if end := t.Partitioning.Bounds(i).End; end != nil {
			bound = lex.QuoteBytes(end)
		}
		out.names, out.bounds = append(out.names, t.Partitioning.Name(i)), append(out.bounds, bound)
	}
	return out
}

// typedLevel is rowLevel for the family of a typed table. A partition that was split at a row over other
// columns too, as the store does it, is shown as before the split.
func typedLevel(t *kv.Table) *levelText {
	face, err := typed.Of(t)
	if err != nil {
		return &levelText{method: "KEY", count: t.Partitioning.Len()} // it cannot be read, as its columns show
	}
	out, n := &levelText{method: "KEY", count: t.Partitioning.Len()}, face.PartitionColumns(t)
	for _, at := range face.Key[:n] {
		out.columns = append(out.columns, face.Columns[at].Name)
	}
	if t.Partitioning.Method() != partition.Range {
		return out
	}
	out.method = "RANGE COLUMNS"
	for i := range t.Partitioning.Len() {
		bound, ok := boundText(face, n, t.Partitioning.Bounds(i).End)
		if out.names, out.bounds = append(out.names, t.Partitioning.Name(i)), append(out.bounds, bound); !ok {
			out.hideBound(i)
		}
	}
	return out
}

// boundText is a bound as a literal for each of the columns, false if it is over others.
func boundText(face *typed.Table, columns int, bound []byte) (string, bool) {
	texts := slices.Repeat([]string{maxValue}, columns)
	if bound == nil {
		return strings.Join(texts, ","), true
	}
	first, ok := face.Bounded(columns, bound)
	for i, v := range first {
		switch base := face.Columns[face.Key[i]].Type.Base; {
		case base.IsInteger(), base == coltype.Year:
			texts[i] = v.String()
		case base.IsBytes():
			texts[i] = lex.QuoteBytes(v.Raw())
		default:
			texts[i] = lex.QuoteString(v.String())
		}
	}
	return strings.Join(texts, ","), ok
}

func timeLevel(t *kv.Table) *levelText {
	times := t.Partitioning.Slices()
	out := &levelText{method: "RANGE COLUMNS", names: times.Names}
	if schema.Of(t).TimeColumn != nil {
		out.columns = []string{schema.Of(t).TimeColumn.Name}
	}
	for _, bound := range times.Upper {
		out.bounds = append(out.bounds, strconv.FormatInt(bound, 10))
	}
	if times.Max {
		out.bounds = append(out.bounds, maxValue)
	}
	return out
}

// hide removes these bounds from a range.
func (l *levelText) hide(t *kv.Table, found [][]byte) {
	for i := range l.bounds {
		end := t.Partitioning.Bounds(i).End
		if end != nil && slices.ContainsFunc(found, func(b []byte) bool { return bytes.Equal(b, end) }) {
			l.hideBound(i)
		}
	}
}

func (l *levelText) hideBound(i int) {
	if l.hidden == nil {
		l.hidden = map[int]bool{}
	}
	l.hidden[i] = true
}

const maxValue = "MAXVALUE"

// bound is the bound in VALUES LESS THAN; only a range has one.
func (l *levelText) bound(i int) (string, bool) {
	if l == nil || l.bounds == nil || l.hidden[i] {
		return "", false
	}
	return l.bounds[i], true
}

// expression is the columns in the form of the catalog.
func (l *levelText) expression() string {
	quoted := make([]string, len(l.columns))
	for i, name := range l.columns {
		quoted[i] = lex.QuoteName(name)
	}
	return strings.Join(quoted, ",")
}

// definitions are the partitions of a range in parentheses, one a line; kind is PARTITION or SUBPARTITION. A
// hash has none. The part below a hidden bound belongs to the next partition, as before the split.
func (l *levelText) definitions(kind string) string {
	if l.bounds == nil {
		return ""
	}
	var parts []string
	for i, name := range l.names {
		if l.hidden[i] {
			continue
		}
		parts = append(parts, kind+" "+lex.QuoteName(name)+" VALUES LESS THAN ("+l.bounds[i]+")")
	}
	return "\n(" + strings.Join(parts, ",\n ") + ")"
}

// leafBounds are the bounds in VALUES LESS THAN of a leaf, the outer one first; empty if both levels are
// hashes.
func leafBounds(t *kv.Table, outer, below *levelText, leaf int) string {
	if outer == nil {
		return ""
	}
	n := t.Partitioning.NumLeaves() / t.Partitioning.NumOuter()
	var bounds []string
	if bound, ok := outer.bound(leaf / n); ok {
		bounds = append(bounds, bound)
	}
	if bound, ok := below.bound(leaf % n); ok {
		bounds = append(bounds, bound)
	}
	return strings.Join(bounds, ", ")
}
