package infoschema

import (
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// levelText is how a level of a table's partitioning is written.
type levelText struct {
	method, column string
	// names and bounds are those of a range, in parallel; of a hash there are
	// count partitions.
	names, bounds []string
	count         int
}

// levelTexts are those of the partitions and of the subpartitions; below is nil
// where there are none, and both are without PARTITION BY.
func levelTexts(t *kv.Table) (outer, below *levelText) {
	s := t.Partitioning
	if s.Method() != partition.None {
		outer = rowLevel(t)
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
	column := t.PartitionColumn
	if column == "" {
		column = schema.Of(t).ColumnNames()[0]
	}
	if t.Partitioning.Method() != partition.Range {
		return &levelText{method: "KEY", column: column, count: t.Partitioning.Len()}
	}
	out := &levelText{method: "RANGE COLUMNS", column: column}
	for i := range t.Partitioning.Len() {
		bound := maxValue
		if end := t.Partitioning.Bounds(i).End; end != nil {
			bound = parse.QuoteBytes(end)
		}
		out.names, out.bounds = append(out.names, t.Partitioning.Name(i)), append(out.bounds, bound)
	}
	return out
}

func timeLevel(t *kv.Table) *levelText {
	slices := t.Partitioning.Slices()
	out := &levelText{method: "RANGE COLUMNS", names: slices.Names}
	if schema.Of(t).TimeColumn != nil {
		out.column = schema.Of(t).TimeColumn.Name
	}
	for _, bound := range slices.Upper {
		out.bounds = append(out.bounds, strconv.FormatInt(bound, 10))
	}
	if slices.Max {
		out.bounds = append(out.bounds, maxValue)
	}
	return out
}

const maxValue = "MAXVALUE"

// bound is what stands in VALUES LESS THAN; only a range has it.
func (l *levelText) bound(i int) (string, bool) {
	if l == nil || l.bounds == nil {
		return "", false
	}
	return l.bounds[i], true
}

// expression is the column as the catalog shows it.
func (l *levelText) expression() string { return parse.QuoteName(l.column) }

// definitions are the partitions of a range in parentheses, one a line; kind is
// PARTITION or SUBPARTITION. A hash has none.
func (l *levelText) definitions(kind string) string {
	if l.bounds == nil {
		return ""
	}
	var parts []string
	for i, name := range l.names {
		parts = append(parts, kind+" "+parse.QuoteName(name)+" VALUES LESS THAN ("+l.bounds[i]+")")
	}
	return "\n(" + strings.Join(parts, ",\n ") + ")"
}

// leafBounds are what stands in VALUES LESS THAN on the levels of a leaf, the
// first one's first; empty where both are hashes.
func leafBounds(t *kv.Table, leaf int) string {
	outer, below := levelTexts(t)
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
