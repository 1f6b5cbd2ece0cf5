package collect

import (
	"bytes"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// removal is keys of one space that are to go: one, or a range.
type removal struct {
	lower, upper []byte // upper is nil where it is one
	// guard is the places between which nothing may have been written meanwhile;
	// nil where it does not matter.
	guard *stretch
}

// stretch is the places from one to another; the end of all where that is nil.
type stretch struct{ from, to []byte }

func before(place, to []byte) bool { return to == nil || bytes.Compare(place, to) < 0 }

// RangeVersions is how many versions are removed by a range at least: every range
// is in the way of all iterators as long as it is in memory.
var RangeVersions = 256

// run removes what the source has from where it stands to a place. Where that is
// much, it goes at once: the rest of the column if it is all of one, else
// everything up to the place, on condition that nobody writes there. end is the
// first key behind the source. Where there is a guard it is for all. Where there is
// none, a young version on the way is none: it has been deleted, which the source
// need not have seen, and may have been written again.
func (c *collector) run(s *source, to, end []byte, guard *stretch) {
	begin, column := len(c.removals), bytes.Clone(cellkey.Suffix(s.column))
	for s.ok && before(s.suffix(), to) {
		if guard == nil && s.timestamp() >= c.oldest {
			s.next()
			continue
		}
		if len(c.removals)-begin < RangeVersions {
			c.removals = append(c.removals, removal{lower: slices.Clone(s.it.Key()), guard: guard})
			c.steps++
			s.next()
			continue
		}
		whole := removal{lower: c.removals[begin].lower, upper: end, guard: guard}
		if s.isIn(column) {
			to = cellkey.MakeBehind(column)
		} else if guard == nil {
			whole.guard = &stretch{cellkey.Suffix(whole.lower), to}
		}
		if to != nil {
			whole.upper = append(cellkey.AppendSpace(nil, s.space), to...)
			s.seek(to)
		} else {
			s.ok = false
		}
		c.removals = append(c.removals[:begin], whole)
		return
	}
}

// remove applies the removals, but for those that are no longer right.
func (c *collector) remove() error {
	if len(c.removals) > 0 && !c.marked {
		if err := KeepClock(c.Engine, c.Host, c.Now); err != nil {
			return err
		}
		c.marked = true
	}
	for len(c.removals) > 0 {
		b, err := c.batch()
		if err != nil {
			return err
		}
		done := false
		c.Host.Exclude(func() { done, err = c.apply(b) })
		if err = errors.Join(faultfs.DiskError(err), b.Close()); err != nil {
			return err
		}
		if done {
			c.count()
			return nil
		}
	}
	return nil
}

func (c *collector) batch() (*pebble.Batch, error) {
	b := c.Engine.DB.NewBatch()
	var err error
	for _, r := range c.removals {
		if r.upper == nil {
			err = errors.Join(err, b.Delete(r.lower, nil))
		} else {
			err = errors.Join(err, b.DeleteRange(r.lower, r.upper, nil))
		}
	}
	return b, err
}

// apply makes the batch visible; done is false where some of the removals had to
// be given up. The lock of the commits is held.
func (c *collector) apply(b *pebble.Batch) (done bool, err error) {
	if !c.Host.Stands(c.Table) {
		return false, ErrOvertaken
	}
	if c.dropTouched() {
		return false, nil
	}
	defer c.Engine.FilesChanged()
	return true, c.Engine.DB.Apply(b, pebble.NoSync)
}

// KeepClock keeps the clock from ever being before a moment again, now and, once
// anything is durable that is written after it, in later lives of the store.
func KeepClock(e *views.Engine, h Host, ms int64) (err error) {
	b := e.DB.NewBatch()
	h.Exclude(func() {
		e.RaiseClock(ms)
		if err = layout.SetClock(b, e.ClockFloor()); err == nil {
			err = e.DB.Apply(b, pebble.NoSync)
		}
	})
	return errors.Join(faultfs.DiskError(err), b.Close())
}

// dropTouched gives up the removals that others have come between, and reports
// whether there were any.
func (c *collector) dropTouched() bool {
	t := c.watch.take()
	if !t.all && len(t.places) == 0 {
		return false
	}
	had := len(c.removals)
	c.removals = slices.DeleteFunc(c.removals, func(r removal) bool { return r.guard != nil && t.within(r.guard) })
	return len(c.removals) < had
}

func (c *collector) count() {
	for _, r := range c.removals {
		if r.upper == nil {
			c.done.Versions++
		} else {
			c.done.Ranges++
		}
	}
}
