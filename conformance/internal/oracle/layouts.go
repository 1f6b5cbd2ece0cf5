package oracle

import (
	"fmt"
	"maps"
	"strings"
)

// ModelTable is the CREATE TABLE of a table in a layout, with the generated column that it needs.
func ModelTable(name, layout, partitioning string) string {
	generated := ""
	switch {
	case layout == "prefix":
		generated = "K_PREFIX varbinary(1) GENERATED ALWAYS AS (substring(K, 1, 1)), "
	case Timed(layout):
		generated = TimeColumn
	}
	return "CREATE TABLE " + name + " (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024), " + generated +
		"PRIMARY KEY (K, Q, T))" + partitioning
}

// TimeLayouts are layouts with partitions by time. Their tables have a column
// over T, and so cannot have the smallest T; the first has only the column.
var TimeLayouts = map[string]string{
	TimedLayout: "",
	"time":      " PARTITION BY RANGE COLUMNS(G) (" + timeRanges("PARTITION") + ")",
	"time-key":  " PARTITION BY RANGE COLUMNS(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (" + timeRanges("PARTITION") + ")",
	"key-time":  " PARTITION BY KEY(K) PARTITIONS 5 SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (" + timeRanges("SUBPARTITION") + ")",
	"range-time": " PARTITION BY RANGE COLUMNS(K) SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (" + timeRanges("SUBPARTITION") +
		") (PARTITION p0 VALUES LESS THAN ('a'), PARTITION p1 VALUES LESS THAN ('b'), PARTITION p9 VALUES LESS THAN (MAXVALUE))",
}

// TimedLayout is the layout that has the column G and no partitions.
const TimedLayout = "timed"

// timeRanges splits the rows of the oracle's tables and of the models into small parts.
func timeRanges(kind string) string {
	prefix := strings.ToLower(kind[:1])
	var out []string
	for i, bound := range []string{"1", "2", "10", "1000", "1700000000000"} {
		out = append(out, fmt.Sprintf("%s %s%d VALUES LESS THAN (%s)", kind, prefix, i, bound))
	}
	return strings.Join(append(out, kind+" "+prefix+"9 VALUES LESS THAN (MAXVALUE)"), ", ")
}

// Timed reports whether a layout is one of TimeLayouts.
func Timed(layout string) bool {
	_, ok := TimeLayouts[layout]
	return ok
}

// EveryLayout are all layouts, with and without time.
func EveryLayout() map[string]string {
	out := maps.Clone(Partitionings)
	maps.Copy(out, TimeLayouts)
	return out
}

// LayoutOf is the PARTITION BY of any layout.
func LayoutOf(layout string) string {
	return EveryLayout()[layout]
}

// TimeColumn is the generated column of tables in TimeLayouts.
const TimeColumn = "G bigint GENERATED ALWAYS AS (ABS(T)), "

// SmallestTime is the T whose absolute value is not a bigint.
const SmallestTime = "-9223372036854775808"
