package overlay

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// deletion is a write that deletes all keys of a span, including those that the transaction wrote before.
type deletion struct {
	cellkey.Span
	number uint32 // of the write
}

// DeleteSpans appends deletions of all keys of the spans, each of which is in one key space. The
// bytes are copied.
func (o *Overlay) DeleteSpans(spans []cellkey.Span) {
	o.settleDeletions()
	for i := range spans {
		lower, upper := bytes.Clone(spans[i].Lower), bytes.Clone(spans[i].Upper)
		o.begin(len(lower) + len(upper) + maxRecordHeader)
		number := uint32(o.Len())
		o.arena.entries = append(o.arena.entries, entry{at: uint32(len(o.data))})
		o.data = appendDeletion(o.data, lower, upper)
		span := cellkey.Span{Lower: lower, Upper: upper}
		o.deletions = append(o.deletions, deletion{span, number})
		o.cover(span)
	}
}

// ExtendDeletion extends the last write, the deletion of a span, to another upper key of the same space, and
// reports whether it has: a write that is on disk or that readers have seen stays as it is. The bytes are
// copied.
func (o *Overlay) ExtendDeletion(upper []byte) bool {
	last := o.InMemory() - 1
	if last < 0 || !o.isDeletion(uint32(last)) || o.ordered > last {
		return false
	}
	at := o.arena.entries[last].at
	d := &o.deletions[len(o.deletions)-1]
	o.data = o.data[:at]
	o.begin(len(d.Lower) + len(upper) + maxRecordHeader)
	o.data = appendDeletion(o.data, d.Lower, upper)
	o.longer = true
	return true
}

// settleDeletions updates the spans after ExtendDeletion, which changes the record alone.
func (o *Overlay) settleDeletions() {
	if !o.longer {
		return
	}
	o.longer = false
	last := &o.deletions[len(o.deletions)-1] // which no reader has, so that it may change
	last.Upper = bytes.Clone(o.write(last.number - o.disk.writes).Value)
	if tail := &o.deleted[len(o.deleted)-1]; !bytes.Equal(tail.Lower, last.Lower) {
		o.cover(last.Span)
	} else if bytes.Compare(tail.Upper, last.Upper) < 0 {
		tail.Upper = last.Upper
	}
}

// appendDeletion appends the record that deletes a span.
func appendDeletion(dst, lower, upper []byte) []byte {
	dst = binary.AppendUvarint(append(dst, byte(pebble.InternalKeyKindRangeDelete)), uint64(len(lower)))
	dst = binary.AppendUvarint(append(dst, lower...), uint64(len(upper)))
	return append(dst, upper...)
}

// cover adds a span to those that are deleted. Readers may have these, and keep what they have. Spans that come in
// order, as those of a scan, are added in constant time: a copy of all spans for each new one left 3.5 GiB of garbage
// in a transaction that deletes 4,096 of them.
func (o *Overlay) cover(s cellkey.Span) {
	if n := len(o.deleted); n > 0 && bytes.Compare(o.deleted[n-1].Upper, s.Lower) >= 0 {
		o.deleted = slices.Clone(o.deleted)
	}
	o.deleted = cover(o.deleted, s)
}

// cover adds a span to spans, sorted and disjoint, in their memory.
func cover(spans []cellkey.Span, s cellkey.Span) []cellkey.Span {
	from := sort.Search(len(spans), func(i int) bool { return bytes.Compare(spans[i].Upper, s.Lower) >= 0 })
	to := from
	for ; to < len(spans) && bytes.Compare(spans[to].Lower, s.Upper) <= 0; to++ {
		if s.Upper = cellkey.Later(s.Upper, spans[to].Upper); bytes.Compare(spans[to].Lower, s.Lower) < 0 {
			s.Lower = spans[to].Lower
		}
	}
	return slices.Replace(spans, from, to, s)
}

// coverAll returns what deletions cover, sorted and disjoint; nil if there are none.
func coverAll(all []deletion) (spans []cellkey.Span) {
	for i := range all {
		spans = cover(spans, all[i].Span)
	}
	return spans
}

// Deletions counts the writes that delete spans.
func (o *Overlay) Deletions() int { return len(o.deletions) }

// Deleted returns the spans that have been deleted as a whole, sorted and disjoint. They never change.
func (o *Overlay) Deleted() []cellkey.Span {
	o.settleDeletions()
	return o.deleted
}

// isDeletion reports whether the write deletes a span.
func (o *Overlay) isDeletion(n uint32) bool {
	return len(o.deletions) > 0 && o.data[o.arena.entries[n].at] == byte(pebble.InternalKeyKindRangeDelete)
}

// isCovered reports whether the key is in one of the spans that were deleted since its newest
// write, which has number n from 1, 0 for none.
func isCovered(deletions []deletion, covered []cellkey.Span, n uint32, key []byte) bool {
	if SpanOver(covered, key) == nil {
		return false
	}
	for i := len(deletions) - 1; i >= 0 && deletions[i].number >= n; i-- {
		if d := &deletions[i]; bytes.Compare(key, d.Lower) >= 0 && bytes.Compare(key, d.Upper) < 0 {
			return true
		}
	}
	return false
}

// undoDeletions undoes those of the writes from one on.
func (o *Overlay) undoDeletions(from uint32) {
	if first := before(o.deletions, from); len(first) < len(o.deletions) {
		o.deletions = slices.Clip(first) // readers may have the rest
		o.deleted = coverAll(o.deletions)
	}
}

// before returns the deletions among the first n writes.
func before(all []deletion, n uint32) []deletion {
	for len(all) > 0 && all[len(all)-1].number >= n {
		all = all[:len(all)-1]
	}
	return all
}

// deletedAt returns the spans that the first n writes have deleted.
func (o *Overlay) deletedAt(n int) []cellkey.Span {
	first := before(o.deletions, uint32(n))
	if len(first) == len(o.deletions) {
		return o.deleted
	}
	return coverAll(first)
}

// enterOrder makes the write the newest in an order that has all earlier ones.
func (o *Overlay) enterOrder(in *order, n uint32) {
	if !o.isDeletion(n) {
		in.Set(o.copied(o.write(n)))
		return
	}
	n += o.disk.writes
	i := sort.Search(len(o.deletions), func(i int) bool { return o.deletions[i].number >= n })
	d := &o.deletions[i]
	var gone []Write
	in.Ascend(Write{Key: d.Lower}, func(w Write) bool {
		if bytes.Compare(w.Key, d.Upper) >= 0 {
			return false
		}
		if !w.Deleted {
			gone = append(gone, Write{Key: w.Key, Deleted: true})
		}
		return true
	})
	for _, w := range gone {
		in.Set(w)
	}
}

// SpanOver returns the span that holds the key, nil for none. The spans are sorted and disjoint.
func SpanOver(spans []cellkey.Span, key []byte) *cellkey.Span {
	i := sort.Search(len(spans), func(i int) bool { return bytes.Compare(spans[i].Upper, key) > 0 })
	if i < len(spans) && bytes.Compare(spans[i].Lower, key) <= 0 {
		return &spans[i]
	}
	return nil
}

// Deleted returns the spans of which only the keys among the writes are left, sorted and disjoint.
func (w *Writes) Deleted() []cellkey.Span { return w.deleted }
