package rowlock

import "bytes"

// Extent is the range from the first to the last of some rows of a namespace.
type Extent struct {
	in          ID
	first, last []byte
}

// Extents are the extents of rows that are known only by their IDs, one for
// each namespace.
type Extents []Extent

// Add extends the extent of a namespace to a row. The bytes are copied.
func (e *Extents) Add(in ID, row []byte) {
	x := e.of(in)
	switch {
	case x == nil:
		*e = append(*e, Extent{in, bytes.Clone(row), bytes.Clone(row)})
	case bytes.Compare(row, x.last) > 0:
		x.last = append(x.last[:0], row...)
	case bytes.Compare(row, x.first) < 0:
		x.first = append(x.first[:0], row...)
	}
}

// of returns the extent of a namespace, nil for none.
func (e Extents) of(in ID) *Extent {
	for i := range e {
		if e[i].in == in {
			return &e[i]
		}
	}
	return nil
}

// reaches reports whether rows of the extent may be in the span.
func (s *Span) reaches(x Extent) bool {
	return s.in == x.in && bytes.Compare(x.last, s.from) >= 0 && (s.to == nil || bytes.Compare(x.first, s.to) < 0)
}
