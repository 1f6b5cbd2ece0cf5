package read

import (
	"encoding/binary"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// maxFiltered is up to how many qualifiers a filter compares one after another.
const maxFiltered = 8

// skipFilter has Pebble pass over the cells of qualifiers and times that a scan does not
// ask for: their keys are neither copied nor taken apart.
type skipFilter struct {
	s      *stream
	wanted []ending     // none where cells of all qualifiers are
	others int          // the place of a qualifier that is not among them: none, or any
	times  kv.TimeRange // that are wanted, where others have been met
	hinted bool         // one cell of each row is shown in any case
	run    int          // cells passed over in a row
	// found is which of the wanted the cell is of that Pebble looked at last, none for another and
	// for one of another time: after a step forward it is the one stood at.
	found int
}

// newSkipFilter is nil where the scan asks for ranges of qualifiers or for many, and has met no
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

// judgesQualifiers reports whether cells of other qualifiers than those wanted are passed
// over.
func (u *skipFilter) judgesQualifiers() bool { return u != nil && len(u.wanted) > 0 }

// ending is what keys of a qualifier have between the row's bytes and the timestamp. Its last bytes
// are compared as one number, which is faster than comparing bytes.
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

// isOf reports whether a key ends in this way, behind the part that every row has in front.
func (e *ending) isOf(key []byte) bool {
	n := len(key) - cellkey.TimestampLen
	return n >= max(len(e.text), wordLen) && binary.LittleEndian.Uint64(key[n-wordLen:])&e.mask == e.word &&
		(len(e.text) <= wordLen || string(key[n-len(e.text):n]) == string(e.text))
}

// skipPoint is Pebble's.
func (u *skipFilter) skipPoint() func(key []byte) bool {
	if u.times.Bounded {
		return u.passesTime
	}
	return u.passes
}

// passesTime is passes where not all times are wanted. A cell of another time is not shown for a
// hint.
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

// passes tells Pebble to pass over a cell. Of many cells in a row it shows one, from where the
// stream may seek and sees whether it is to go on: which one it is changes nothing, nor
// that it may have been deleted or written over, as it is never given out.
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

// place is which of the wanted qualifiers a key is of, or that of others.
func (u *skipFilter) place(key []byte) int {
	for i := range u.wanted {
		if u.wanted[i].isOf(key) {
			return i
		}
	}
	return u.others
}

// qualifier is that of a key of which its place and the end of its row are known, or nil
// where the cell is not to be shown, or has no plain key.
func (u *skipFilter) qualifier(at int, key []byte, rowEnd int) []byte {
	switch {
	case rowEnd < 0 || at == none && !u.hinted:
		return nil
	case at == none:
		return cellkey.PlainQualifier(key, rowEnd)
	}
	return u.wanted[at].qualifier
}

// misses reports whether a key is one that Pebble shows and the scan is not to give.
func (u *skipFilter) misses(key []byte) bool { return u != nil && !u.hinted && u.place(key) == none }

// gaveOf reports whether the last cell that was given out is of the key's row.
func (s *stream) gaveOf(key []byte) bool {
	return s.given == s.rows && cellkey.IsOfRow(key, s.row)
}

// steppedOver counts steps over cells of qualifiers or times that are not wanted. Where the
// scan has made enough of them its streams are opened again, to pass over the rest.
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

// soughtPast sets a seek past cells of other times off against so many steps as it costs: where
// many are sought past, passing over them takes longer.
func (c *cursor) soughtPast() { c.stepped = max(0, c.stepped-c.tuning.SeekSteps) }

// skipFilter passes over what the stream need not see, nil where it is to see all.
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

// alone reports whether the stream reads one iterator, and nothing in front of it.
func (s *stream) alone() bool {
	return s.it == iterator(&s.layers.stored) || s.it == iterator(&s.layers.merged)
}
