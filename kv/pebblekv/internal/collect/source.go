package collect

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// source iterates forwards over keys of one key space. Its places are suffixes: keys
// without their space, so that those of several spaces can be compared.
type source struct {
	it    *pebble.Iterator
	space keyspace.ID
	buf   []byte
	ok    bool // it is at a key
	began bool
	// column is the current key without its timestamp.
	column []byte
	err    error
}

// seekSteps is how many keys are stepped over before a seek.
const seekSteps = 8

// seek goes to the first key at or after a place; never backwards.
func (s *source) seek(place []byte) {
	for n := 0; s.began && n < seekSteps; n++ {
		if !s.ok || bytes.Compare(s.suffix(), place) >= 0 {
			return
		}
		s.next()
	}
	if s.began && (!s.ok || bytes.Compare(s.suffix(), place) >= 0) {
		return
	}
	s.buf = append(cellkey.AppendSpace(s.buf[:0], s.space), place...)
	s.began = true
	s.stand(s.it.SeekGE(s.buf))
}

func (s *source) next() { s.stand(s.it.Next()) }

func (s *source) stand(ok bool) {
	if s.ok = ok; !ok {
		s.err = s.it.Error()
		return
	}
	if s.column, s.ok = cellkey.CellColumn(s.it.Key()); !s.ok {
		s.err = cellkey.Damaged(s.it.Key())
	}
}

func (s *source) suffix() []byte   { return cellkey.Suffix(s.it.Key()) }
func (s *source) timestamp() int64 { return cellkey.Timestamp(s.it.Key()) }

// hasExpired reports whether the current cell has expired by a TTL of its own.
func (s *source) hasExpired(now int64) bool {
	stored, err := s.it.ValueAndErr()
	if err != nil {
		s.err, s.ok = err, false
		return false
	}
	return cellkey.HasExpired(stored, now)
}

// isIn reports whether the source is at a version of a column, given as its place.
func (s *source) isIn(column []byte) bool {
	return s.ok && bytes.Equal(cellkey.Suffix(s.column), column)
}

// sources iterate over several key spaces in one order: the slices of time of a partition.
type sources []*source

func (ss sources) seek(place []byte) {
	for _, s := range ss {
		s.seek(place)
	}
}

// first returns the source whose key is first, or nil.
func (ss sources) first() (first *source) {
	for _, s := range ss {
		if s.ok && (first == nil || bytes.Compare(s.suffix(), first.suffix()) < 0) {
			first = s
		}
	}
	return first
}

func (ss sources) err() error {
	for _, s := range ss {
		if s.err != nil {
			return faultfs.DiskError(s.err)
		}
	}
	return nil
}

func (ss sources) close() (err error) {
	for _, s := range ss {
		if e := s.it.Close(); err == nil {
			err = e
		}
	}
	return faultfs.DiskError(err)
}
