package filter

import (
	"bytes"
	"fmt"
	"slices"
)

// at returns the place of a qualifier in a cell's row and family.
func (c *Cell) at(qualifier []byte) Hint { return Hint{c.Row, c.Family, qualifier} }

type columnPrefixEvaluator struct {
	hinter
	prefix []byte
}

// Open implements Filter.
func (f ColumnPrefixFilter) Open(bool) (Evaluator, error) {
	return &columnPrefixEvaluator{prefix: f.Prefix}, nil
}

func (e *columnPrefixEvaluator) FilterCell(c *Cell) Code {
	switch {
	case bytes.HasPrefix(c.Qualifier, e.prefix):
		return Include
	case bytes.Compare(c.Qualifier, e.prefix) < 0:
		return SeekNextUsingHint
	}
	return NextRow
}

func (e *columnPrefixEvaluator) NextCellHint(c *Cell) Hint { return c.at(e.prefix) }

type prefixesEvaluator struct {
	hinter
	prefixes [][]byte // sorted
}

// Open implements Filter.
func (f MultipleColumnPrefixFilter) Open(bool) (Evaluator, error) {
	sorted := slices.SortedFunc(slices.Values(f.Prefixes), bytes.Compare)
	if len(slices.CompactFunc(slices.Clone(sorted), bytes.Equal)) < len(sorted) {
		return nil, fmt.Errorf("%w: the prefixes of MultipleColumnPrefixFilter must be distinct", ErrInvalid)
	}
	return &prefixesEvaluator{prefixes: sorted}, nil
}

// above returns the index of the first prefix that is larger than a qualifier.
func (e *prefixesEvaluator) above(qualifier []byte) int {
	i, found := slices.BinarySearchFunc(e.prefixes, qualifier, bytes.Compare)
	if found {
		i++
	}
	return i
}

// FilterCell only checks the largest prefix that is not above the qualifier, as HBase does: so with the
// prefixes a and ab the first does not find ac.
func (e *prefixesEvaluator) FilterCell(c *Cell) Code {
	i := e.above(c.Qualifier)
	switch {
	case len(e.prefixes) == 0, i > 0 && bytes.HasPrefix(c.Qualifier, e.prefixes[i-1]):
		return Include
	case i == len(e.prefixes):
		return NextRow
	}
	return SeekNextUsingHint
}

func (e *prefixesEvaluator) NextCellHint(c *Cell) Hint {
	if i := e.above(c.Qualifier); i < len(e.prefixes) {
		return c.at(e.prefixes[i])
	}
	return Hint{}
}

type columnRangeEvaluator struct {
	hinter
	ColumnRangeFilter
}

// Open implements Filter.
func (f ColumnRangeFilter) Open(bool) (Evaluator, error) {
	return &columnRangeEvaluator{ColumnRangeFilter: f}, nil
}

func (e *columnRangeEvaluator) FilterCell(c *Cell) Code {
	if e.Min != nil {
		switch below := bytes.Compare(c.Qualifier, e.Min); {
		case below < 0:
			return SeekNextUsingHint
		case below == 0 && !e.MinInclusive:
			return NextCol
		}
	}
	if e.Max != nil {
		if above := bytes.Compare(c.Qualifier, e.Max); above > 0 || above == 0 && !e.MaxInclusive {
			return NextRow
		}
	}
	return Include
}

func (e *columnRangeEvaluator) NextCellHint(c *Cell) Hint { return c.at(e.Min) }

type columnCountEvaluator struct {
	base
	limit, count int
}

// Open implements Filter.
func (f ColumnCountGetFilter) Open(bool) (Evaluator, error) {
	return &columnCountEvaluator{limit: f.Limit}, notNegative("the limit of ColumnCountGetFilter", f.Limit)
}

// notNegative refuses a number below 0.
func notNegative(what string, n int) error {
	if n < 0 {
		return fmt.Errorf("%w: %s is %d, and must not be negative", ErrInvalid, what, n)
	}
	return nil
}

func (e *columnCountEvaluator) Reset()                   { e.count = 0 }
func (e *columnCountEvaluator) FilterAllRemaining() bool { return e.count > e.limit }
func (e *columnCountEvaluator) FilterRowKey([]byte) bool { return e.FilterAllRemaining() }

func (e *columnCountEvaluator) FilterCell(*Cell) Code {
	if e.count++; e.FilterAllRemaining() {
		return NextCol
	}
	return IncludeAndNextCol
}

type paginationEvaluator struct {
	base
	ColumnPaginationFilter
	count int
}

// Open implements Filter.
func (f ColumnPaginationFilter) Open(bool) (Evaluator, error) {
	if err := notNegative("the limit of ColumnPaginationFilter", f.Limit); err != nil {
		return nil, err
	}
	return &paginationEvaluator{ColumnPaginationFilter: f}, notNegative("the offset of ColumnPaginationFilter", f.Offset)
}

func (e *paginationEvaluator) Reset() { e.count = 0 }

func (e *paginationEvaluator) FilterCell(c *Cell) Code {
	if e.ColumnOffset != nil {
		return e.fromColumn(c)
	}
	if e.count-e.Offset >= e.Limit {
		return NextRow
	}
	if e.count++; e.count <= e.Offset {
		return NextCol
	}
	return IncludeAndNextCol
}

func (e *paginationEvaluator) fromColumn(c *Cell) Code {
	switch {
	case e.count >= e.Limit:
		return NextRow
	case e.count == 0 && bytes.Compare(c.Qualifier, e.ColumnOffset) < 0:
		return SeekNextUsingHint
	}
	e.count++
	return IncludeAndNextCol
}

func (e *paginationEvaluator) NextCellHint(c *Cell) Hint { return c.at(e.ColumnOffset) }

type timestampsEvaluator struct {
	hinter
	wanted map[int64]bool
	least  int64
}

// Open implements Filter.
func (f TimestampsFilter) Open(bool) (Evaluator, error) {
	e := &timestampsEvaluator{wanted: map[int64]bool{}, least: int64(^uint64(0) >> 1)}
	for _, t := range f.Timestamps {
		if t < 0 {
			return nil, fmt.Errorf("%w: the timestamp %d of TimestampsFilter is negative", ErrInvalid, t)
		}
		e.wanted[t], e.least = true, min(e.least, t)
	}
	return e, nil
}

func (e *timestampsEvaluator) FilterCell(c *Cell) Code {
	switch {
	case e.wanted[c.Timestamp]:
		return Include
	case c.Timestamp < e.least:
		return NextCol
	}
	return Skip
}

func (e *timestampsEvaluator) Versionless() bool { return false }
