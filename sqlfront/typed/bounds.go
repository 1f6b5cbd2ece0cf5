package typed

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// PartitionColumns is the number of columns of the key, from the first, by which the table is partitioned.
// family has its rows.
func (t *Table) PartitionColumns(family *kv.Table) int {
	if n, err := strconv.Atoi(family.PartitionColumn); err == nil && n > 0 && n < len(t.Key) {
		return n
	}
	return len(t.Key)
}

// SetPartitionColumns stores PartitionColumns in the family, independently of the columns' names.
func (t *Table) SetPartitionColumns(family *kv.Table, n int) {
	if family.PartitionColumn = ""; n < len(t.Key) {
		family.PartitionColumn = strconv.Itoa(n)
	}
}

// HashedBytes is the number of bytes of the first columns of the key in all rows; false if it differs from
// row to row.
func (t *Table) HashedBytes(columns int) (int, bool) { return t.key.Prefix(columns) }

// HasBounds reports whether rows are in the order of the key's first columns, whose values Bounded can read.
func (t *Table) HasBounds(columns int) bool {
	for part := range columns {
		if !t.key.Recovered(part) {
			return false
		}
	}
	return t.key.Sorted() >= columns
}

// Bound is the first row whose first columns of the key have these values or, with behind, the first one
// after them; nil after all rows. It is false for values that no row can have.
func (t *Table) Bound(first []value.Value, behind bool) (row []byte, ok bool) {
	span := t.key.Equal(first)
	switch {
	case span.IsEmpty():
		return nil, false
	case behind:
		return span.End, true
	}
	return span.Start, true
}

// Bounded are the values of a bound over this number of columns; fewer for a bound after them. It is false
// for a bound over other columns, such as one that the store has chosen.
func (t *Table) Bounded(columns int, bound []byte) (first []value.Value, ok bool) {
	first = make([]value.Value, columns)
	if t.key.ReadRow(bound, first) {
		return first, true
	}
	if len(bound) == 0 || bound[len(bound)-1] == 0 {
		return nil, false
	}
	for n := columns - 1; n > 0; n-- {
		if t.readBefore(bound, first[:n]) {
			return first[:n], true
		}
	}
	return nil, false
}

// mostPadding is the maximum number of trailing FF bytes of a number.
const mostPadding = 8

// readBefore sets the values after which a bound is, which is the start of the rows with greater values. The
// bound omits their trailing FF bytes.
func (t *Table) readBefore(bound []byte, first []value.Value) bool {
	begin := bytes.Clone(bound)
	begin[len(begin)-1]--
	least, most := 0, mostPadding
	if size, ok := t.key.Prefix(len(first)); ok {
		least = max(0, size-len(begin))
		most = least
	}
	for n := least; n <= most; n++ {
		if t.key.ReadRow(append(begin[:len(bound):len(bound)], bytes.Repeat([]byte{0xff}, n)...), first) {
			return true
		}
	}
	return false
}

// SameRows reports whether the rows of two families mean the same in their typed tables, or neither belongs
// to a typed table.
func SameRows(a, b *kv.Table) bool {
	if schema.Of(a).Typed == nil || schema.Of(b).Typed == nil {
		return schema.Of(a).Typed == schema.Of(b).Typed
	}
	t, failed := Of(a)
	o, err := Of(b)
	return failed == nil && err == nil && reflect.DeepEqual(t.Key, o.Key) && t.Redundant() == o.Redundant() &&
		slices.Equal(t.Retired, o.Retired) && slices.EqualFunc(t.Checks, o.Checks, Check.sameCondition) &&
		slices.EqualFunc(t.Columns, o.Columns, Column.sameCells)
}

func (c Check) sameCondition(o Check) bool { return c.Text == o.Text && c.NotEnforced == o.NotEnforced }

// sameCells compares everything that determines a column's cells.
func (c Column) sameCells(o Column) bool {
	return strings.EqualFold(c.Name, o.Name) && c.CellQualifier() == o.CellQualifier() && reflect.DeepEqual(c.Type, o.Type) &&
		reflect.DeepEqual(c.Earlier, o.Earlier) && bytes.Equal(c.Absent, o.Absent) && (c.Absent == nil) == (o.Absent == nil) &&
		c.NotNull == o.NotNull && c.AutoIncrement == o.AutoIncrement && reflect.DeepEqual(c.Generated, o.Generated)
}
