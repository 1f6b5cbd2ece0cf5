package typed

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Index is a secondary index.
type Index = schema.Index

// IndexPart is a column of an index.
type IndexPart = schema.IndexPart

// Index is the index of that name in Indexes, ignoring case; -1 if there is none.
func (t *Table) Index(name string) int {
	return slices.IndexFunc(t.Indexes, func(i Index) bool { return strings.EqualFold(i.Name, name) })
}

// SortIndexes sorts the indexes into MySQL's order, in which they are shown, and in which ON DUPLICATE KEY
// UPDATE checks the unique ones that a table is created with: unique indexes first, of these the ones without
// NULL, and of these the ones of whole columns.
func (t *Table) SortIndexes() {
	rank := func(i Index) int {
		switch {
		case !i.Unique:
			return 4
		case t.Nullable(&i):
			return 2 + prefixed(&i)
		}
		return prefixed(&i)
	}
	slices.SortStableFunc(t.Indexes, func(a, b Index) int { return cmp.Compare(rank(a), rank(b)) })
}

// Nullable reports whether a column of an index can be NULL.
func (t *Table) Nullable(i *Index) bool {
	return slices.ContainsFunc(i.Parts, func(p IndexPart) bool { return !t.Columns[p.Column].NotNull })
}

// prefixed is 1 for an index over a prefix of a column, otherwise 0.
func prefixed(i *Index) int {
	if slices.ContainsFunc(i.Parts, func(p IndexPart) bool { return p.Length > 0 }) {
		return 1
	}
	return 0
}

// KeyMark is how DESCRIBE marks a column: PRI in the primary key, or in the first unique index that can
// replace it if there is none; UNI in a unique index on the column alone; MUL as the first column of an
// index.
func (t *Table) KeyMark(column int) string {
	if t.KeyPart(column) >= 0 {
		return "PRI"
	}
	mark := ""
	for n := range t.Indexes {
		i := &t.Indexes[n]
		of := slices.IndexFunc(i.Parts, func(p IndexPart) bool { return p.Column == column })
		switch {
		case of >= 0 && t.HasHiddenKey() && t.isPrimary(n):
			return "PRI"
		case of == 0 && i.Unique && len(i.Parts) == 1:
			mark = "UNI"
		case of == 0:
			mark = cmp.Or(mark, "MUL")
		}
	}
	return mark
}

// isPrimary reports whether an index replaces the primary key if none was declared.
func (t *Table) isPrimary(n int) bool {
	i := &t.Indexes[n]
	return n == 0 && i.Unique && !t.Nullable(i) && prefixed(i) == 0
}
