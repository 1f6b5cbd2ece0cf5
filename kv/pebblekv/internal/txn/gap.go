package txn

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// gap is a span of keys in the view in which nothing is stored, as found by the last
// look at the store. Most cells of a new row, and of new rows in sorted order, then
// need no look of their own.
type gap struct {
	from, to []byte // from inclusive; to exclusive, empty if open
	known    bool
}

func (g *gap) holds(key []byte) bool {
	return g.known && bytes.Compare(key, g.from) >= 0 && (len(g.to) == 0 || bytes.Compare(key, g.to) < 0)
}

// gaps are the gaps of a transaction, one for each key space: sorted rows ascend in
// every partition, though they jump between partitions.
type gaps struct {
	spaces map[keyspace.ID]*gap
	space  keyspace.ID // of last
	last   *gap
	// climbs is the number of consecutive looks that ascended in their space.
	climbs int
	clock  uint64 // of the commit that left them
}

// of returns the gap of the key's space.
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

// maxKeptGaps bounds the gaps that are kept for the next transaction.
const maxKeptGaps = 1024

// keepGaps leaves the gaps to the transaction that begins next, each behind what the
// commit with this clock wrote in it. They hold if nobody else has committed anything
// since the view, and until somebody does.
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

// takeGaps takes over the gaps that the last commit has left, if the view is the one
// right after it.
func (t *Txn) takeGaps() {
	if kept := t.m.gaps.Load(); kept != nil && kept.clock == t.view.Clock && t.m.gaps.CompareAndSwap(kept, nil) {
		t.gaps = *kept
	}
}

// climb counts a look for a key, and returns how many consecutive looks have ascended.
func (gs *gaps) climb(g *gap, key []byte) int {
	switch {
	case !g.known:
	case bytes.Compare(key, g.from) > 0:
		gs.climbs++
	default:
		gs.climbs = 0
	}
	return gs.climbs
}

// look reports whether the key is stored. If not, it learns the gap around it: the
// whole gap, or only the part in the key's row, for which bloom filters are checked
// first.
func (g *gap) look(it *pebble.Iterator, key []byte, whole bool) (bool, error) {
	var ok bool
	if whole {
		ok = it.SeekGE(key)
	} else {
		ok = it.SeekPrefixGE(key)
	}
	if err := it.Error(); err != nil {
		return false, faultfs.DiskError(err)
	}
	g.learnFrom(key)
	switch g.to = g.to[:0]; {
	case ok:
		g.to = append(g.to, it.Key()...)
	case !whole:
		g.to = cellkey.AppendBehindRow(g.to, key)
	}
	return ok && bytes.Equal(g.to, key), nil
}

// absentInFiles reports whether the table files alone prove that the key is not
// stored. If so, it learns the gap around it in its row.
func (t *Txn) absentInFiles(g *gap, key []byte) (sure bool, err error) {
	g.known = false
	if sure, err = t.absent(key, &g.to); sure {
		g.learnFrom(key)
	}
	return sure, err
}

// learnFrom starts the gap at the key.
func (g *gap) learnFrom(key []byte) {
	g.known = true
	g.from = append(g.from[:0], key...)
}
