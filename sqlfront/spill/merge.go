package spill

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// merge merges sorted runs; equal rows are in the order of their runs.
type merge struct {
	by      rowmem.Comparer
	readers []reader
	heap    []*mergeHead // the first has the next row
	heads   []mergeHead
	// given means that the row of the first head has been returned, so that the next call skips it.
	given bool
}

// mergeHead is a run and its first row.
type mergeHead struct {
	from  *reader
	kept  []rowmem.SortedRow // if from is nil: those after the first
	order int                // of the run
	row   rowmem.SortedRow   // of the first row; in a file, only the abbreviation
	first []value.Value
	read  bool // first is valid
}

// start merges runs, which are lists of pieces of files, and reads block bytes at once.
func (m *merge) start(runs [][]run, block int, c rowmem.Comparer) error {
	m.makeHeads(len(runs))
	if len(m.readers) < len(runs) {
		m.readers = make([]reader, len(runs))
	}
	for i, r := range runs {
		m.readers[i].openAll(r, block)
		m.heads[i] = mergeHead{from: &m.readers[i]}
	}
	return m.begin(c)
}

// startKept is start for runs in memory.
func (m *merge) startKept(runs [][]rowmem.SortedRow, c rowmem.Comparer) error {
	m.makeHeads(len(runs))
	for i, r := range runs {
		m.heads[i] = mergeHead{kept: r}
	}
	return m.begin(c)
}

func (m *merge) makeHeads(n int) {
	if cap(m.heads) < n {
		m.heads = make([]mergeHead, n)
	}
	m.heads = m.heads[:n]
}

func (m *merge) begin(c rowmem.Comparer) error {
	m.by, m.given, m.heap = c.Own(), false, m.heap[:0]
	for i := range m.heads {
		h := &m.heads[i]
		h.order = i
		ok, err := m.step(h)
		if err != nil {
			return err
		}
		if ok {
			m.heap = append(m.heap, h)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return nil
}

// step goes to the next row of a run, and reports whether it exists.
func (m *merge) step(h *mergeHead) (ok bool, err error) {
	if h.from == nil {
		if ok = len(h.kept) > 0; ok {
			h.row, h.read, h.kept = h.kept[0], false, h.kept[1:]
		}
		return ok, nil
	}
	h.first, err = h.from.read()
	if h.read = true; h.first != nil {
		h.row.Abbreviation = m.by.Abbreviation.Of(h.first)
	}
	return h.first != nil, err
}

// values returns the values of the first row of a run.
func (m *merge) values(h *mergeHead) []value.Value {
	if !h.read {
		if h.read = true; h.first == nil {
			h.first = []value.Value{} // not nil, even without columns
		}
		h.first = m.by.Stores[h.row.Store].AppendRow(h.first[:0], h.row.At)
	}
	return h.first
}

// next returns the next row, or nil after the last.
func (m *merge) next() ([]value.Value, error) {
	h, err := m.nextHead()
	if h == nil || err != nil {
		return nil, err
	}
	return m.values(h), nil
}

// nextHead returns the run that has the next row, or nil after the last.
func (m *merge) nextHead() (*mergeHead, error) {
	if m.given {
		if err := m.advance(); err != nil {
			return nil, err
		}
	}
	if m.given = len(m.heap) > 0; !m.given {
		return nil, nil
	}
	return m.heap[0], nil
}

// advance skips the last row returned.
func (m *merge) advance() error {
	ok, err := m.step(m.heap[0])
	if err != nil {
		return err
	}
	if !ok {
		last := len(m.heap) - 1
		m.heap[0], m.heap = m.heap[last], m.heap[:last]
	}
	m.down(0)
	return nil
}

func (m *merge) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(m.heap) {
			return
		}
		if r := child + 1; r < len(m.heap) && m.less(r, child) {
			child = r
		}
		if !m.less(child, i) {
			return
		}
		m.heap[i], m.heap[child] = m.heap[child], m.heap[i]
		i = child
	}
}

func (m *merge) less(i, j int) bool {
	a, b := m.heap[i], m.heap[j]
	order, ok := m.by.Abbreviation.Tells(a.row.Abbreviation, b.row.Abbreviation)
	if !ok {
		order = m.by.Keys.Compare(m.values(a), m.values(b))
	}
	return cmp.Or(order, cmp.Compare(a.order, b.order)) < 0
}
