package collect

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
)

// reclaimBytes is about how many bytes of the lowest level are compacted at a time:
// other compactions wait for it, and the space is needed twice meanwhile.
const reclaimBytes = 128 << 20

// Reclaim returns the spans of a table that must be compacted to free the space of
// what was removed at the time now. By itself Pebble would wait until it has to write
// there anyway.
func (s *Survey) Reclaim(t *kv.Table, now int64) (out []cellkey.Span) {
	for _, run := range layout.SpaceRuns(keyspace.Of(t).Spaces) {
		for _, sp := range s.cut(cellkey.AppendSpace(nil, run[0]), cellkey.SpaceEnd(run[1])) {
			var sum balance
			for i := range s.files {
				if f := &s.files[i]; f.overlaps(sp.Lower, sp.Upper) {
					sum.add(f, f.worthless(t.Retention, now))
				}
			}
			if sum.isWorth() {
				out = append(out, sp)
			}
		}
	}
	return out
}

// cut divides a span between files of the lowest level.
func (s *Survey) cut(lower, upper []byte) (out []cellkey.Span) {
	var lowest []*file
	for i := range s.files {
		f := &s.files[i]
		if !f.overlaps(lower, upper) || len(lowest) > 0 && f.level < lowest[0].level {
			continue
		}
		if len(lowest) > 0 && f.level > lowest[0].level {
			lowest = lowest[:0]
		}
		lowest = append(lowest, f)
	}
	slices.SortFunc(lowest, func(a, b *file) int { return bytes.Compare(a.lower, b.lower) })
	from, size := lower, uint64(0)
	for _, f := range lowest {
		if size >= reclaimBytes && bytes.Compare(f.lower, from) > 0 {
			out = append(out, cellkey.Span{Lower: from, Upper: f.lower})
			from, size = f.lower, 0
		}
		size += f.bytes
	}
	return append(out, cellkey.Span{Lower: from, Upper: upper})
}

// overlaps reports whether the file may hold keys of a span.
func (f *file) overlaps(lower, upper []byte) bool {
	return bytes.Compare(f.upper, lower) >= 0 && bytes.Compare(f.lower, upper) < 0
}
