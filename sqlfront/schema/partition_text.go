package schema

import (
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// partitioned reports whether the table was declared with PARTITION BY.
func partitioned(t *kv.Table) bool { return t.Partitioning.Method() != partition.None }

func partitionMethod(t *kv.Table) string {
	if t.Partitioning.Method() == partition.Range {
		return "RANGE COLUMNS"
	}
	return "KEY"
}

func partitionColumn(t *kv.Table) string {
	if t.PartitionColumn != "" {
		return t.PartitionColumn
	}
	return t.ColumnNames()[0]
}

// partitionBound is what stands in VALUES LESS THAN; only partitions of a range
// have it.
func partitionBound(t *kv.Table, i int) (string, bool) {
	if t.Partitioning.Method() != partition.Range {
		return "", false
	}
	end := t.Partitioning.Bounds(i).End
	if end == nil {
		return "MAXVALUE", true
	}
	return literal(end), true
}

// literal is bytes as SQL: a string where all of it is printable ASCII, else
// X'..'.
func literal(b []byte) string {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return "X'" + upperHex(b) + "'"
		}
	}
	return quote(string(b))
}

// quote is a string literal.
func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`, "\x00", `\0`, "\n", `\n`, "\r", `\r`, "\x1a", `\Z`).Replace(s) + "'"
}

// identifier is a quoted name.
func identifier(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func upperHex(b []byte) string {
	const digits = "0123456789ABCDEF"
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}
