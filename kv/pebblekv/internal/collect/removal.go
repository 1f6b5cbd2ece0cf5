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

// removal is what is removed from one key space: a key, or a range.
type removal struct {
	lower, upper []byte // upper is nil for a single key
	// guard is the stretch in which nothing may have been written meanwhile; nil if
	// that does not matter.
	guard *stretch
}

// stretch is a range of places; to is exclusive, nil if open.
type stretch struct{ from, to []byte }

func before(place, to []byte) bool { return to == nil || bytes.Compare(place, to) < 0 }

// RangeVersions is the least number of versions that are removed by a range: every
// range slows down all iterators while it is in memory.
var RangeVersions = 256

// run removes what the source has from its position to a place. Many keys are
// removed by a range: the rest of the column if all are of one, else everything up
// to the place if nobody writes there. end is the first key after the source.
// guard, if not nil, is for all removals. Without a guard, unexpired versions on
// the way are left out: such a version has been deleted, which the source need not
// have seen, and may have been written again.
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

// remove applies the removals, except those that are no longer valid.
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

// apply makes the batch visible; done is false if some of the removals had to be
// dropped. The lock of the commits is held.
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

// KeepClock keeps the clock from ever going back before a time: at once and, as
// soon as anything written later is durable, after restarts.
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

// dropTouched drops the removals whose keys others have written meanwhile, and
// reports whether there were any.
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
