// Package estimate says about how much a scan gives, and how large spans are, without
// reading all of it.
package estimate

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
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Small scans are counted. Larger ones are divided into pieces of about equal size, like a
// parallel scan. In each piece a small stretch is chosen at random, in proportion to sizes,
// and its cells are counted. They are weighted by the inverse of the probability of
// choosing the stretch (the Horvitz-Thompson estimator). So sizes need not be exact, as
// they are not if much was deleted, overwritten or compressed: they only lead to where most
// cells are.

const (
	fewCells   = 256 // cells that are looked at by default
	windowSize = 16  // cells for which one stretch is looked at
	// countedEach is how many cells are counted in the time in which one is chosen at
	// random and looked at.
	countedEach = 4
	// triedEach is the number of stretches up to which Keeps is called for all of their
	// cells; with more stretches it is called for as many cells.
	triedEach = 8
	mostSpans = 256 // whose sizes are asked for; with more spans, these represent the others
	// smallestPiece is the least size that a file's index tells usefully: sizes are in
	// whole blocks.
	smallestPiece = 16 * views.BlockBytes
	// smallSize is the size below which a stretch is read: up to smallCells cells; the rest
	// is assumed to be like these.
	smallSize  = 2 * views.BlockBytes
	smallCells = 1024
	// leastSize is added to sizes, since these are in whole blocks: a span of size 0
	// may have cells.
	leastSize = views.BlockBytes
)

// estimator makes an estimate of one table.
type estimator struct {
	view    *views.View
	ctx     context.Context
	scan    *kv.Scan
	options kv.EstimateOptions
	times   kv.TimeRange // of the cells that are read
	newest  int          // versions of a column, 0 for all
	it      *pebble.Iterator
	chance  *rand.Rand
	family  int
	out     kv.Estimate
	samples []sample // of the options' Keys
	key     []byte
	// Of the current cell:
	cell    cellkey.Decoded
	row     []byte
	column  []byte
	version int  // versions of the column so far
	inRow   bool // a cell of the row was given, or its first cell is unknown
}

// Of estimates how much a scan of the view returns. An earlier estimate is reused while
// the files are the same and little was written.
func Of(ctx context.Context, v *views.View, tables []*kv.Table, s *kv.Scan, o kv.EstimateOptions, now int64,
) (out kv.Estimate, err error) {
	if o.Cells == 0 {
		o.Cells = fewCells
	}
	o.Cells = max(windowSize, o.Cells/max(1, len(tables)))
	made, ok := v.Recall(tables, s, &o, now)
	if ok {
		return made.Estimate, nil
	}
	it, err := v.Take()
	if err != nil {
		return out, err
	}
	out.Exact = true
	samples := newSamples(len(o.Keys))
	for i, t := range tables {
		e := estimator{view: v, ctx: ctx, scan: s, options: o, it: it, family: i,
			chance: rand.New(rand.NewPCG(1, 1)), samples: samples}
		e.times, e.newest = read.Limits(t, s, now)
		if err = e.table(t); err != nil {
			break
		}
		out.Cells, out.Kept, out.Rows = out.Cells+e.out.Cells, out.Kept+e.out.Kept, out.Rows+e.out.Rows
		out.Stored, out.Bytes, out.Exact = out.Stored+e.out.Stored, out.Bytes+e.out.Bytes, out.Exact && e.out.Exact
	}
	out.Distinct = distinct(samples, out.Exact)
	if err = errors.Join(err, v.Put(it, true)); err == nil {
		made.Estimate = out
		v.Remember(made, s, &o)
	}
	return out, err
}

// table estimates a scan of a table.
func (e *estimator) table(t *kv.Table) error {
	spans := read.SpansOf(t, e.scan)
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

// count looks at all cells of the spans; false if they are too many.
func (e *estimator) count(spans []cellkey.Span) (bool, error) {
	e.out = kv.Estimate{Exact: true}
	if len(spans) > e.options.Cells/2 {
		return false, nil // a seek for each costs more than it tells
	}
	left := countedEach * e.options.Cells
	for i := range spans {
		w, err := e.look(spans[i].Lower, spans[i].Upper, true, left, 1)
		if err != nil || !w.whole {
			e.forget()
			return false, err
		}
		left -= int(w.stored)
		e.out.Cells, e.out.Kept, e.out.Rows = e.out.Cells+w.given, e.out.Kept+w.kept, e.out.Rows+w.rows
		e.out.Stored, e.out.Bytes = e.out.Stored+w.stored, e.out.Bytes+w.bytes
	}
	e.endStretch(1)
	return true, nil
}

// sum looks into the largest pieces and adds up all pieces.
func (e *estimator) sum(pieces []part, scale float64) error {
	strata, unseen, err := e.strata(pieces)
	if err != nil {
		return err
	}
	scale *= unseen
	stride := max(1, len(strata)/triedEach)
	if len(e.samples) > 0 {
		stride = 1 // runs of equal keys are found by neighbours
	}
	var sum [5]float64
	for _, each := range strata {
		figures, err := e.window(each, stride, scale)
		if err != nil {
			return err
		}
		for i, f := range figures {
			sum[i] += f
		}
	}
	figure := func(i int) int64 { return int64(math.Round(sum[i])) }
	e.out = kv.Estimate{Cells: figure(0), Kept: figure(1), Rows: figure(2), Stored: figure(3), Bytes: figure(4)}
	return nil
}

// strata returns parts of the largest pieces, each of which is looked into; all pieces are
// times as large as these.
func (e *estimator) strata(pieces []part) (out []part, times float64, err error) {
	slices.SortStableFunc(pieces, func(a, b part) int { return cmp.Compare(b.size, a.size) })
	looked := min(len(pieces), e.windows())
	var size, seen float64
	for i, p := range pieces {
		if size += float64(p.size); i >= looked {
			continue
		}
		seen += float64(p.size)
		of, err := e.cut([]part{p}, e.windows()/looked, smallSize)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, of...)
	}
	if seen == 0 {
		return out, 1, nil
	}
	return out, size / seen, nil
}
