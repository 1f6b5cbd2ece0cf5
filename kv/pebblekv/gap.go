package pebblekv

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// gap is a stretch of keys in the view among which nothing is stored, as the
// last look at the store has shown: most cells of a new row, and of sorted new
// rows, need no look of their own.
type gap struct {
	from, to  []byte // from inclusive; to exclusive, and empty for no end
	known     bool
	ascending int // looks in a row that went up
}

func (g *gap) holds(key []byte) bool {
	return g.known && bytes.Compare(key, g.from) >= 0 && (len(g.to) == 0 || bytes.Compare(key, g.to) < 0)
}

// look reports whether the key is stored, and else learns the gap around it.
// Sorted keys get the whole gap by a seek; others ask the bloom filters first.
func (g *gap) look(it *pebble.Iterator, key []byte) (bool, error) {
	if g.known && bytes.Compare(key, g.from) > 0 {
		g.ascending++
	} else {
		g.ascending = 0
	}
	whole := g.ascending > 2
	var ok bool
	if whole {
		ok = it.SeekGE(key)
	} else {
		ok = it.SeekPrefixGE(key)
	}
	if err := it.Error(); err != nil {
		return false, err
	}
	g.known = true
	g.from = append(g.from[:0], key...)
	switch {
	case ok:
		g.to = append(g.to[:0], it.Key()...)
	case whole:
		g.to = g.to[:0]
	default:
		g.to = makeBehind(append(g.to[:0], key[:rowLen(key)]...))
	}
	return ok && bytes.Equal(g.to, key), nil
}
