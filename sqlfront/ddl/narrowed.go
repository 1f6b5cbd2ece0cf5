package ddl

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// narrower reports whether a table allows less than before, so that stored cells must be checked.
func narrower(old, next *kv.Table) bool {
	return next.MaxRow < old.MaxRow || next.MaxQualifier < old.MaxQualifier || next.Value.Max < old.Value.Max ||
		old.Value.Nullable && !next.Value.Nullable
}

// narrowed is a table that allows only what both t and next do.
func narrowed(t, next *kv.Table) kv.Table {
	out := *t
	out.MaxRow, out.MaxQualifier = min(t.MaxRow, next.MaxRow), min(t.MaxQualifier, next.MaxQualifier)
	out.Value.Max, out.Value.Nullable = min(t.Value.Max, next.Value.Max), t.Value.Nullable && next.Value.Nullable
	return out
}

// cellFits is error 1406 or 1138 for a version that does not fit the columns of a column family. row is its
// number in the message.
func cellFits(t *kv.Table, c *kv.Cell, value []byte, row int) error {
	column := ""
	switch {
	case len(c.Row) > t.MaxRow:
		column = schema.Of(t).ColumnNames()[0]
	case len(c.Qualifier) > t.MaxQualifier:
		column = schema.Of(t).ColumnNames()[1]
	case len(value) > t.Value.Max:
		column = schema.Of(t).ColumnNames()[3]
	case value == nil && !t.Value.Nullable:
		return mysqlerr.New(mysqlerr.InvalidUseOfNull, "Invalid use of NULL value")
	default:
		return nil
	}
	return mysqlerr.New(mysqlerr.DataTooLong, "Data too long for column '%s' at row %d", column, row)
}

// checkPrefixes checks that generated columns are wide enough for their substrings.
func checkPrefixes(t *kv.Table) error {
	for _, p := range schema.Of(t).Prefixes {
		if n := min(p.Length, t.MaxRow); n > p.Max {
			return mysqlerr.New(mysqlerr.DataTooLong, "Data too long for column '%s': its substring has up to %d bytes", p.Name, n)
		}
	}
	return nil
}
