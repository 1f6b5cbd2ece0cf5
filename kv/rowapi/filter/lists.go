package filter

import "bytes"

// openAll opens filters.
func openAll(filters []Filter, reversed bool) (all []Evaluator, err error) {
	for _, f := range filters {
		if f == nil {
			return nil, errNil
		}
		e, err := f.Open(reversed)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// list is what both kinds of FilterList have.
type list struct {
	all      []Evaluator
	included []bool // for the last cell
	reversed bool
}

// Open implements Filter.
func (f FilterList) Open(reversed bool) (Evaluator, error) {
	all, err := openAll(f.Filters, reversed)
	if err != nil || len(all) == 0 {
		return base{}, err
	}
	l := list{all, make([]bool, len(all)), reversed}
	if f.MustPassOne {
		return &oneOf{l, make([]verdict, len(all))}, nil
	}
	return &allOf{l, make([]bool, len(all))}, nil
}

func (l *list) Reset() {
	for i, e := range l.all {
		e.Reset()
		l.included[i] = false
	}
}

func (l *list) any(does func(Evaluator) bool) bool {
	for _, e := range l.all {
		if does(e) {
			return true
		}
	}
	return false
}

func (l *list) every(does func(Evaluator) bool) bool {
	return !l.any(func(e Evaluator) bool { return !does(e) })
}

func (l *list) HasFilterRow() bool { return l.any(Evaluator.HasFilterRow) }
func (l *list) Versionless() bool  { return l.every(Evaluator.Versionless) }

func (l *list) TransformCell(c *Cell) {
	for i, e := range l.all {
		if l.included[i] {
			e.TransformCell(c)
		}
	}
}

func (l *list) FilterRowCells(cells []Cell) []Cell {
	for _, e := range l.all {
		cells = e.FilterRowCells(cells)
	}
	return cells
}

// compare compares places in the order of the scan.
func (l *list) compare(a, b Hint) int {
	order := bytes.Compare(a.Row, b.Row)
	switch {
	case order != 0 && l.reversed:
		return -order
	case order == 0 && a.Family != b.Family && a.Family < b.Family:
		return -1
	case order == 0 && a.Family != b.Family:
		return 1
	case order == 0:
		return bytes.Compare(a.Qualifier, b.Qualifier)
	}
	return order
}

// allOf passes what all filters pass.
type allOf struct {
	list
	hinting []bool // which filters have a hint
}

func (l *allOf) FilterAllRemaining() bool { return l.any(Evaluator.FilterAllRemaining) }
func (l *allOf) FilterRow() bool          { return l.any(Evaluator.FilterRow) }

// FilterRowKey calls all filters, since some remember calls. A row that a hinter passes is excluded by its
// cells, for which the hinter gives hints.
func (l *allOf) FilterRowKey(row []byte) bool {
	out, hinted := false, false
	for _, e := range l.all {
		switch {
		case e.FilterAllRemaining():
			return true
		case e.FilterRowKey(row):
			out = true
		case isHinter(e):
			hinted = true
		}
	}
	return out && !hinted
}

// FilterCell skips as far as the filter that skips farthest. After a filter that excludes the cell, only
// hinters are called: a filter that counts cells counts those that reach it.
func (l *allOf) FilterCell(c *Cell) Code {
	clear(l.included)
	clear(l.hinting)
	code := Include
	for i, e := range l.all {
		switch in := code.includes(); {
		case in && e.FilterAllRemaining():
			code = NextRow
		case in || isHinter(e):
			own := e.FilterCell(c)
			l.included[i], l.hinting[i] = own.includes(), own == SeekNextUsingHint
			if in || l.hinting[i] {
				code = farther(code, own)
			}
		}
	}
	return code
}

// farther combines the codes of two filters that must both pass a cell: it is included if both include it,
// and what both would read after it is read.
func farther(a, b Code) Code {
	if a == SeekNextUsingHint || b == SeekNextUsingHint {
		return SeekNextUsingHint
	}
	return codeOf(a.includes() && b.includes(), max(a.reach(), b.reach()))
}

// reach returns how far a code skips: to the next version, the next column, or the next row.
func (c Code) reach() int {
	switch c {
	case IncludeAndNextCol, NextCol:
		return 1
	case IncludeAndSeekNextRow, NextRow:
		return 2
	}
	return 0
}

// codeOf returns the code for a cell that is included or not, with a reach.
func codeOf(in bool, reach int) Code {
	if in {
		return [...]Code{Include, IncludeAndNextCol, IncludeAndSeekNextRow}[reach]
	}
	return [...]Code{Skip, NextCol, NextRow}[reach]
}

// NextCellHint returns the last of all hints.
func (l *allOf) NextCellHint(c *Cell) (last Hint) {
	for i, e := range l.all {
		if !l.hinting[i] || e.FilterAllRemaining() {
			continue
		}
		if h := e.NextCellHint(c); h.Row != nil && (last.Row == nil || l.compare(h, last) > 0) {
			last = h
		}
	}
	return last
}

// oneOf passes what any of the filters passes.
type oneOf struct {
	list
	before []verdict // of each filter, in this row
}

// verdict is the last code of a filter. If that applies to more than one cell, the filter is not called for
// those that it has already excluded.
type verdict struct {
	code      Code
	family    string
	qualifier []byte
	hint      Hint
}

func (l *oneOf) Reset() {
	l.list.Reset()
	clear(l.before)
}

func (l *oneOf) FilterAllRemaining() bool { return l.every(Evaluator.FilterAllRemaining) }
func (l *oneOf) FilterRow() bool          { return l.every(Evaluator.FilterRow) }

// FilterRowKey calls all filters, since some remember calls.
func (l *oneOf) FilterRowKey(row []byte) bool {
	out := true
	for _, e := range l.all {
		if !e.FilterAllRemaining() && !e.FilterRowKey(row) {
			out = false
		}
	}
	return out
}

// FilterCell skips no farther than the filter that skips least.
func (l *oneOf) FilterCell(c *Cell) Code {
	clear(l.included)
	code, asked := Skip, false
	for i, e := range l.all {
		if e.FilterAllRemaining() {
			continue
		}
		own := l.ask(i, e, c)
		l.included[i] = own.includes()
		if !asked {
			code, asked = own, true
			continue
		}
		code = nearer(code, own)
	}
	return code
}

// ask calls a filter for a cell, unless its last code already applies to it.
func (l *oneOf) ask(i int, e Evaluator, c *Cell) Code {
	before := &l.before[i]
	switch {
	case before.code == SeekNextUsingHint && before.hint.Row != nil && l.compare(placeOf(c), before.hint) < 0:
		return SeekNextUsingHint
	case before.code.reach() == 1 && before.family == c.Family && bytes.Equal(before.qualifier, c.Qualifier):
		return NextCol
	case before.code.reach() == 2 && before.family == c.Family:
		return NextRow
	}
	code := e.FilterCell(c)
	*before = verdict{code: code, family: c.Family, qualifier: append(before.qualifier[:0], c.Qualifier...)}
	if code == SeekNextUsingHint {
		before.hint = e.NextCellHint(c).clone()
	}
	return code
}

func placeOf(c *Cell) Hint { return Hint{c.Row, c.Family, c.Qualifier} }

func (h Hint) clone() Hint { return Hint{bytes.Clone(h.Row), h.Family, bytes.Clone(h.Qualifier)} }

// nearer combines the codes of two filters of which one must pass a cell.
func nearer(a, b Code) Code {
	if a == SeekNextUsingHint && b == SeekNextUsingHint {
		return SeekNextUsingHint
	}
	return codeOf(a.includes() || b.includes(), min(a.reach(), b.reach()))
}

// NextCellHint returns the first of all hints, and none if a filter has none.
func (l *oneOf) NextCellHint(*Cell) (first Hint) {
	for i, e := range l.all {
		if e.FilterAllRemaining() {
			continue
		}
		h := l.before[i].hint
		if h.Row == nil {
			return Hint{}
		}
		if first.Row == nil || l.compare(h, first) < 0 {
			first = h
		}
	}
	return first
}
