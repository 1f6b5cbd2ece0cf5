package read

import (
	"bytes"
	"errors"
)

// merge returns the cells of several streams ordered by row, then family. Each stream
// is ordered, and a row's cells of one family are in one stream.
type merge struct {
	all     []*stream // for stopping
	heap    []*stream // by their current keys; the first is current
	reverse bool
}

// start moves the streams of the cursor to their first cells. It returns the first of
// them, or nil if there is none.
func (m *merge) start(c *cursor, streams []*stream) *stream {
	m.reverse = c.scan.Reverse
	m.heap = m.heap[:0]
	if len(streams) > 1 {
		if err := c.readAhead(streams); err != nil {
			c.fail(err)
			return nil
		}
	}
	for i, s := range streams {
		m.all = streams[:i+1]
		if err := s.start(); err != nil {
			c.fail(err)
			return nil
		}
		if s.next() {
			m.heap = append(m.heap, s)
		} else if err := s.it.err(); err != nil {
			c.fail(err)
			return nil
		}
	}
	return m.order()
}

// order makes a heap of the streams, and returns the one whose cell comes first, or nil.
func (m *merge) order() *stream {
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	if len(m.heap) == 0 {
		return nil
	}
	return m.heap[0]
}

// next steps the current stream, and returns the one whose cell comes next, or nil at
// the end or on a stream's error.
func (m *merge) next() *stream {
	s := m.heap[0]
	row := s.rows
	if !s.next() {
		return m.drop(s)
	}
	if row != s.rows && len(m.heap) > 1 {
		m.down(0)
	}
	return m.heap[0]
}

// drop removes a stream that has ended; an error of it ends all.
func (m *merge) drop(s *stream) *stream {
	n := len(m.heap) - 1
	if n == 0 || s.it.err() != nil || s.c.err != nil {
		m.heap = m.heap[:0]
		return nil
	}
	m.heap[0] = m.heap[n]
	m.heap = m.heap[:n]
	m.down(0)
	return m.heap[0]
}

// stop releases what the streams hold, and returns their errors.
func (m *merge) stop() error {
	var err error
	// Backwards, so that a stream of the next scan takes the iterator that its
	// partition had in this one.
	for i := len(m.all) - 1; i >= 0; i-- {
		err = errors.Join(err, m.all[i].stop())
	}
	m.all, m.heap = nil, m.heap[:0]
	return err
}

func (m *merge) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(m.heap) {
			return
		}
		if r := child + 1; r < len(m.heap) && m.less(m.heap[r], m.heap[child]) {
			child = r
		}
		if !m.less(m.heap[child], m.heap[i]) {
			return
		}
		m.heap[i], m.heap[child] = m.heap[child], m.heap[i]
		i = child
	}
}

func (m *merge) less(a, b *stream) bool {
	c := bytes.Compare(a.rowKey(), b.rowKey())
	if c == 0 {
		c = a.family - b.family
	}
	if m.reverse {
		return c > 0
	}
	return c < 0
}
