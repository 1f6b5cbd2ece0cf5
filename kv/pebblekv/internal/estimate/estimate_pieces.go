package estimate

import (
	"bytes"
	"errors"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/partition"
)

// part is a span with its first and its last key.
type part struct {
	lower, upper []byte
	first, last  []byte
	size         uint64
	fromRow      bool // no row begins before lower
	single       bool // it cannot be halved
}

// part returns the part of a span; false if the span is empty.
func (e *estimator) part(sp *cellkey.Span) (p part, ok bool, err error) {
	p = part{lower: sp.Lower, upper: sp.Upper, fromRow: !sp.OneRow}
	e.it.SetBounds(p.lower, p.upper)
	if e.it.First() {
		p.first = bytes.Clone(e.it.Key())
		e.it.Last()
		p.last = bytes.Clone(e.it.Key())
	}
	if err := e.it.Error(); err != nil || p.first == nil {
		return p, false, faultfs.DiskError(err)
	}
	p.size, err = e.view.SizeOf(p.lower, p.upper)
	return p, true, err
}

// halve divides a part between its first and its last key; false if it cannot be
// divided.
func (e *estimator) halve(p *part) (a, b part, ok bool, err error) {
	middle, atRow, err := between(p.first, p.last)
	if err != nil || middle == nil {
		p.single = true
		return a, b, false, err
	}
	a, b = *p, *p
	a.upper, b.lower, b.fromRow = middle, middle, atRow
	e.it.SetBounds(p.lower, p.upper)
	if !e.it.SeekLT(middle) {
		p.single = true
		return a, b, false, faultfs.DiskError(e.it.Error())
	}
	a.last = bytes.Clone(e.it.Key())
	e.it.Next() // the last key is not before the middle, so there is one
	b.first = bytes.Clone(e.it.Key())
	a.size, err = e.view.SizeOf(a.lower, a.upper)
	a.size = min(a.size, p.size)
	b.size = p.size - a.size
	return a, b, true, errors.Join(err, faultfs.DiskError(e.it.Error()))
}

// between returns a key between two keys: the beginning of a row if their rows
// differ, else of a column or a version. It is nil if there is none.
func between(first, last []byte) (key []byte, atRow bool, err error) {
	var a, b cellkey.Decoded
	if err := errors.Join(a.Decode(first), b.Decode(last)); err != nil {
		return nil, false, err
	}
	space, _ := cellkey.Space(first)
	switch {
	case !bytes.Equal(a.Row, b.Row):
		if middle := partition.Between(a.Row, b.Row, 2); middle != nil {
			return cellkey.AppendRow(nil, space, middle[0]), true, nil
		}
		return cellkey.AppendRow(nil, space, b.Row), true, nil
	case !bytes.Equal(a.Qualifier, b.Qualifier):
		if middle := partition.Between(a.Qualifier, b.Qualifier, 2); middle != nil {
			return cellkey.AppendColumn(nil, space, a.Row, middle[0]), false, nil
		}
		return cellkey.AppendColumn(nil, space, a.Row, b.Qualifier), false, nil
	case a.Timestamp > b.Timestamp+1:
		return cellkey.AppendCell(nil, space, a.Row, a.Qualifier, b.Timestamp+(a.Timestamp-b.Timestamp)/2), false, nil
	}
	return nil, false, nil
}

// pieces divides the spans if they are fewer than can be looked into.
func (e *estimator) pieces(spans []cellkey.Span) (out []part, err error) {
	var total uint64
	for _, sp := range spans {
		p, ok, err := e.part(&sp)
		if err != nil {
			return nil, err
		}
		if ok {
			out, total = append(out, p), total+p.size
		}
	}
	return e.cut(out, e.windows(), 2*smallestPiece)
}

// cut halves the largest parts until there are most parts, or none is larger than size.
func (e *estimator) cut(parts []part, most int, size uint64) ([]part, error) {
	for len(parts) < most {
		i := largest(parts)
		if i < 0 || parts[i].size < size {
			break
		}
		a, b, ok, err := e.halve(&parts[i])
		if err != nil {
			return nil, err
		}
		if ok {
			parts[i] = a
			parts = append(parts, b)
		}
	}
	return parts, nil
}

func (e *estimator) windows() int { return max(1, e.options.Cells/windowSize) }

// largest returns the index of the largest part that can be halved, or -1.
func largest(parts []part) int {
	out := -1
	for i := range parts {
		if !parts[i].single && (out < 0 || parts[i].size > parts[out].size) {
			out = i
		}
	}
	return out
}
