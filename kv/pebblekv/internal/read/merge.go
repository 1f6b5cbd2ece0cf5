package read

import (
	"bytes"
	"errors"
)

// merge gives out the cells of several streams in the order of row, then
// family. Each stream is in order by itself, and a row's cells of one family
// are in one stream.
type merge struct {
	all     []*stream // for stopping
	heap    []*stream // by what they stand at; the first is current
	reverse bool
}

// start takes the streams of the cursor to their first cells. It gives the first
// of them, or nil where there is none.
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

// order makes a heap of the streams, and gives the one whose cell comes first, or nil.
func (m *merge) order() *stream {
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	if len(m.heap) == 0 {
		return nil
	}
	return m.heap[0]
}

// next steps the current stream, and gives the one whose cell comes then, or
// nil at the end or on an error of a stream.
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

// drop takes out a stream that has ended; an error of it ends all.
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

// stop gives back what the streams hold, and tells their first error.
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
