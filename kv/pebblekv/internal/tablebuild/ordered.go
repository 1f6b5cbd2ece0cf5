package tablebuild

import (
	"bytes"
	"context"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// Ordered makes files of writes in key order: values in stored form, and deletions of cells and of spans.
type Ordered struct {
	*Builder
	out         *output
	first, last []byte // of the current key space
}

// Ordered returns a builder for writes in key order. f must be empty. The spans, sorted and disjoint, are
// deleted except for what is added.
func (f *Builder) Ordered(deleted []cellkey.Span) *Ordered {
	f.streaming, f.deleted = true, deleted
	return &Ordered{Builder: f, out: f.newOutput()}
}

// Add adds a write; it is a deletion if stored is empty.
func (o *Ordered) Add(key, stored []byte) error {
	if o.first == nil || !cellkey.SameSpace(o.first, key) {
		o.endSpace()
		o.first = bytes.Clone(key)
	}
	o.last = append(o.last[:0], key...)
	return o.out.add(key, nil, stored)
}

// endSpace notes how far the writes in a key space reach.
func (o *Ordered) endSpace() {
	if o.first != nil {
		o.extend(o.first, o.last)
	}
}

// Finish returns files of all writes, in key order.
func (o *Ordered) Finish(ctx context.Context) ([]File, error) {
	o.endSpace()
	made, err := o.Builder.Finish(ctx)
	if err != nil || len(o.deleted) == 0 {
		return made, err
	}
	return o.withGaps(made)
}

// withGaps adds files that delete the parts of the spans between files.
func (o *Ordered) withGaps(made []File) (all []File, err error) {
	var from []byte
	for _, f := range made {
		if all, err = o.appendGap(all, from, f.first); err != nil {
			return nil, err
		}
		all, from = append(all, f), cellkey.Behind(f.last)
	}
	return o.appendGap(all, from, nil)
}

// appendGap appends a file that deletes the parts of the spans in a gap, if there are any. nil bounds are
// open.
func (o *Ordered) appendGap(all []File, from, to []byte) ([]File, error) {
	in := within(o.deleted, from, to)
	if len(in) == 0 {
		return all, nil
	}
	t, err := o.newTable(o.tables, true)
	if err != nil {
		return nil, err
	}
	t.first, t.last = in[0].Lower, in[len(in)-1].Upper
	if err := t.close(in); err != nil {
		return nil, err
	}
	return append(all, t.File), nil
}

// within returns the parts of spans between two keys; nil is open.
func within(spans []cellkey.Span, from, to []byte) (in []cellkey.Span) {
	for _, s := range spans {
		lower, upper := cellkey.Later(s.Lower, from), s.Upper
		if to != nil && bytes.Compare(to, upper) < 0 {
			upper = to
		}
		if bytes.Compare(lower, upper) < 0 {
			in = append(in, cellkey.Span{Lower: lower, Upper: upper})
		}
	}
	return in
}

// deleteBetween deletes the parts of spans between two keys.
func (t *loadFile) deleteBetween(spans []cellkey.Span, from, to []byte) error {
	for _, s := range within(spans, from, to) {
		if err := t.w.DeleteRange(s.Lower, s.Upper); err != nil {
			return err
		}
	}
	return nil
}
