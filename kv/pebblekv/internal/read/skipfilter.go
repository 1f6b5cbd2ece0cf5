package read

import (
	"encoding/binary"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// maxFiltered is the most qualifiers that a filter compares one by one.
const maxFiltered = 8

// skipFilter makes Pebble skip the cells of qualifiers and times that a scan does not ask for:
// their keys are neither copied nor decoded.
type skipFilter struct {
	s      *stream
	wanted []ending     // empty if all qualifiers are wanted
	others int          // the place of other qualifiers: none, or any
	times  kv.TimeRange // the wanted times, if others have been met
	hinted bool         // one cell of each row is always shown
	run    int          // consecutive cells that were skipped
	// found is the place in wanted of the cell that Pebble looked at last; none for other
	// qualifiers and times. After a step forward that is the current cell.
	found int
}

// newSkipFilter returns nil if the scan asks for ranges of qualifiers or for many, and has met no
// other times than those it asks for.
func newSkipFilter(ranges []kv.QualifierRange, s *stream) *skipFilter {
	u := &skipFilter{s: s}
	if s.c.untimely {
		u.times = s.time
	}
	qualifiers, single := kv.SingleQualifiers(ranges)
	if single && len(qualifiers) > 0 && len(qualifiers) <= maxFiltered {
		u.others, u.hinted = none, s.hinted()
		for _, q := range qualifiers {
			u.wanted = append(u.wanted, newEnding(q))
		}
	}
	if !u.judgesQualifiers() && !u.times.Bounded {
		return nil
	}
	return u
}

// judgesQualifiers reports whether cells of unwanted qualifiers are skipped.
func (u *skipFilter) judgesQualifiers() bool { return u != nil && len(u.wanted) > 0 }

// ending is the part of a qualifier's keys between the row and the timestamp. Its last bytes are
// compared as one number, which is faster than comparing bytes.
type ending struct {
	qualifier  []byte
	text       []byte
	word, mask uint64 // of the last bytes
}

const wordLen = 8

func newEnding(qualifier []byte) ending {
	e := ending{qualifier: qualifier, text: cellkey.AppendPart(cellkey.AppendPart(nil, nil), qualifier)}
	var last [wordLen]byte
	n := copy(last[max(0, wordLen-len(e.text)):], e.text[max(0, len(e.text)-wordLen):])
	e.word = binary.LittleEndian.Uint64(last[:])
	e.mask = ^uint64(0) << (8 * (wordLen - n))
	return e
}

// isOf reports whether a key ends this way, after the part that every row has in front.
func (e *ending) isOf(key []byte) bool {
	n := len(key) - cellkey.TimestampLen
	return n >= max(len(e.text), wordLen) && binary.LittleEndian.Uint64(key[n-wordLen:])&e.mask == e.word &&
		(len(e.text) <= wordLen || string(key[n-len(e.text):n]) == string(e.text))
}

// skipPoint returns the function for Pebble's option SkipPoint.
func (u *skipFilter) skipPoint() func(key []byte) bool {
	if u.times.Bounded {
		return u.passesTime
	}
	return u.passes
}

// passesTime is passes if not all times are wanted. A cell of another time is not shown because of
// a hint.
func (u *skipFilter) passesTime(key []byte) bool {
	if t := cellkey.Timestamp(key); t >= u.times.Min && t <= u.times.Max {
		return u.passes(key)
	}
	if u.found = none; u.run == u.s.c.tuning.SeekSteps {
		u.run = 0
		return false
	}
	u.run++
	u.s.layers.stored.cells++
	return true
}

// passes reports whether Pebble should skip a cell. It shows one of many consecutive cells, from
// which the stream may seek and check whether it should continue. It does not matter which one, or
// whether it is deleted or overwritten, as it is never returned.
func (u *skipFilter) passes(key []byte) bool {
	if u.found = u.place(key); u.found != none {
		u.run = 0
		return false
	}
	if u.hinted && !u.s.gaveOf(key) {
		return false
	}
	if u.run++; u.run > u.s.c.tuning.SeekSteps {
		if u.run = 0; !u.hinted || !u.s.inPlain {
			return false
		}
		u.s.longRuns = true
	}
	u.s.layers.stored.cells++
	return true
}

// place returns the place in wanted of a key's qualifier, or that of others.
func (u *skipFilter) place(key []byte) int {
	for i := range u.wanted {
		if u.wanted[i].isOf(key) {
			return i
		}
	}
	return u.others
}

// qualifier returns the qualifier of a key whose place and end of row are known, or nil if the cell
// is not to be shown or its key has escapes.
func (u *skipFilter) qualifier(at int, key []byte, rowEnd int) []byte {
	switch {
	case rowEnd < 0 || at == none && !u.hinted:
		return nil
	case at == none:
		return cellkey.PlainQualifier(key, rowEnd)
	}
	return u.wanted[at].qualifier
}

// misses reports whether the scan does not want a key that Pebble shows.
func (u *skipFilter) misses(key []byte) bool { return u != nil && !u.hinted && u.place(key) == none }

// gaveOf reports whether the last returned cell is of the key's row.
func (s *stream) gaveOf(key []byte) bool {
	return s.given == s.rows && cellkey.IsOfRow(key, s.row)
}

// steppedOver counts steps over cells of unwanted qualifiers or times. After enough of them the
// scan's streams are opened again, to skip the rest.
func (s *stream) steppedOver() bool {
	c := s.c
	if c.stepped++; c.stepped < c.tuning.PassSteps || s.passing {
		return true
	}
	if s.passing = true; s.reverse || s.within.OneRow || !s.alone() {
		return true
	}
	s.target = append(s.target[:0], s.pos...)
	old, pooled := s.layers.stored.it, s.pooled
	err := s.open()
	if err == nil {
		err = c.view.Put(old, pooled)
	}
	if err != nil {
		c.fail(err)
		return false
	}
	return s.seek(s.target)
}

// soughtPast offsets a seek past cells of other times against the steps that it costs: if many
// cells are sought past, skipping them one by one takes longer.
func (c *cursor) soughtPast() { c.stepped = max(0, c.stepped-c.tuning.SeekSteps) }

// skipFilter returns the filter for what the stream need not see, nil if it must see everything.
func (s *stream) skipFilter() *skipFilter {
	c := s.c
	if c.tuning.PassSteps == 0 || c.stepped < c.tuning.PassSteps || s.reverse || s.retained != nil {
		return nil
	}
	s.passing = true
	ranges := c.scan.Qualifiers
	if s.hinted() {
		ranges = c.scan.Wanted
	}
	return newSkipFilter(ranges, s)
}

// alone reports whether the stream reads one iterator with nothing in front of it.
func (s *stream) alone() bool {
	return s.it == iterator(&s.layers.stored) || s.it == iterator(&s.layers.merged)
}
