// Package collect removes from a table what its retention hides.
//
// A [Job] goes through the table in small pieces while the table is read and written. In
// each piece it finds versions that the retention does not keep, and removes them in one
// batch: by a key range if that covers many, else one by one. Properties of the table
// files tell where to look: the times of their blocks, and how many versions of a column
// they have ([Look]).
//
// Expired versions never reappear. But versions in excess could: somebody may delete the
// newer versions and write this one again. So each piece begins with a watch ([Watches])
// on the keys that commits write. With the lock of the commits held, the piece then leaves
// out what has been written since. Commits wait for no more than that, and none fails
// because of a collection: the history of commits does not contain what was removed.
// Snapshots still see it.
//
// Before anything is removed, the store's clock is kept from ever going back before the
// time that decided what has expired: at once and, by a record in the same batch, after a
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

// ErrOvertaken means that the table was changed while it was being collected.
var ErrOvertaken = errors.New("the table was changed during the collection")

// Host is the store that is collected.
type Host interface {
	// Writable returns the reason why nothing can be written now, or nil.
	Writable(ctx context.Context) error
	// Exclude runs fn while nothing is committed.
	Exclude(fn func())
	// Stands reports whether the table is the newest version of its descriptor and its
	// cells are not being moved. Nothing is committed during the call.
	Stands(t *kv.Table) bool
}

// Job is one collection of one table.
type Job struct {
	Engine  *views.Engine
	Host    Host
	Watches *Watches
	Table   *kv.Table
	Now     int64 // the time, in ms, by the store's clock
	// Full looks at every column, not only at those that have more versions than are kept
	// in a single file.
	Full bool
	// Gentle pauses longer between pieces of work, even if nobody writes.
	Gentle   bool
	Progress func(kv.Collected)
	// Lifetimes is filled by Run.
	Lifetimes *Lifetimes
}

// collector is a running job.
type collector struct {
	Job
	rest   read.Pacer
	oldest int64 // oldest time that has not expired
	done   kv.Collected
	marked bool // the clock has been kept from going back

	// Of the current piece of work.
	watch    *watch
	removals []removal
	steps    int
}

// A piece of work ends after this many keys have been looked at or are to be removed.
var (
	PieceSteps  = 256
	maxRemovals = 128
)

// Run removes what is not kept at the time Now. If it fails, what has been removed stays
// removed. It returns ErrOvertaken if the table has changed.
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

// through calls piece until nothing is left, each time from the key at which the last call
// ended.
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

// watched runs one piece of work under a watch.
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

// open returns a source of what a leaf holds now, with or without a block filter.
func (c *collector) open(leaf int, filters ...pebble.BlockPropertyFilter) (*source, error) {
	lower, upper := cellkey.Extent(keyspace.ExtentOf(c.Table, leaf))
	it, err := c.Engine.DB.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper, PointKeyFilters: filters})
	if err != nil {
		return nil, faultfs.DiskError(err)
	}
	return &source{it: it, space: keyspace.Of(c.Table).Spaces[leaf]}, nil
}
