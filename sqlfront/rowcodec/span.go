package rowcodec

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Span is the rows from Start on and before End; a nil End is after all rows. They may share memory, which is new.
type Span struct {
	Start, End []byte
	// Exact is true if all keys among the rows have the requested values.
	Exact bool
}

// IsEmpty reports whether no row can be in the span.
func (s Span) IsEmpty() bool { return s.End != nil && bytes.Compare(s.Start, s.End) >= 0 }

// IsRow reports whether only one row is in the span.
func (s Span) IsRow() bool {
	n := len(s.Start)
	return len(s.End) == n+1 && s.End[n] == 0 && bytes.HasPrefix(s.End, s.Start)
}

// Bound is an end of a range; NULL means none.
type Bound struct {
	Value value.Value
	// Open excludes the value itself.
	Open bool
}

// nowhere is a span without rows.
var nowhere = Span{Start: []byte{0}, End: []byte{0}, Exact: true}

// Equal is the span of the rows whose first parts have these values. It is empty if there can be none.
func (k *Key) Equal(first []value.Value) Span {
	row, ok := k.begin(first)
	switch {
	case !ok:
		return nowhere
	case len(first) == len(k.parts):
		end := append(row, 0) // usually in the same memory
		return Span{end[:len(row):len(row)], end, true}
	}
	return Span{row, After(row), true}
}

// fewBytes is the memory that is allocated first for a row.
const fewBytes = 16

// begin is the prefix of the rows whose first parts have these values.
func (k *Key) begin(first []value.Value) (row []byte, ok bool) {
	row = make([]byte, 0, fewBytes)
	for i, v := range first {
		var err error
		if row, err = k.parts[i].appendPart(row, v); err != nil {
			return nil, false
		}
	}
	return row, true
}

// After is the first row after all that begin with a prefix, nil if there is none.
func After(prefix []byte) []byte {
	for end := len(prefix); end > 0; end-- {
		if prefix[end-1] != 0xff {
			out := bytes.Clone(prefix[:end])
			out[end-1]++
			return out
		}
	}
	return nil
}

// Between is the span of the rows whose first parts have these values, and whose next part, which must be
// Sorted and is not NULL, is within the bounds. A bound that the encoding cannot represent, such as a day
// without milliseconds, is ignored: the span then has other rows, too.
func (k *Key) Between(first []value.Value, low, high Bound) Span {
	row, ok := k.begin(first)
	if !ok {
		return nowhere
	}
	p := &k.parts[len(first)]
	if p.Nullable {
		row = append(row, notNull)
	}
	out := Span{row, After(row), true}
	if !low.Value.IsNull() {
		start, exact, ok := p.edge(row, low.Value, low.Open)
		if ok && start == nil {
			return nowhere
		}
		if ok {
			out.Start = start
		}
		out.Exact = exact
	}
	if !high.Value.IsNull() {
		end, exact, ok := p.edge(row, high.Value, !high.Open)
		if ok {
			out.End = end
		}
		out.Exact = out.Exact && exact
	}
	return out
}

// edge is the first row of a value, or the first one after it; nil if that is after all rows. ok is false if
// the encoding cannot represent the value; exact is false if there are other values on this side of it.
func (p *part) edge(prefix []byte, v value.Value, behind bool) (row []byte, exact, ok bool) {
	exact = true
	if p.cut != nil {
		// Values that begin with the part that fits into a key, and are longer, sort after it.
		shorter, isCut := p.cut(v)
		v, behind, exact = shorter, behind || isCut, !isCut
	}
	row, err := p.append(bytes.Clone(prefix), v)
	switch {
	case err != nil:
		return nil, false, false
	case !behind:
		return row, exact, true
	case p.last:
		return append(row, 0), exact, true
	}
	return After(row), exact, true
}

// StartsWith is a span with the rows whose first parts have these values, and whose next part is a text or
// bytes that begin with text. For collations that compare weights it has others, too.
func (k *Key) StartsWith(first []value.Value, text []byte) Span {
	row, ok := k.begin(first)
	if !ok {
		return nowhere
	}
	p := &k.parts[len(first)]
	if p.Nullable {
		row = append(row, notNull)
	}
	if p.begin != nil {
		row = p.begin(row, text)
	}
	return Span{Start: row, End: After(row)}
}
