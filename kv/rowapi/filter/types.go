package filter

// CompareFilter is what the filters are given that compare one part of cells: Op stands between that
// part and the Comparator's value, in this order. Equal and NotEqual ask whether a Comparator matches.
type CompareFilter struct {
	Op         CompareOp
	Comparator Comparator
}

// RowFilter compares rows.
type RowFilter struct{ CompareFilter }

// FamilyFilter compares families.
type FamilyFilter struct{ CompareFilter }

// QualifierFilter compares qualifiers.
type QualifierFilter struct{ CompareFilter }

// ValueFilter compares values, of older versions too.
type ValueFilter struct{ CompareFilter }

// DependentColumnFilter lets cells pass whose timestamps a column has too, among the versions of it
// that the comparison lets pass; without a Comparator these are all.
type DependentColumnFilter struct {
	CompareFilter
	Family    string
	Qualifier []byte
	// Drop leaves the column itself out.
	Drop bool
}

// SingleColumnValueFilter lets rows pass by the value of one column, among those that are read.
type SingleColumnValueFilter struct {
	CompareFilter
	Family    string
	Qualifier []byte
	// FilterIfMissing leaves rows out that do not have the column.
	FilterIfMissing bool
	// AllVersions looks at older versions where the newest does not pass: it is the opposite of HBase's
	// latestVersionOnly.
	AllVersions bool
	// Exclude leaves the column itself out, as HBase's SingleColumnValueExcludeFilter does.
	Exclude bool
}

// ColumnValueFilter lets cells of one column pass by their values, and no others.
type ColumnValueFilter struct {
	CompareFilter
	Family    string
	Qualifier []byte
}

// PrefixFilter lets rows pass that begin with a prefix.
type PrefixFilter struct{ Prefix []byte }

// ColumnPrefixFilter lets columns pass whose qualifiers begin with a prefix.
type ColumnPrefixFilter struct{ Prefix []byte }

// MultipleColumnPrefixFilter lets columns pass whose qualifiers begin with one of some prefixes.
type MultipleColumnPrefixFilter struct{ Prefixes [][]byte }

// ColumnRangeFilter lets columns pass whose qualifiers are between two; a nil one is open.
type ColumnRangeFilter struct {
	Min, Max                   []byte
	MinInclusive, MaxInclusive bool
}

// ColumnCountGetFilter lets the first columns of a row pass, and ends a scan behind a row that has
// more.
type ColumnCountGetFilter struct{ Limit int }

// ColumnPaginationFilter lets some columns of a row pass, over all families: Limit of them, behind
// the first Offset or, where ColumnOffset is not nil, from that qualifier on.
type ColumnPaginationFilter struct {
	Limit, Offset int
	ColumnOffset  []byte
}

// FirstKeyOnlyFilter lets the first cell of a row pass.
type FirstKeyOnlyFilter struct{}

// FirstKeyValueMatchingQualifiersFilter lets cells of a row pass up to the first one that has one of
// some qualifiers.
type FirstKeyValueMatchingQualifiersFilter struct{ Qualifiers [][]byte }

// KeyOnlyFilter lets cells pass without their values: with empty ones or, LengthAsValue, with
// their lengths in 4 bytes, big endian.
type KeyOnlyFilter struct{ LengthAsValue bool }

// PageFilter ends the scan behind some rows.
type PageFilter struct{ Size int64 }

// InclusiveStopFilter ends the scan behind a row.
type InclusiveStopFilter struct{ Stop []byte }

// RandomRowFilter lets each row pass by chance: of 0.25 a quarter of them.
type RandomRowFilter struct{ Chance float32 }

// TimestampsFilter lets cells pass that have one of some timestamps.
type TimestampsFilter struct {
	Timestamps []int64
	// CanHint passes over cells between them, which changes no answer.
	CanHint bool
}

// FuzzyKey is a row with a mask of the same length: bytes whose mask is 0 must be like those of
// the row, others may be any. Longer rows match by their first bytes.
type FuzzyKey struct{ Row, Mask []byte }

// FuzzyRowFilter lets rows pass that match one of some keys.
type FuzzyRowFilter struct{ Keys []FuzzyKey }

// RowRange is rows between two; an empty Start is the first row of the table, an empty Stop its last.
type RowRange struct {
	Start, Stop                   []byte
	StartInclusive, StopInclusive bool
}

// MultiRowRangeFilter lets rows pass that are in one of some ranges, which may overlap and come in any
// order.
type MultiRowRangeFilter struct{ Ranges []RowRange }

// SkipFilter leaves a row out as a whole where a filter leaves a cell of it out.
type SkipFilter struct{ Filter Filter }

// WhileMatchFilter ends the scan where a filter leaves something out.
type WhileMatchFilter struct{ Filter Filter }

// FilterList joins filters. One without filters lets all pass.
type FilterList struct {
	// MustPassOne lets pass what one of the filters does, in the place of what all do.
	MustPassOne bool
	Filters     []Filter
}

// BigDecimalComparator compares what HBase's Bytes.toBytes(BigDecimal) has stored: 4 bytes of a scale
// and an integer in two's complement, big endian. Value has that form too.
type BigDecimalComparator struct{ Value []byte }
