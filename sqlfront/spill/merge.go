package spill

import "github.com/hbasekv/hbasekv/sqlfront/value"

// merge gives the rows of several sorted runs in order; of rows that are alike
// those of earlier runs come first.
type merge struct {
	compare Compare
	readers []reader
	heap    []*mergeHead // the first has the next row
	heads   []mergeHead
	// given tells that the first head's row has been given and is to be
	// stepped over.
	given bool
}

// mergeHead is a run with its first row.
type mergeHead struct {
	*reader
	order int // of the run
	first []value.Value
}

func (m *merge) start(runs []run, compare Compare) error {
	m.compare, m.given, m.heap = compare, false, m.heap[:0]
	if len(m.readers) < len(runs) {
		m.readers, m.heads = make([]reader, len(runs)), make([]mergeHead, len(runs))
	}
	for i, r := range runs {
		h := &m.heads[i]
		h.reader, h.order = &m.readers[i], i
		h.open(r, r.file.space.block())
		if err := h.step(); err != nil {
			return err
		}
		if h.first != nil {
			m.heap = append(m.heap, h)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return nil
}

func (h *mergeHead) step() (err error) {
	h.first, err = h.read()
	return err
}

// next is the next row, nil behind the last.
func (m *merge) next() ([]value.Value, error) {
	if m.given {
		if err := m.advance(); err != nil {
			return nil, err
		}
	}
	m.given = len(m.heap) > 0
	if !m.given {
		return nil, nil
	}
	return m.heap[0].first, nil
}

// advance steps over the row given last.
func (m *merge) advance() error {
	if err := m.heap[0].step(); err != nil {
		return err
	}
	if m.heap[0].first == nil {
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
	if c := m.compare(a.first, b.first); c != 0 {
		return c < 0
	}
	return a.order < b.order
}
