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
	from  *reader
	kept  []sortedRow // where from is nil
	order int         // of the run
	first []value.Value
	brief uint64
}

func (m *merge) start(runs []run, compare Compare, brief brief) error {
	m.makeHeads(len(runs))
	if len(m.readers) < len(runs) {
		m.readers = make([]reader, len(runs))
	}
	for i, r := range runs {
		m.readers[i].open(r, r.file.space.block())
		m.heads[i].from = &m.readers[i]
	}
	return m.begin(compare, brief)
}

// startKept is start of runs in memory, with the numbers of their rows.
func (m *merge) startKept(runs [][]sortedRow, compare Compare, brief brief) error {
	m.makeHeads(len(runs))
	for i, r := range runs {
		m.heads[i].kept = r
	}
	return m.begin(compare, brief)
}

func (m *merge) makeHeads(n int) {
	if cap(m.heads) < n {
		m.heads = make([]mergeHead, n)
	}
	m.heads = m.heads[:n]
}

func (m *merge) begin(compare Compare, brief brief) error {
	m.compare, m.brief, m.given, m.heap = compare, brief, false, m.heap[:0]
	for i := range m.heads {
		h := &m.heads[i]
		h.order = i
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
	if h.from == nil {
		if h.first = nil; len(h.kept) > 0 {
			h.first, h.brief, h.kept = h.kept[0].row, h.kept[0].brief, h.kept[1:]
		}
		return nil
	}
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
