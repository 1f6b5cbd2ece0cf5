package read

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// An estimate counts what is small. What is larger is cut into pieces of about one
// size, as a scan is divided. Of each a few cells are looked at, somewhere in it, by
// chance but in proportion to sizes. They tell how large cells are there, how many
// of them the scan gives, and so, with the size of the piece, its cells.

const (
	fewCells   = 256 // that are looked at where nobody says how many
	windowSize = 16  // cells that are looked at together: neighbours are often alike
	// countedEach is how many cells are counted in the time in which one is found by
	// chance and looked at.
	countedEach = 4
	mostSpans   = 256 // of which the sizes are asked; more stand for the others
	// smallestPiece is as much of a file as its size tells: that is by whole blocks.
	smallestPiece = 16 * BlockBytes
	// smallSize is from which size on its cells are counted, for a place among them.
	smallSize  = 2 * BlockBytes
	smallCells = 2048
)

// estimator makes an estimate of one table.
type estimator struct {
	view    *View
	ctx     context.Context
	scan    *kv.Scan
	options kv.EstimateOptions
	reading reading
	it      *pebble.Iterator
	chance  *rand.Rand
	family  int
	out     kv.Estimate
	// of the cell looked at:
	cell    cellkey.Decoded
	row     []byte
	column  []byte
	version int  // of the column so far
	inRow   bool // the row has a cell that was given, or its first cell is not known
}

// Estimate is about how much a scan of the view gives. What was found out before is
// not looked for again while the files are the same and little was written.
func (v *View) Estimate(
	ctx context.Context, tables []*kv.Table, s *kv.Scan, o kv.EstimateOptions, now int64,
) (out kv.Estimate, err error) {
	if o.Cells == 0 {
		o.Cells = fewCells
	}
	o.Cells = max(windowSize, o.Cells/max(1, len(tables)))
	made, ok := v.recall(tables, s, &o, now)
	if ok {
		return made.Estimate, nil
	}
	it, err := v.Take()
	if err != nil {
		return out, err
	}
	out.Exact = true
	for i, t := range tables {
		c := cursor{scan: s, moment: Moment{Now: now}}
		e := estimator{view: v, ctx: ctx, scan: s, options: o, it: it, family: i, reading: c.readingOf(t),
			chance: rand.New(rand.NewPCG(1, 1))}
		if err = e.table(t); err != nil {
			break
		}
		out.Cells, out.Kept, out.Rows = out.Cells+e.out.Cells, out.Kept+e.out.Kept, out.Rows+e.out.Rows
		out.Stored, out.Bytes, out.Exact = out.Stored+e.out.Stored, out.Bytes+e.out.Bytes, out.Exact && e.out.Exact
	}
	if err = errors.Join(err, v.Put(it, true)); err == nil {
		made.Estimate = out
		v.remember(made, s, &o)
	}
	return out, err
}

// table estimates a scan of a table.
func (e *estimator) table(t *kv.Table) error {
	spans := e.spans(t)
	if counted, err := e.count(spans); counted || err != nil {
		return err
	}
	e.out = kv.Estimate{}
	scale := 1.0
	if n := len(spans); n > mostSpans {
		scale = float64(n) / mostSpans
		for i := range mostSpans {
			spans[i] = spans[i*n/mostSpans]
		}
		spans = spans[:mostSpans]
	}
	pieces, err := e.pieces(spans)
	if err != nil {
		return err
	}
	return e.sum(pieces, scale)
}

// spans are those of the scan in the key spaces of a table.
func (e *estimator) spans(t *kv.Table) (out []cellkey.Span) {
	for slice := range t.Partitioning.NumSlices() {
		if e.scan.Slices != nil && t.Partitioning.Slices() != nil && !containsOrdinal(e.scan.Slices, slice) {
			continue
		}
		arena := spanArena{slice: slice, rows: e.scan.Rows}
		for _, p := range scanPartitions(&arena, t, e.scan) {
			out = append(out, p.spans...)
		}
	}
	return out
}

// count looks at all cells of the spans; false where they are too many.
func (e *estimator) count(spans []cellkey.Span) (bool, error) {
	e.out = kv.Estimate{Exact: true}
	if len(spans) > e.options.Cells/2 {
		return false, nil // a seek for each costs more than it tells
	}
	left := countedEach * e.options.Cells
	for i := range spans {
		w, err := e.look(spans[i].Lower, spans[i].Upper, true, 0, left)
		if err != nil || !w.whole {
			return false, err
		}
		left -= int(w.stored)
		e.out.Cells, e.out.Kept, e.out.Rows = e.out.Cells+w.given, e.out.Kept+w.kept, e.out.Rows+w.rows
		e.out.Stored, e.out.Bytes = e.out.Stored+w.stored, e.out.Bytes+w.bytes
	}
	return true, nil
}

// sum looks into the largest pieces and adds up all.
func (e *estimator) sum(pieces []part, scale float64) error {
	slices.SortStableFunc(pieces, func(a, b part) int { return cmp.Compare(b.size, a.size) })
	looked := min(len(pieces), e.windows())
	var of [5]float64
	var size, seen float64
	for i := range pieces {
		p := &pieces[i]
		if size += float64(p.size); i >= looked {
			continue
		}
		seen += float64(p.size)
		figures, err := e.piece(p, e.windows()/looked)
		if err != nil {
			return err
		}
		for j, f := range figures {
			of[j] += f
		}
	}
	if seen > 0 {
		scale *= size / seen
	}
	figure := func(i int) int64 { return int64(math.Round(of[i] * scale)) }
	e.out = kv.Estimate{Cells: figure(0), Kept: figure(1), Rows: figure(2), Stored: figure(3), Bytes: figure(4)}
	return nil
}

// piece is about how many cells of a piece are given, kept, rows and stored, and
// their bytes, by what so many windows show.
func (e *estimator) piece(p *part, windows int) (out [5]float64, err error) {
	raw, err := e.view.rawSize(p.lower, p.upper)
	if err != nil {
		return out, err
	}
	strata, err := e.cut([]part{*p}, windows, smallSize)
	if err != nil {
		return out, err
	}
	for _, each := range strata {
		w, err := e.window(each)
		if err != nil {
			return out, err
		}
		if w.stored == 0 {
			continue
		}
		times := raw / float64(w.bytes) * float64(each.size) / float64(max(1, p.size))
		for i, n := range [...]int64{w.given, w.kept, w.rows, w.stored, w.bytes} {
			out[i] += float64(n) * times
		}
	}
	return out, nil
}
