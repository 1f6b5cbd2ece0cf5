package pebblekv

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// A merge needs the first cell of each of its streams before it gives out any.
// Where there are many, an iterator and a seek for each cost more than the cells
// of a short range. So one iterator goes through the spans of all, and reads the
// first few cells of each ahead; a stream that is asked for more goes on with an
// iterator of its own.

// ahead is what has been read ahead of a stream.
type ahead struct {
	stream *stream
	cells  []aheadCell
	at     int  // of the cell stood at
	whole  bool // the span has no more cells
	err    error
}

// aheadCell is a stored key and, where the scan needs it, its value.
type aheadCell struct{ key, value []byte }

const (
	// aheadCells are read ahead of all streams together, if that is not too many
	// or too few for one. Nothing is where the reader expects to stop early: most
	// of it would be read for nobody.
	aheadCells    = 1024
	maxAheadCells = 64
	minAheadCells = 16
	// maxAheadValue is the size of a value from which on it is left to the
	// stream.
	maxAheadValue = 2 << 10
)

// aheadRoom is memory for cells read ahead.
type aheadRoom struct {
	streams []ahead
	cells   []aheadCell
	bytes   []byte
	next    []byte // a buffer for the key behind them
}

// maxKeptAhead bounds the bytes of cells read ahead whose memory an unused
// cursor keeps.
const maxKeptAhead = 512 << 10

// reset is the room without what is in it.
func (r *aheadRoom) reset() aheadRoom {
	if cap(r.bytes) > maxKeptAhead || cap(r.cells) > maxKeptStreams*minAheadCells {
		return aheadRoom{}
	}
	clear(r.streams)
	clear(r.cells)
	return *r
}

// readAhead reads the first cells of the streams, where that is worth it.
func (c *cursor) readAhead(streams []*stream) error {
	if len(streams) < c.tuning.aheadStreams || c.own != nil || c.slices != nil || c.scan.Reverse || c.scan.Limit > 0 {
		return nil
	}
	it, pooled, err := c.takeIterator(false)
	if err != nil {
		return err
	}
	it.SetBounds(nil, nil) // it may be that of a stream of the last run
	most := min(max(aheadCells/len(streams), minAheadCells), maxAheadCells)
	room := &c.aheadRoom
	if cap(room.streams) < len(streams) {
		room.streams = make([]ahead, 0, len(streams))
	}
	room.streams, room.cells, room.bytes = room.streams[:0], room.cells[:0], room.bytes[:0]
	for _, s := range streams {
		if len(s.spans) == 1 && !s.spans[0].OneRow {
			s.readAhead(it, room, most)
		}
	}
	err = faultfs.DiskError(it.Error())
	if closed := c.view.put(it, pooled); err == nil {
		err = closed
	}
	return err
}

// readAhead reads the stream's first cells with the iterator. Pebble seeks
// faster to a key behind the one that it sought last.
func (s *stream) readAhead(it *pebble.Iterator, room *aheadRoom, most int) {
	s.src.seeks++
	from, whole := len(room.cells), true
	upper := s.spans[0].Upper
	for ok := it.SeekGE(s.spans[0].Lower); ok && bytes.Compare(it.Key(), upper) < 0; ok = it.Next() {
		if whole = len(room.cells) < from+most && room.add(it, s.c.scan.NeedValue); !whole {
			break
		}
	}
	room.streams = append(room.streams, ahead{stream: s, cells: room.cells[from:], at: -1, whole: whole})
	s.src.ahead, s.src.layered = &room.streams[len(room.streams)-1], true
}

// add copies the cell that the iterator stands at, unless it is large.
func (r *aheadRoom) add(it *pebble.Iterator, needValue bool) bool {
	var cell aheadCell
	if needValue {
		v := it.LazyValue()
		if v.Len() > maxAheadValue {
			return false
		}
		value, _, err := v.Value(nil)
		if err != nil {
			return false
		}
		r.bytes, cell.value = appendOwn(r.bytes, value)
	}
	r.bytes, cell.key = appendOwn(r.bytes, it.Key())
	r.cells = append(r.cells, cell)
	return true
}

// appendOwn appends bytes to a buffer and gives the part that holds them, which
// stays good where the buffer grows into another.
func appendOwn(buf, b []byte) (all, own []byte) {
	if cap(buf)-len(buf) < len(b) {
		buf = make([]byte, 0, max(4<<10, 2*cap(buf), len(b)))
	}
	all = append(buf, b...)
	return all, all[len(buf):len(all):len(all)]
}

// seekAhead is seekGE among the cells read ahead.
func (s *source) seekAhead(target []byte, prefix bool) bool {
	a := s.ahead
	for a.at = max(a.at, 0); a.at < len(a.cells) && bytes.Compare(a.cells[a.at].key, target) < 0; {
		a.at++
	}
	switch {
	case a.at < len(a.cells):
		return s.atAhead()
	case a.whole || !s.detach():
		return false
	}
	return s.seekGE(target, prefix)
}

// nextAhead is next among the cells read ahead.
func (s *source) nextAhead() bool {
	a := s.ahead
	a.at++
	switch {
	case a.at < len(a.cells):
		return s.atAhead()
	case a.whole || !s.detach():
		return false
	}
	room := &a.stream.c.aheadRoom
	room.next = append(append(room.next[:0], s.key...), 0)
	return s.seekGE(room.next, false)
}

func (s *source) atAhead() bool {
	s.cells++
	s.key = s.ahead.cells[s.ahead.at].key
	return true
}

// detach takes an iterator to go on with behind the cells read ahead.
func (s *source) detach() bool {
	a := s.ahead
	if a.err = a.stream.open(); a.err != nil {
		return false
	}
	s.ahead, s.layered = nil, false
	return true
}
