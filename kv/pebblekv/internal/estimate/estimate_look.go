package estimate

import (
	"bytes"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// window is what was found in one stretch.
type window struct {
	stored, given, rows, bytes int64
	tried, kept                int64 // cells of those given
	whole                      bool  // nothing follows it
}

// look looks at up to most cells from a key on. fromRow means that no row begins before
// the key. Keeps is called for one in stride of the given cells.
func (e *estimator) look(lower, upper []byte, fromRow bool, most, stride int) (w window, err error) {
	e.it.SetBounds(lower, upper)
	e.row, e.column, e.version, e.inRow = e.row[:0], e.column[:0], 0, false
	next := int64(e.chance.IntN(stride))
	for ok := e.it.First(); ok; ok = e.it.Next() {
		if int(w.stored) == most {
			return w, nil
		}
		if w.stored%1024 == 1023 && e.ctx.Err() != nil {
			return w, e.ctx.Err()
		}
		key, value := e.it.Key(), e.it.LazyValue()
		if err := e.step(key, w.stored == 0 && !fromRow); err != nil {
			return w, err
		}
		w.stored++
		w.bytes += int64(len(key) + value.Len())
		if !e.gives() {
			continue
		}
		if w.given++; !e.inRow {
			w.rows, e.inRow = w.rows+1, true
		}
		if w.given <= next {
			continue
		}
		kept, err := e.tries(&value)
		if err != nil {
			return w, err
		}
		if w.tried, next = w.tried+1, next+int64(stride); kept {
			w.kept++
		}
	}
	w.whole = true
	return w, faultfs.DiskError(e.it.Error())
}

// figures returns a window's figures, in the order of Estimate, multiplied by times.
func (w *window) figures(times float64) [5]float64 {
	kept := float64(w.kept) / float64(max(1, w.tried)) * float64(w.given)
	return [...]float64{times * float64(w.given), times * kept, times * float64(w.rows),
		times * float64(w.stored), times * float64(w.bytes)}
}

// step takes the next cell's key. If the first one is not known to begin its row and
// its column, these count as already given.
func (e *estimator) step(key []byte, unknown bool) error {
	if err := e.cell.Decode(key); err != nil {
		return err
	}
	if !bytes.Equal(e.row, e.cell.Row) {
		e.row, e.inRow = append(e.row[:0], e.cell.Row...), unknown
	}
	if column := cellkey.Column(key); !bytes.Equal(column, e.column) {
		if e.column, e.version = append(e.column[:0], column...), 0; unknown {
			e.version = math.MaxInt / 2
		}
	}
	return nil
}

// gives reports whether the scan returns the current cell.
func (e *estimator) gives() bool {
	t := e.cell.Timestamp
	if e.times.Bounded && (t < e.times.Min || t > e.times.Max) || !inQualifiers(e.scan.Qualifiers, e.cell.Qualifier) {
		return false
	}
	e.version++
	return e.newest == 0 || e.version <= e.newest
}

func inQualifiers(ranges []kv.QualifierRange, q []byte) bool {
	if ranges == nil {
		return true
	}
	i, found := slices.BinarySearchFunc(ranges, q, func(r kv.QualifierRange, q []byte) int { return bytes.Compare(r.Start, q) })
	if found {
		return true
	}
	return i > 0 && (ranges[i-1].End == nil || bytes.Compare(q, ranges[i-1].End) < 0)
}

// tries samples the keys of the current cell, and reports whether Keeps keeps it.
func (e *estimator) tries(lazy *pebble.LazyValue) (bool, error) {
	if e.options.Keeps == nil && len(e.samples) == 0 {
		return true, nil
	}
	var value []byte
	if e.scan.NeedValue {
		stored, _, err := lazy.Value(nil)
		if err != nil {
			return false, faultfs.DiskError(err)
		}
		if value, err = cellkey.DecodeValue(stored); err != nil {
			return false, err
		}
	}
	c := kv.Cell{Family: e.family, Row: e.cell.Row, Qualifier: e.cell.Qualifier, Timestamp: e.cell.Timestamp}
	e.sample(&c, value)
	if e.options.Keeps == nil {
		return true, nil
	}
	return e.options.Keeps(&c, value)
}

// window looks at a small stretch of a part. It finds the stretch by halving
// repeatedly, and chooses a half at random in proportion to the sizes. The figures are
// scaled to the part and by scale.
func (e *estimator) window(p part, stride int, scale float64) ([5]float64, error) {
	chance := 1 / scale
	for p.size > smallSize && !p.single {
		a, b, ok, err := e.halve(&p)
		if err != nil {
			return [5]float64{}, err
		}
		if !ok {
			break
		}
		first := float64(a.size+leastSize) / float64(a.size+b.size+2*leastSize)
		if p = a; e.chance.Float64() >= first {
			p, first = b, 1-first
		}
		chance *= first
	}
	w, err := e.look(p.lower, p.upper, p.fromRow, smallCells, stride)
	times := 1 / chance
	if !w.whole && err == nil {
		var looked uint64
		looked, err = e.view.SizeOf(p.lower, e.it.Key())
		times *= max(1, float64(p.size)/float64(max(1, looked)))
	}
	e.endStretch(times)
	return w.figures(times), err
}
