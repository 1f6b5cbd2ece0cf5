package spill

import "github.com/hbasekv/hbasekv/sqlfront/value"

// merge gives the rows of several sorted runs in order; of rows that are alike
// those of earlier runs come first.
type merge struct {
	compare Compare
	brief   brief
	readers []reader
	heap    []*mergeHead // the first has the next row
	heads   []mergeHead
	// given tells that the first head's row has been given and is to be
	// stepped over.
	given bool
}

// mergeHead is a run with its first row.
type mergeHead struct {
	from  rowReader
	order int // of the run
	first []value.Value
	brief uint64
}

// rowReader gives the rows of a run, nil behind the last. Each is valid until the next
// call.
type rowReader interface {
	read() ([]value.Value, error)
}

func (m *merge) start(runs []run, compare Compare, brief brief) error {
	if len(m.readers) < len(runs) {
		m.readers = make([]reader, len(runs))
	}
	from := make([]rowReader, len(runs))
	for i, r := range runs {
		m.readers[i].open(r, r.file.space.block())
		from[i] = &m.readers[i]
	}
	return m.startFrom(from, compare, brief)
}

func (m *merge) startFrom(from []rowReader, compare Compare, brief brief) error {
	m.compare, m.brief, m.given, m.heap = compare, brief, false, m.heap[:0]
	if len(m.heads) < len(from) {
		m.heads = make([]mergeHead, len(from))
	}
	for i, r := range from {
		h := &m.heads[i]
		h.from, h.order = r, i
		if err := m.step(h); err != nil {
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

func (m *merge) step(h *mergeHead) (err error) {
	if h.first, err = h.from.read(); h.first != nil {
		h.brief = m.brief.of(h.first)
	}
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
	if err := m.step(m.heap[0]); err != nil {
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
	if c := m.brief.compare(a.first, b.first, a.brief, b.brief, m.compare); c != 0 {
		return c < 0
	}
	return a.order < b.order
}
