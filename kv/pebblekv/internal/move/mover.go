package move

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sort"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/estimate"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// ErrOvertaken means that the tables were changed while they were being moved:
// the move begins again.
var ErrOvertaken = errors.New("the tables were changed while their cells were moved")

// Host is the store in which cells are moved.
type Host interface {
	// Writable returns the reason why nothing can be written now, or nil.
	Writable(ctx context.Context) error
	// Exclude runs fn while nothing is committed.
	Exclude(fn func())
}

// ChunkBytes is how many bytes a mover copies at a time.
var ChunkBytes = 256 << 10

const (
	// pieceBytes is how many bytes it writes at a time.
	pieceBytes = 16 << 10
	// maxNotes bounds the writes that a mover catches up on while commits wait.
	maxNotes = 256
	// maxRounds bounds how often it catches up without blocking commits.
	maxRounds = 20
)

// mover copies the cells of a move.
type mover struct {
	*Move
	host    Host
	engine  *views.Engine
	catalog *kv.Catalog // in which the plan was valid
	place   layout.Placer
	key     []byte
	copied  kv.MoveProgress
	rest    read.Pacer
}

// CopyCells copies all cells of the move. Afterwards every commit is mirrored.
// Errors are ErrOvertaken, the context's, the host's and the disk's.
func (m *Move) CopyCells(ctx context.Context, h Host, e *views.Engine, o kv.MoveOptions) error {
	c := &mover{Move: m, host: h, engine: e, place: m.placer, rest: read.Pacer{Engine: e}}
	c.estimate(ctx)
	o.Progress(c.copied)
	for _, sp := range m.spans {
		for from := sp.Lower; from != nil; {
			if err := c.stands(ctx); err != nil {
				return err
			}
			c.rest.Begin()
			var err error
			if from, err = c.chunk(cellkey.Span{Lower: from, Upper: sp.Upper}); err != nil {
				return err
			}
			c.extrapolate(from)
			o.Progress(c.copied)
			c.rest.Pause(ctx)
		}
	}
	c.copied.AllCells = c.copied.Cells
	o.Progress(c.copied)
	return nil
}

// estimate counts the cells roughly.
func (c *mover) estimate(ctx context.Context) {
	v := c.engine.Views.Acquire(views.Reader)
	defer func() { _ = v.Release(views.Reader) }()
	for _, sp := range c.parts {
		if stats, err := estimate.SpanStats(ctx, v, sp, false); err == nil {
			c.copied.AllCells += stats.Cells
		}
	}
}

// extrapolate corrects the estimate by the number of parts that are copied up
// to the key: the estimate knows little of what is only in memory.
func (c *mover) extrapolate(next []byte) {
	done := sort.Search(len(c.parts), func(i int) bool { return bytes.Compare(c.parts[i].Lower, next) >= 0 })
	if n := c.copied.Cells; next != nil && done > 0 {
		c.copied.AllCells = max(c.copied.AllCells, n*int64(len(c.parts))/int64(done))
	} else {
		c.copied.AllCells = max(c.copied.AllCells, n)
	}
}

// stands returns the reason why copying cannot continue, or nil.
func (c *mover) stands(ctx context.Context) error {
	if err := c.host.Writable(ctx); err != nil {
		return err
	}
	if now := c.engine.Views.NewestCatalog(); now != c.catalog {
		if !c.Plan.Stands(now) {
			return ErrOvertaken
		}
		c.catalog = now
	}
	return nil
}

// chunk copies the first cells of the span and moves past them. It returns the
// key to continue at, nil at the end. Commits continue meanwhile and leave
// notes; what they have changed is written again before any later commit.
func (c *mover) chunk(sp cellkey.Span) (next []byte, err error) {
	c.host.Exclude(func() { c.noting, c.notes = true, nil })
	defer c.host.Exclude(func() { c.noting, c.notes = false, nil })
	if next, err = c.copyFrom(sp); err != nil {
		return nil, err
	}
	done := cellkey.Span{Lower: sp.Lower, Upper: next}
	if next == nil {
		done.Upper = sp.Upper
	}
	return next, c.catchUp(done)
}

// copyFrom copies the first cells of the span as they are now.
func (c *mover) copyFrom(sp cellkey.Span) (next []byte, err error) {
	it, err := c.engine.DB.NewIter(&pebble.IterOptions{LowerBound: sp.Lower, UpperBound: sp.Upper})
	if err != nil {
		return nil, faultfs.DiskError(err)
	}
	b := c.engine.DB.NewBatch()
	read := 0
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		if read >= ChunkBytes {
			next = append([]byte(nil), it.Key()...)
			break
		}
		var value []byte
		if value, err = it.ValueAndErr(); err == nil {
			read += len(it.Key()) + len(value)
			err = c.copyCell(b, it.Key(), value)
		}
		if b.Len() > pieceBytes && err == nil {
			err = c.apply(b)
			b.Reset()
		}
	}
	if err == nil {
		err = it.Error()
	}
	if err == nil {
		err = c.apply(b)
	}
	return next, faultfs.DiskError(errors.Join(err, it.Close(), b.Close()))
}

// apply applies the batch. It yields first, since commits of others wait for it.
func (c *mover) apply(b *pebble.Batch) error {
	runtime.Gosched()
	defer c.engine.Copied(b)
	return c.engine.DB.Apply(b, pebble.NoSync)
}

func (c *mover) copyCell(b *pebble.Batch, key, value []byte) error {
	var how layout.Placing
	switch c.key, how = c.place.Key(c.key[:0], key); how {
	case layout.Homeless:
		var d cellkey.Decoded
		if err := d.Decode(key); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", kv.ErrNoPartition, d.Text())
	case layout.Goes:
		c.copied.Cells++
		return b.Set(c.key, value, nil)
	}
	return nil
}

// catchUp writes what commits have changed in the span since it was read, and
// moves past it. While there is much to write, it writes without blocking
// commits.
func (c *mover) catchUp(done cellkey.Span) error {
	for round := 0; ; round++ {
		var notes []*overlay.Writes
		var err error
		caughtUp := false
		c.host.Exclude(func() {
			notes, c.notes = c.notes, nil
			if caughtUp = weight(notes) <= maxNotes || round == maxRounds; !caughtUp {
				return
			}
			if err = errors.Join(c.Failed, c.makeUp(notes, done)); err == nil {
				c.next.Store(&done.Upper)
			}
		})
		if caughtUp {
			return err
		}
		if err := c.makeUp(notes, done); err != nil {
			return err
		}
	}
}

// weight returns about how much work the notes are.
func weight(notes []*overlay.Writes) int {
	n := 0
	for _, each := range notes {
		n += each.Len()
	}
	return n
}

func (c *mover) makeUp(notes []*overlay.Writes, done cellkey.Span) error {
	if len(notes) == 0 {
		return nil
	}
	b := c.engine.DB.NewBatch()
	var err error
	for _, each := range notes {
		if err == nil {
			err = c.mirror(b, each, done.Lower, done.Upper)
		}
	}
	if err == nil && !b.Empty() {
		err = c.engine.DB.Apply(b, pebble.NoSync)
		c.engine.Copied(b)
	}
	return faultfs.DiskError(errors.Join(err, b.Close()))
}
