package read

import (
	"bytes"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// window is what was found where cells were looked at.
type window struct {
	stored, given, kept, rows, bytes int64
	whole                            bool // there is nothing behind it
}

func (w *window) add(o window) {
	w.stored, w.given, w.kept = w.stored+o.stored, w.given+o.given, w.kept+o.kept
	w.rows, w.bytes = w.rows+o.rows, w.bytes+o.bytes
}

// look looks at up to so many cells from a key on, after some that it passes over.
// fromRow says that no row begins before the key.
func (e *estimator) look(lower, upper []byte, fromRow bool, pass, most int) (w window, err error) {
	e.it.SetBounds(lower, upper)
	e.row, e.column, e.version, e.inRow = e.row[:0], e.column[:0], 0, false
	for ok, n := e.it.First(), 0; ok; ok, n = e.it.Next(), n+1 {
		if n == pass+most {
			return w, nil
		}
		if n%1024 == 1023 && e.ctx.Err() != nil {
			return w, e.ctx.Err()
		}
		if n < pass-1 {
			continue
		}
		key, value := e.it.Key(), e.it.LazyValue()
		if err := e.step(key, n < pass || n == 0 && !fromRow); err != nil {
			return w, err
		}
		given := e.gives()
		if n < pass {
			continue
		}
		w.stored++
		w.bytes += int64(len(key) + value.Len())
		if !given {
			continue
		}
		if w.given++; !e.inRow {
			w.rows, e.inRow = w.rows+1, true
		}
		kept, err := e.keeps(&value)
		if err != nil {
			return w, err
		}
		if kept {
			w.kept++
		}
	}
	w.whole = true
	return w, faultfs.DiskError(e.it.Error())
}

// step takes the next cell's key. Of a first one that is not known to begin its row
// and its column, these are taken for given.
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

// gives reports whether the scan gives the cell looked at.
func (e *estimator) gives() bool {
	r, t := &e.reading, e.cell.Timestamp
	if r.time.Bounded && (t < r.time.Min || t > r.time.Max) || !inQualifiers(e.scan.Qualifiers, e.cell.Qualifier) {
		return false
	}
	e.version++
	return r.newest == 0 || e.version <= r.newest
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

func (e *estimator) keeps(lazy *pebble.LazyValue) (bool, error) {
	if e.options.Keeps == nil {
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
	return e.options.Keeps(&c, value)
}

// window looks at some cells of a part: going down from half to half, of which one
// is taken by chance, as large as they are, it comes to a small one.
func (e *estimator) window(p part) (window, error) {
	for p.size > smallSize && !p.single {
		a, b, ok, err := e.halve(&p)
		if err != nil {
			return window{}, err
		}
		if ok {
			if p = a; e.chance.Uint64N(a.size+b.size+1) >= a.size {
				p = b
			}
		}
	}
	e.it.SetBounds(p.lower, p.upper)
	cells := 0
	for ok := e.it.First(); ok && cells < smallCells; ok = e.it.Next() {
		cells++
	}
	if cells <= windowSize {
		return e.look(p.lower, p.upper, p.fromRow, 0, windowSize)
	}
	// Behind the last cell comes the first: each is looked at as likely as any other.
	w, err := e.look(p.lower, p.upper, p.fromRow, e.chance.IntN(cells), windowSize)
	if rest := windowSize - int(w.stored); rest > 0 && err == nil {
		more, err := e.look(p.lower, p.upper, p.fromRow, 0, rest)
		w.add(more)
		return w, err
	}
	return w, err
}
