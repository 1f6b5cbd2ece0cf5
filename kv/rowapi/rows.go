package rowapi

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// rows makes rows from cells: it calls the filter, counts versions and cells, and decides which cells are
// included.
type rows struct {
	plan   *plan
	from   source
	memory *Memory // of results

	row      []byte // the last row
	own      []byte // the row, in memory of results; nil before a cell is included
	open     bool   // the row has not ended
	cells    []Cell // included cells of the row that have not been returned
	placed   int    // number of these in memory not kept yet, before the filter saw them together
	bytes    int64  // size of cells
	given    bool   // a piece of the row has been returned
	out      bool   // the filter excludes the row by its key
	judged   Cell   // that the filter was asked about last
	families []familyState
	family   int    // at present
	asked    int    // the family last passed to the filter in the row, below 0 for none
	column   []byte // current column of the family
	versions int    // included versions of the column
	passed   bool   // no more of the column is wanted
	ended    bool   // the filter wants nothing more
	stats    Stats
}

// familyState is the state of one family.
type familyState struct {
	cells int         // included cells of the row
	out   bool        // no more of the row is wanted
	done  bool        // nothing more is wanted
	hint  filter.Hint // nothing before it is wanted
}

// start begins to make rows. It reuses the receiver's memory.
func (r *rows) start(p *plan, from source, m *Memory) *rows {
	families := slices.Grow(r.families[:0], len(p.tables))[:len(p.tables)]
	clear(families)
	*r = rows{plan: p, from: from, memory: m, row: r.row[:0], column: r.column[:0], families: families, family: -1}
	return r
}

// begin begins the row of a cell.
func (r *rows) begin(row []byte) {
	r.row, r.own, r.open, r.given, r.out = append(r.row[:0], row...), nil, true, false, false
	likely := len(r.cells) // as in the previous row
	if likely == 0 {
		likely = r.plan.likely
	}
	r.cells, r.placed, r.bytes = r.memory.row(likely), 0, 0
	r.family, r.asked, r.column, r.versions, r.passed = -1, -1, r.column[:0], 0, false
	for i := range r.families {
		f := &r.families[i]
		f.cells, f.out = 0, false
	}
	if f := r.plan.filter; f != nil && (f.FilterAllRemaining() || f.FilterRowKey(row)) {
		r.out, r.ended = true, f.FilterAllRemaining()
		r.leaveRow(len(r.families) - 1)
	}
	if !r.ended { // HBase counts the row at which a filter ends only as filtered
		r.stats.RowsScanned++
	}
}

// end ends the row, and reports whether any of it is left to return.
func (r *rows) end() (some bool) {
	f := r.plan.filter
	r.open = false
	if f != nil && !r.out {
		if f.FilterAllRemaining() {
			r.stop(r.asked)
		}
		r.judge(f)
	}
	if some = len(r.cells) > 0; !some && !r.given {
		r.stats.RowsFiltered++
	}
	if f != nil {
		f.Reset()
		r.ended = r.ended || f.FilterAllRemaining()
	}
	return some
}

// judge passes the row as a whole to the filter.
func (r *rows) judge(f filter.Evaluator) {
	some := len(r.cells) > 0 || r.given
	if r.plan.wholeRows {
		r.cells = f.FilterRowCells(r.cells)
		some = len(r.cells) > 0
	}
	if some && f.FilterRow() {
		r.cells = nil
	}
}

// take looks at a cell of the row, and reports whether it is included.
func (r *rows) take(c *kv.Cell, value []byte) bool {
	r.stats.Cells++
	f := &r.families[c.Family]
	if r.out || f.out || f.done || r.plan.wanted != nil && !r.plan.wanted[c.Family].has(c) {
		return false
	}
	if r.plan.filter == nil && r.plan.versions == 0 {
		return r.place(f, c, value, nil)
	}
	if r.family != c.Family || !bytes.Equal(r.column, c.Qualifier) {
		r.family, r.column, r.versions, r.passed = c.Family, append(r.column[:0], c.Qualifier...), 0, false
	}
	if r.passed {
		return false
	}
	if r.plan.filter == nil {
		return r.count() && r.place(f, c, value, nil)
	}
	return r.ask(f, c, value)
}

// count counts a version, and reports whether it is wanted.
func (r *rows) count() bool {
	if r.plan.versions == 0 {
		return true
	}
	r.versions++
	r.passed = r.versions > r.plan.versions
	return !r.passed
}

