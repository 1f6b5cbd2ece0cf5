package rowcodec

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Span is the rows from Start on and before End; a nil End is behind all rows. The slices are new.
type Span struct {
	Start, End []byte
	// Exact is true where all keys among the rows have the values that were asked for.
	Exact bool
}

// IsEmpty reports whether no row can be in the span.
func (s Span) IsEmpty() bool { return s.End != nil && bytes.Compare(s.Start, s.End) >= 0 }

// Bound is an end of a range; NULL is none.
type Bound struct {
	Value value.Value
	// Open leaves the value itself out.
	Open bool
}

// nowhere is a span without rows.
var nowhere = Span{Start: []byte{0}, End: []byte{0}, Exact: true}

// Equal is the span of the rows whose first parts have these values. It is empty where there can be
// none.
func (k *Key) Equal(first []value.Value) Span {
	row, ok := k.begin(first)
	switch {
	case !ok:
		return nowhere
	case len(first) == len(k.parts):
		return Span{row, append(bytes.Clone(row), 0), true}
	}
	return Span{row, After(row), true}
}

// begin is what the rows begin with whose first parts have these values.
func (k *Key) begin(first []value.Value) (row []byte, ok bool) {
	row = []byte{}
	for i, v := range first {
		var err error
		if row, err = k.parts[i].appendPart(row, v); err != nil {
			return nil, false
		}
	}
	return row, true
}

// After is the first row behind all that begin with a prefix, nil where there is none.
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

// Between is the span of the rows whose first parts have these values, and whose next part, which
// is Sorted and not NULL, is within the bounds. A bound that the encoding has no bytes for, such as
// a day without milliseconds, is left out: other rows are in the span then, too.
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

// edge is the first row of a value, or the first one behind all of that value, nil where that is
// behind all rows. ok is false where the encoding has no bytes for it; exact is false where there
// are other values on this side of it.
func (p *part) edge(prefix []byte, v value.Value, behind bool) (row []byte, exact, ok bool) {
	exact = true
	if p.cut != nil {
		// What begins with the part that can be in a key, and is longer, sorts behind it.
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

// StartsWith is a span that has the rows whose first parts have these values, and whose next part is
// a text or bytes that begin with a text. By collations that compare weights it has others, too.
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
