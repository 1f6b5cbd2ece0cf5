package collect

import (
	"bytes"
	"context"
	"errors"
	"math"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// removeExpired removes from a leaf what is older than the oldest time that may be kept.
//
// Two sources go through the leaf in turns, and each skips the blocks of the other:
// everything between the first expired version and the next unexpired one can be
// removed, however much it is. Blocks in which everything has expired are never read.
func (c *collector) removeExpired(ctx context.Context, leaf int) error {
	lower, _ := cellkey.Extent(keyspace.ExtentOf(c.Table, leaf))
	spaces := []keyspace.ID{keyspace.Of(c.Table).Spaces[leaf]}
	return c.through(ctx, cellkey.Suffix(lower), spaces, func(from []byte) ([]byte, error) {
		return c.expiredFrom(leaf, from)
	})
}

func (c *collector) expiredFrom(leaf int, from []byte) (next []byte, err error) {
	old, err := c.open(leaf, cellkey.NewTimeFilter(math.MinInt64, c.oldest-1))
	if err != nil {
		return nil, err
	}
	both := sources{old}
	live, err := c.open(leaf, cellkey.NewTimeFilter(c.oldest, math.MaxInt64))
	if err != nil {
		return nil, errors.Join(err, both.close())
	}
	both = append(both, live)
	_, end := cellkey.Extent(keyspace.ExtentOf(c.Table, leaf))
	for old.seek(from); old.ok && !c.full(); {
		if c.steps++; old.timestamp() >= c.oldest {
			old.seek(cellkey.AppendTimestamp(bytes.Clone(cellkey.Suffix(old.column)), c.oldest-1))
		} else {
			c.run(old, c.nextLive(live, old.suffix()), end, nil)
		}
	}
	if old.ok {
		next = bytes.Clone(old.suffix())
	}
	return next, errors.Join(both.err(), both.close())
}

// liveSteps is the number of expired columns after which the search for a live one
// ends: blocks in memory have no times.
const liveSteps = 2048

// nextLive returns the first place after another with an unexpired version, nil if
// there is none. If the search ends early, it returns a later place before which there
// is no unexpired version.
func (c *collector) nextLive(live *source, from []byte) []byte {
	steps := 0
	for live.seek(from); live.ok && live.timestamp() < c.oldest && steps < liveSteps; steps++ {
		live.seek(cellkey.MakeBehind(bytes.Clone(cellkey.Suffix(live.column))))
	}
	if c.steps += steps; !live.ok {
		return nil
	}
	return bytes.Clone(live.suffix())
}
