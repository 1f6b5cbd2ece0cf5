package filter

type rowEvaluator struct {
	base
	CompareFilter
	out bool
}

// Open implements Filter.
func (f RowFilter) Open(bool) (Evaluator, error) {
	return &rowEvaluator{CompareFilter: f.CompareFilter}, f.check()
}

func (e *rowEvaluator) Reset() { e.out = false }

func (e *rowEvaluator) FilterRowKey(row []byte) bool {
	e.out = e.excludes(row)
	return e.out
}

func (e *rowEvaluator) FilterCell(*Cell) Code {
	if e.out {
		return NextRow
	}
	return Include
}

func (e *rowEvaluator) FilterRow() bool { return e.out }

// partEvaluator compares a part of each cell.
type partEvaluator struct {
	base
	CompareFilter
	part        func(*Cell) []byte
	otherwise   Code
	versionless bool
}

func (e *partEvaluator) FilterCell(c *Cell) Code {
	if e.excludes(e.part(c)) {
		return e.otherwise
	}
	return Include
}

func (e *partEvaluator) Versionless() bool { return e.versionless }

// Open implements Filter.
func (f FamilyFilter) Open(bool) (Evaluator, error) {
	part := func(c *Cell) []byte { return []byte(c.Family) }
	return &partEvaluator{base{}, f.CompareFilter, part, NextRow, true}, f.check()
}

// Open implements Filter.
func (f QualifierFilter) Open(bool) (Evaluator, error) {
	part := func(c *Cell) []byte { return c.Qualifier }
	return &partEvaluator{base{}, f.CompareFilter, part, Skip, true}, f.check()
}

// Open implements Filter.
func (f ValueFilter) Open(bool) (Evaluator, error) {
	part := func(c *Cell) []byte { return c.Value }
	return &partEvaluator{base{}, f.CompareFilter, part, Skip, false}, f.check()
}

type columnValueEvaluator struct {
	base
	ColumnValueFilter
	found bool
}

// Open implements Filter.
func (f ColumnValueFilter) Open(bool) (Evaluator, error) {
	return &columnValueEvaluator{ColumnValueFilter: f}, f.check()
}

func (e *columnValueEvaluator) Reset() { e.found = false }

func (e *columnValueEvaluator) FilterCell(c *Cell) Code {
	switch {
	case !c.isColumn(e.Family, e.Qualifier) && e.found:
		return NextRow
	case !c.isColumn(e.Family, e.Qualifier):
		return NextCol
	}
	e.found = true
	if e.excludes(c.Value) {
		return Skip
	}
	return Include
}

func (e *columnValueEvaluator) Versionless() bool { return false }

type singleColumnEvaluator struct {
	base
	SingleColumnValueFilter
	found, matched bool
}

// Open implements Filter.
func (f SingleColumnValueFilter) Open(bool) (Evaluator, error) {
	return &singleColumnEvaluator{SingleColumnValueFilter: f}, f.check()
}

func (e *singleColumnEvaluator) Reset() { e.found, e.matched = false, false }

func (e *singleColumnEvaluator) FilterCell(c *Cell) Code {
	switch {
	case e.matched:
		return Include
	case e.found && !e.AllVersions:
		return NextRow
	case !c.isColumn(e.Family, e.Qualifier):
		return Include
	}
	e.found = true
	if e.excludes(c.Value) {
		if e.AllVersions {
			return Include
		}
		return NextRow
	}
	e.matched = true
	return Include
}

func (e *singleColumnEvaluator) HasFilterRow() bool { return true }

func (e *singleColumnEvaluator) FilterRowCells(cells []Cell) []Cell {
	if !e.Exclude {
		return cells
	}
	return keep(cells, func(c *Cell) bool { return !c.isColumn(e.Family, e.Qualifier) })
}

func (e *singleColumnEvaluator) FilterRow() bool {
	if e.found {
		return !e.matched
	}
	return e.FilterIfMissing
}

func (e *singleColumnEvaluator) Versionless() bool { return !e.AllVersions }

// keep keeps the wanted cells, in place.
func keep(cells []Cell, wanted func(*Cell) bool) []Cell {
	kept := cells[:0]
	for i := range cells {
		if wanted(&cells[i]) {
			kept = append(kept, cells[i])
		}
	}
	return kept
}

type dependentEvaluator struct {
	base
	DependentColumnFilter
	stamps map[int64]bool
}

// Open implements Filter.
func (f DependentColumnFilter) Open(bool) (Evaluator, error) {
	e := &dependentEvaluator{DependentColumnFilter: f, stamps: map[int64]bool{}}
	if f.Comparator == nil {
		return e, nil
	}
	return e, f.check()
}

func (e *dependentEvaluator) Reset() { clear(e.stamps) }

func (e *dependentEvaluator) FilterCell(c *Cell) Code {
	switch {
	case !c.isColumn(e.Family, e.Qualifier):
		return Include // until the row is whole
	case e.Comparator != nil && e.excludes(c.Value):
		return Skip
	}
	e.stamps[c.Timestamp] = true
	if e.Drop {
		return Skip
	}
	return Include
}

func (e *dependentEvaluator) HasFilterRow() bool { return true }

func (e *dependentEvaluator) FilterRowCells(cells []Cell) []Cell {
	return keep(cells, func(c *Cell) bool { return e.stamps[c.Timestamp] })
}

func (e *dependentEvaluator) Versionless() bool { return false }
