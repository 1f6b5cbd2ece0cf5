// Package collect removes from a table what its retention hides.
//
// A [Job] goes through the table in small pieces while it is read and written. In
// each it looks for versions that are not kept, and removes them in one batch:
// a key range at once where it covers many, else one by one. Where to look it is told
// by what table files say of themselves: the times of their blocks, and how many
// versions of a column they have ([Look]).
//
// What has expired never comes back. What is in excess, or the old neighbours of
// which nobody may see, could: somebody may delete the newer versions and write this
// one again. So a piece of work begins with a watch ([Watches]) on what commits write,
// and under the lock of the commits it leaves out what has been written since.
// Commits never wait for more than that, and none fails because of it: the
// history of commits does not have what was removed. Snapshots see it on.
//
// Before anything is gone, the clock of the store is kept from ever being before the
// moment at which it was judged, now and, by a record in the same batch, after a
// restart.
package collect

import (
	"context"
	"errors"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// ErrOvertaken is a change of the table while it was being collected.
var ErrOvertaken = errors.New("the table has changed while it was being collected")

// Host is the store in which is collected.
type Host interface {
	// Writable is why nothing can be written at present, or nil.
	Writable(ctx context.Context) error
	// Exclude runs fn while nothing is committed.
	Exclude(fn func())
	// Stands reports, while nothing is committed, whether the descriptor is the
	// newest one of its table, and its cells are not being moved.
	Stands(t *kv.Table) bool
}

// Job is one collection of one table.
type Job struct {
	Engine  *views.Engine
	Host    Host
	Watches *Watches
	Table   *kv.Table
	Now     int64 // the moment, by the store's clock
	// Full looks at every column, not only where a file by itself has more versions
	// than are kept.
	Full bool
	// Gentle pauses long between pieces of work, also where nobody writes.
	Gentle   bool
	Progress func(kv.Collected)
	// Lifetimes are filled by Run.
	Lifetimes *Lifetimes
}

// collector is a job at work.
type collector struct {
	Job
	rest   read.Pacer
	oldest int64 // that has not expired
	done   kv.Collected
	marked bool // the clock has been kept from going back

	// Of the present piece of work.
	watch    *watch
	removals []removal
	steps    int
}

// A piece of work ends after so many keys looked at or to be removed.
var (
	PieceSteps  = 256
	maxRemovals = 128
)

// Run removes what is not kept at the moment. What it has done before an error is
// done. ErrOvertaken where the table has changed.
func (j Job) Run(ctx context.Context) (kv.Collected, error) {
	c := &collector{Job: j, rest: read.Pacer{Engine: j.Engine, Gentle: j.Gentle}}
	r := j.Table.Retention
	c.oldest = r.Oldest(j.Now)
	if c.oldest > math.MinInt64 && r.MinVersions == 0 {
		for leaf := range keyspace.Of(j.Table).Spaces {
			if err := c.removeExpired(ctx, leaf); err != nil {
				return c.done, err
			}
		}
	}
	if r.CellTTL {
		for leaf := range keyspace.Of(j.Table).Spaces {
			if err := c.removeOwn(ctx, leaf); err != nil {
				return c.done, err
			}
		}
	}
	if r.MaxVersions > 0 || r.MinVersions > 0 && c.oldest > math.MinInt64 {
		for row := range j.Table.Partitioning.Len() {
			if err := c.removeExcess(ctx, row); err != nil {
				return c.done, err
			}
		}
	}
	return c.done, nil
}

// through runs piece until nothing is left, each from the key at which the last one ended.
func (c *collector) through(ctx context.Context, from []byte, spaces []keyspace.ID,
	piece func(from []byte) (next []byte, err error)) error {
	for from != nil {
		if err := c.Host.Writable(ctx); err != nil {
			return err
		}
		c.rest.Begin()
		next, err := c.watched(from, spaces, piece)
		if err != nil {
			return err
		}
		from = next
		c.Progress(c.done)
		c.rest.Pause(ctx)
	}
	return nil
}

// watched is one piece of work under a watch.
func (c *collector) watched(from []byte, spaces []keyspace.ID,
	piece func(from []byte) (next []byte, err error)) (next []byte, err error) {
	c.watch, c.removals, c.steps = &watch{spaces: spaces, from: from}, nil, 0
	c.Host.Exclude(func() { c.Watches.list = append(c.Watches.list, c.watch) })
	defer c.Host.Exclude(func() { c.Watches.remove(c.watch) })
	if next, err = piece(from); err != nil {
		return nil, err
	}
	return next, c.remove()
}

// full reports whether the piece of work is large enough.
func (c *collector) full() bool { return c.steps >= PieceSteps || len(c.removals) >= maxRemovals }

// open is a source of what a leaf holds as it is now, through a filter of blocks or
// none.
func (c *collector) open(leaf int, filters ...pebble.BlockPropertyFilter) (*source, error) {
	lower, upper := cellkey.Extent(keyspace.ExtentOf(c.Table, leaf))
	it, err := c.Engine.DB.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper, PointKeyFilters: filters})
	if err != nil {
		return nil, faultfs.DiskError(err)
	}
	return &source{it: it, space: keyspace.Of(c.Table).Spaces[leaf]}, nil
}
