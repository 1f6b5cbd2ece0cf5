package collect

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// Lifetimes are what a collection has found of the TTLs of single cells. Files do not tell
// them: Pebble does not show values to the code that makes the properties.
type Lifetimes struct {
	cells    int64 // unexpired cells, with or without a TTL
	expiring int64 // of these
	sample   []int64
}

// maxLifetimes is the size of the sample of expiry times.
const maxLifetimes = 256

// add counts an unexpired cell; ok is false if it has no TTL of its own.
func (l *Lifetimes) add(expires int64, ok bool) {
	l.cells++
	if !ok {
		return
	}
	l.expiring++
	if len(l.sample) < maxLifetimes {
		l.sample = append(l.sample, expires)
	} else if i := rand.Int64N(l.expiring); i < maxLifetimes {
		l.sample[i] = expires
	}
}

// gone returns about which part of the cells has expired at a time.
func (l *Lifetimes) gone(now int64) float64 {
	if l == nil || len(l.sample) == 0 {
		return 0
	}
	n := 0
	for _, at := range l.sample {
		if now >= at {
			n++
		}
	}
	return float64(n) / float64(len(l.sample)) * float64(l.expiring) / float64(l.cells)
}

// removeOwn removes from a leaf the cells that have expired by a TTL of their own.
func (c *collector) removeOwn(ctx context.Context, leaf int) error {
	lower, _ := cellkey.Extent(keyspace.ExtentOf(c.Table, leaf))
	spaces := []keyspace.ID{keyspace.Of(c.Table).Spaces[leaf]}
	return c.through(ctx, cellkey.Suffix(lower), spaces, func(from []byte) ([]byte, error) {
		return c.ownFrom(leaf, from)
	})
}

func (c *collector) ownFrom(leaf int, from []byte) (next []byte, err error) {
	s, err := c.open(leaf)
	if err != nil {
		return nil, err
	}
	for s.seek(from); s.ok && !c.full(); c.steps++ {
		stored, err := s.it.ValueAndErr()
		if err != nil {
			return nil, errors.Join(err, sources{s}.close())
		}
		if expires, ok := cellkey.Expires(stored); ok && c.Now >= expires {
			c.removals = append(c.removals, removal{lower: bytes.Clone(s.it.Key()), guard: columnOf(s)})
		} else {
			c.Lifetimes.add(expires, ok)
		}
		s.next()
	}
	if s.ok {
		next = bytes.Clone(s.suffix())
	}
	return next, errors.Join(sources{s}.err(), sources{s}.close())
}

// columnOf returns the column at which a source is, as a guard: a writer may meanwhile write
// the same version again, which then stays.
func columnOf(s *source) *stretch {
	column := bytes.Clone(cellkey.Suffix(s.column))
	return &stretch{column, cellkey.MakeBehind(bytes.Clone(column))}
}
