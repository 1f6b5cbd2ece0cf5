package filter

// CompareFilter has the parameters of the filters that compare one part of cells: Op compares that
// part, on the left, with the Comparator's value. With Equal and NotEqual it checks whether the
// Comparator matches.
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

// ValueFilter compares values, including those of older versions.
type ValueFilter struct{ CompareFilter }

// DependentColumnFilter passes cells with the timestamps of a column's versions that pass the
// comparison; without a Comparator these are all versions.
type DependentColumnFilter struct {
	CompareFilter
	Family    string
	Qualifier []byte
	// Drop excludes the column itself.
	Drop bool
}

// SingleColumnValueFilter passes rows by the value of one column, which must be read.
type SingleColumnValueFilter struct {
	CompareFilter
	Family    string
	Qualifier []byte
	// FilterIfMissing excludes rows without the column.
	FilterIfMissing bool
	// AllVersions also checks older versions if the newest does not pass: it is the opposite of HBase's
	// latestVersionOnly.
	AllVersions bool
	// Exclude excludes the column itself, like HBase's SingleColumnValueExcludeFilter.
	Exclude bool
}

// ColumnValueFilter passes cells of one column by their values, and no other cells.
type ColumnValueFilter struct {
	CompareFilter
	Family    string
	Qualifier []byte
}

// PrefixFilter passes rows that begin with a prefix.
type PrefixFilter struct{ Prefix []byte }

// ColumnPrefixFilter passes columns whose qualifiers begin with a prefix.
type ColumnPrefixFilter struct{ Prefix []byte }

// MultipleColumnPrefixFilter passes columns whose qualifiers begin with one of several prefixes.
type MultipleColumnPrefixFilter struct{ Prefixes [][]byte }

// ColumnRangeFilter passes columns whose qualifiers are between Min and Max; a nil one is open.
type ColumnRangeFilter struct {
	Min, Max                   []byte
	MinInclusive, MaxInclusive bool
}

// ColumnCountGetFilter passes the first columns of a row, and ends a scan after a row that has more.
type ColumnCountGetFilter struct{ Limit int }

// ColumnPaginationFilter passes some columns of a row, over all families: Limit of them, after the
// first Offset or, if ColumnOffset is not nil, from that qualifier on.
type ColumnPaginationFilter struct {
	Limit, Offset int
	ColumnOffset  []byte
}

// FirstKeyOnlyFilter passes the first cell of a row.
type FirstKeyOnlyFilter struct{}

// FirstKeyValueMatchingQualifiersFilter passes cells of a row up to the first one with one of the qualifiers.
type FirstKeyValueMatchingQualifiersFilter struct{ Qualifiers [][]byte }

// KeyOnlyFilter passes cells without their values: with empty ones or, if LengthAsValue is
// set, with their lengths in 4 bytes, big endian.
type KeyOnlyFilter struct{ LengthAsValue bool }

// PageFilter ends the scan after Size rows.
type PageFilter struct{ Size int64 }

// InclusiveStopFilter ends the scan after a row.
type InclusiveStopFilter struct{ Stop []byte }

// RandomRowFilter passes each row with a probability: 0.25 passes about a quarter of them.
type RandomRowFilter struct{ Chance float32 }

// TimestampsFilter passes cells with one of the timestamps.
type TimestampsFilter struct {
	Timestamps []int64
	// CanHint skips cells between them, which does not change the result.
	CanHint bool
}

// FuzzyKey is a row with a mask of the same length: bytes with mask 0 must equal those of the row,
// others may be any. Longer rows match by their first bytes.
type FuzzyKey struct{ Row, Mask []byte }

// FuzzyRowFilter passes rows that match one of the keys.
type FuzzyRowFilter struct{ Keys []FuzzyKey }

// RowRange is the rows between two; an empty Start means the first row of the table, an empty Stop its last.
type RowRange struct {
	Start, Stop                   []byte
	StartInclusive, StopInclusive bool
}

// MultiRowRangeFilter passes rows in one of the ranges, which may overlap and come in any order.
type MultiRowRangeFilter struct{ Ranges []RowRange }

// SkipFilter excludes a whole row if a filter excludes any of its cells.
type SkipFilter struct{ Filter Filter }

// WhileMatchFilter ends the scan when a filter excludes something.
type WhileMatchFilter struct{ Filter Filter }

// FilterList combines filters. A list without filters passes everything.
type FilterList struct {
	// MustPassOne passes what any of the filters passes, instead of what all do.
	MustPassOne bool
	Filters     []Filter
}

// BigDecimalComparator compares values stored by HBase's Bytes.toBytes(BigDecimal): a scale of 4
// bytes and an integer in two's complement, big endian. Value has the same format.
type BigDecimalComparator struct{ Value []byte }
