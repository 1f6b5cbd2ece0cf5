package read

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// A merge needs the first cell of each of its streams before it returns any. With
// many streams, an iterator and a seek for each cost more than the cells of a
// short range. So one iterator goes through the spans of all streams and reads
// the first few cells of each ahead; a stream that is read further continues with
// an iterator of its own.

// ahead iterates over what has been read ahead for a stream; after that the
// stream's own iterator continues.
type ahead struct {
	stream *stream
	cells  []views.Entry
	at     int  // of the current cell
	whole  bool // the span has no more cells
	failed error

	met, seeks int64
}

const (
	// aheadCells are read ahead for all streams together, if that is not too many
	// or too few for each. Nothing is read ahead if the reader expects to stop
	// early: most of it would not be used.
	aheadCells    = 1024
	maxAheadCells = 64
	minAheadCells = 16
	// maxAheadValue is the size above which a value is left to the stream.
	maxAheadValue = 2 << 10
)

// aheadArena is memory for cells read ahead.
type aheadArena struct {
	streams []ahead
	cells   []views.Entry
	bytes   []byte
	next    []byte // a buffer for the key that follows them
}

// maxKeptAhead bounds the memory for cells read ahead that an unused cursor
// keeps, in bytes.
const maxKeptAhead = 512 << 10

// reset returns the arena, emptied.
func (r *aheadArena) reset() aheadArena {
	if cap(r.bytes) > maxKeptAhead || cap(r.cells) > maxKeptStreams*minAheadCells {
		return aheadArena{}
	}
	clear(r.streams)
	clear(r.cells)
	return aheadArena{streams: r.streams[:0], cells: r.cells[:0], bytes: r.bytes[:0], next: r.next}
}

// readAhead reads the first cells of the streams if that is worthwhile.
func (c *cursor) readAhead(streams []*stream) error {
	if len(streams) < c.tuning.AheadStreams || c.own != nil || c.slices != nil || c.scan.Reverse || c.scan.Limit > 0 {
		return nil
	}
	r := readingOf(streams)
	it, pooled, err := c.takeIterator(false, &r, nil)
	if err != nil {
		return err
	}
	it.SetBounds(nil, nil) // it may have been used by a stream of the last run
	most := min(max(aheadCells/len(streams), minAheadCells), maxAheadCells)
	arena := &c.aheadArena
	if cap(arena.streams) < len(streams) {
		arena.streams = make([]ahead, 0, len(streams))
	}
	arena.streams, arena.cells, arena.bytes = arena.streams[:0], arena.cells[:0], arena.bytes[:0]
	for _, s := range streams {
		if len(s.spans) == 1 && !s.spans[0].OneRow && s.retained == nil {
			s.readAhead(it, arena, most)
		}
	}
	err = faultfs.DiskError(it.Error())
	if closed := c.view.Put(it, pooled); err == nil {
		err = closed
	}
	return err
}

// readingOf returns what any of the streams reads.
func readingOf(streams []*stream) reading {
	out := streams[0].reading
	for _, s := range streams[1:] {
		out.time.Bounded = out.time.Bounded && s.time.Bounded
		out.time.Min, out.time.Max = min(out.time.Min, s.time.Min), max(out.time.Max, s.time.Max)
		out.counted = out.counted || s.counted
	}
	return out
}

// readAhead reads the stream's first cells with the iterator. Pebble seeks
// faster to a key after its last seek key.
func (s *stream) readAhead(it *pebble.Iterator, arena *aheadArena, most int) {
	from, whole := len(arena.cells), true
	upper := s.spans[0].Upper
	for ok := it.SeekGE(s.spans[0].Lower); ok && bytes.Compare(it.Key(), upper) < 0; ok = it.Next() {
		if whole = len(arena.cells) < from+most && arena.add(it, s.c.scan.NeedValue); !whole {
			break
		}
	}
	arena.streams = append(arena.streams, ahead{stream: s, cells: arena.cells[from:], at: -1, whole: whole, seeks: 1})
	s.it = &arena.streams[len(arena.streams)-1]
}

// add copies the iterator's current cell, unless it is large.
func (r *aheadArena) add(it *pebble.Iterator, needValue bool) bool {
	var cell views.Entry
	if needValue {
		v := it.LazyValue()
		if v.Len() > maxAheadValue {
			return false
		}
		value, _, err := v.Value(nil)
		if err != nil {
			return false
		}
		r.bytes, cell.Value = appendOwn(r.bytes, value)
	}
	r.bytes, cell.Key = appendOwn(r.bytes, it.Key())
	r.cells = append(r.cells, cell)
	return true
}

// appendOwn appends bytes to a buffer and returns the part that holds them, which
// stays valid if the buffer is reallocated.
func appendOwn(buf, b []byte) (all, own []byte) {
	if cap(buf)-len(buf) < len(b) {
		buf = make([]byte, 0, max(4<<10, 2*cap(buf), len(b)))
	}
	all = append(buf, b...)
	return all, all[len(buf):len(all):len(all)]
}

func (a *ahead) seekGE(target []byte, inRow bool) []byte {
	for a.at = max(a.at, 0); a.at < len(a.cells) && bytes.Compare(a.cells[a.at].Key, target) < 0; {
		a.at++
	}
	switch {
	case a.at < len(a.cells):
		return a.give()
	case a.whole || !a.detach():
		return nil
	}
	return a.stream.it.seekGE(target, inRow)
}

func (a *ahead) next() []byte {
	last := a.cells[a.at].Key
	a.at++
	switch {
	case a.at < len(a.cells):
		return a.give()
	case a.whole || !a.detach():
		return nil
	}
	arena := &a.stream.c.aheadArena
	arena.next = append(append(arena.next[:0], last...), 0)
	return a.stream.it.seekGE(arena.next, false)
}

func (a *ahead) give() []byte {
	a.met++
	return a.cells[a.at].Key
}

// detach takes an iterator to continue after the cells read ahead.
func (a *ahead) detach() bool {
	s := a.stream
	if a.failed = s.open(); a.failed != nil {
		return false
	}
	s.layers.stored.cells, s.layers.stored.seeks = a.met, a.seeks
	return true
}

// seekLT does not look in the cells read ahead: they are only for reading forwards.
func (a *ahead) seekLT(target []byte) []byte {
	if !a.detach() {
		return nil
	}
	return a.stream.it.seekLT(target)
}

func (a *ahead) prev() []byte { return a.seekLT(a.cells[a.at].Key) }

func (a *ahead) value() ([]byte, error) { return a.cells[a.at].Value, nil }

func (a *ahead) err() error { return a.failed }

func (a *ahead) counted() (cells, seeks int64) { return a.met, a.seeks }