// ask passes a cell to the filter, and reports whether it is included.
func (r *rows) ask(f *familyState, c *kv.Cell, value []byte) bool {
	if !r.reached(f, c) {
		return false
	}
	e := r.plan.filter
	if e.FilterAllRemaining() {
		r.stop(r.asked)
		r.stop(c.Family)
		return false
	}
	r.asked = c.Family
	own := &r.judged
	*own = Cell{Row: c.Row, Family: r.plan.names[c.Family], Qualifier: c.Qualifier, Timestamp: c.Timestamp,
		Value: notNil(value)}
	in := false
	code := e.FilterCell(own)
	switch code {
	case filter.Include, filter.IncludeAndNextCol, filter.IncludeAndSeekNextRow:
		in = r.count() && r.place(f, c, value, e)
	case filter.SeekNextUsingHint:
		r.hint(f, c.Family, e.NextCellHint(own))
	}
	switch code {
	case filter.IncludeAndNextCol, filter.NextCol:
		r.passed = true
	case filter.IncludeAndSeekNextRow, filter.NextRow:
		f.out = true
		r.leaveRow(c.Family)
	}
	return in
}

func notNil(value []byte) []byte {
	if value == nil {
		return []byte{}
	}
	return value
}

// reached reports whether a cell is not before its family's hint.
func (r *rows) reached(f *familyState, c *kv.Cell) bool {
	if f.hint.Row == nil {
		return true
	}
	order := bytes.Compare(c.Row, f.hint.Row)
	if r.plan.scan.Reverse {
		order = -order
	}
	if order == 0 && f.hint.Family == r.plan.names[c.Family] {
		order = bytes.Compare(c.Qualifier, f.hint.Qualifier)
	}
	if order >= 0 {
		f.hint = filter.Hint{}
	}
	return order >= 0
}

// hint stores a hint. A whole row is skipped if no family wants it.
func (r *rows) hint(f *familyState, family int, h filter.Hint) {
	if h.Row == nil {
		return
	}
	f.hint = filter.Hint{Row: bytes.Clone(h.Row), Family: h.Family, Qualifier: bytes.Clone(h.Qualifier)}
	if !bytes.Equal(h.Row, r.row) {
		f.out = true
		r.leaveRow(family)
	}
}

// leaveRow skips the rest of the row, and rows that no family wants, if the last family wants no more of the
// row.
func (r *rows) leaveRow(family int) {
	if family != len(r.families)-1 || r.plan.scan.Reverse {
		return
	}
	next := append(bytes.Clone(r.row), 0)
	least := r.families[0].hint.Row
	for i := range r.families {
		if h := r.families[i].hint.Row; bytes.Compare(h, least) < 0 {
			least = h
		}
	}
	if bytes.Compare(least, next) > 0 {
		next = least
	}
	r.from.skipTo(next)
}

// stop ends a family, if there is one, and the scan with the last of them. The filter wanted nothing more
// when it was called for the family, but may not say so again in the next row: only families for which it was
// called end.
func (r *rows) stop(family int) {
	if family >= 0 {
		r.families[family].done = true
	}
	for i := range r.families {
		if !r.families[i].done {
			return
		}
	}
	r.ended = true
}

// place adds an included cell, unless the family's limit and offset exclude it.
func (r *rows) place(f *familyState, c *kv.Cell, value []byte, e filter.Evaluator) bool {
	f.cells++
	if r.plan.storeLimit > 0 && f.cells >= r.plan.storeLimit+r.plan.storeSkip {
		f.out = true // the filter must not see cells beyond
	}
	if f.cells <= r.plan.storeSkip {
		return false
	}
	if r.own == nil {
		r.own = r.memory.bytes.copy(r.row)
	}
	r.cells, r.placed = append(r.cells, Cell{Row: r.own, Family: r.plan.names[c.Family], Qualifier: c.Qualifier,
		Timestamp: c.Timestamp, Value: notNil(value)}), r.placed+1
	in := &r.cells[len(r.cells)-1]
	if e != nil {
		e.TransformCell(in)
	}
	in.Qualifier, in.Value = r.memory.bytes.copy(in.Qualifier), r.memory.bytes.copy(in.Value)
	r.bytes += bytesOf(in)
	return true
}
