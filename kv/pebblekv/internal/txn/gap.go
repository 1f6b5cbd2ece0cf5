package txn

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// gap is a stretch of keys in the view among which nothing is stored, as the
// last look at the store has shown: most cells of a new row, and of sorted new
// rows, need no look of their own.
type gap struct {
	from, to []byte // from inclusive; to exclusive, and empty for no end
	known    bool
}

func (g *gap) holds(key []byte) bool {
	return g.known && bytes.Compare(key, g.from) >= 0 && (len(g.to) == 0 || bytes.Compare(key, g.to) < 0)
}

// gaps are the gaps of a transaction, one for each key space: rows that come
// sorted go up in every partition, though they jump from one to the other.
type gaps struct {
	spaces map[keyspace.ID]*gap
	space  keyspace.ID // of last
	last   *gap
	// climbs grows with looks that went up in their space, and shrinks faster
	// with those that went down.
	climbs int
	clock  uint64 // of the commit that left them
}

// maxClimbs bounds how long looks that went up are remembered.
const maxClimbs = 8

// of is the gap of the key's space.
func (gs *gaps) of(key []byte) *gap {
	space, _ := cellkey.Space(key)
	if gs.last != nil && gs.space == space {
		return gs.last
	}
	g := gs.spaces[space]
	if g == nil {
		if gs.spaces == nil {
			gs.spaces = map[keyspace.ID]*gap{}
		}
		g = &gap{}
		gs.spaces[space] = g
	}
	gs.space, gs.last = space, g
	return g
}

// maxKeptGaps bounds the gaps that are left to the next transaction.
const maxKeptGaps = 1024

// keepGaps leaves the gaps, behind what has been written in them by the commit of
// that clock, to the transaction that begins next. They are good where nobody
// else has committed anything since the view, and until somebody does.
func (t *Txn) keepGaps(clock uint64) {
	if n := len(t.gaps.spaces); n == 0 || n > maxKeptGaps || clock != t.view.Clock+1 {
		return
	}
	kept := t.gaps
	t.own.Keys(func(key []byte) {
		if g := kept.of(key); g.holds(key) {
			g.from = append(append(g.from[:0], key...), 0)
		}
	})
	kept.clock = clock
	t.m.gaps.Store(&kept)
	t.gaps = gaps{}
}

// takeGaps takes over what the last commit has left, where the view is the one
// behind it.
func (t *Txn) takeGaps() {
	if kept := t.m.gaps.Load(); kept != nil && kept.clock == t.view.Clock && t.m.gaps.CompareAndSwap(kept, nil) {
		t.gaps = *kept
	}
}

// look reports whether the key is stored, and else learns the gap g around it.
// Keys of which more than so many came sorted get the whole gap by a seek; others ask the bloom filters first.
func (gs *gaps) look(g *gap, it *pebble.Iterator, key []byte, climbs int) (bool, error) {
	if gs.climb(g, key); gs.climbs > climbs {
		return g.lookWhole(it, key)
	}
	return g.lookInRow(it, key)
}

func (gs *gaps) climb(g *gap, key []byte) {
	switch {
	case !g.known:
	case bytes.Compare(key, g.from) > 0:
		gs.climbs = min(gs.climbs+1, maxClimbs)
	default:
		gs.climbs = max(gs.climbs-2, 0)
	}
}

func (g *gap) lookWhole(it *pebble.Iterator, key []byte) (bool, error) {
	ok := it.SeekGE(key)
	if err := it.Error(); err != nil {
		return false, faultfs.DiskError(err)
	}
	g.learn(key)
	if ok {
		g.to = append(g.to, it.Key()...)
	}
	return ok && bytes.Equal(g.to, key), nil
}

func (g *gap) lookInRow(it *pebble.Iterator, key []byte) (bool, error) {
	ok := it.SeekPrefixGE(key)
	if err := it.Error(); err != nil {
		return false, faultfs.DiskError(err)
	}
	g.learn(key)
	if ok {
		g.to = append(g.to, it.Key()...)
	} else {
		g.to = cellkey.MakeBehind(append(g.to, key[:cellkey.RowLen(key)]...))
	}
	return ok && bytes.Equal(g.to, key), nil
}

// learn starts the gap at the key; its end is still to be set.
func (g *gap) learn(key []byte) {
	g.known = true
	g.from, g.to = append(g.from[:0], key...), g.to[:0]
}
