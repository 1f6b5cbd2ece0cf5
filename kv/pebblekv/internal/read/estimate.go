package read

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/partition"
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

// Estimate is about how much a scan of the view gives.
func (v *View) Estimate(
	ctx context.Context, tables []*kv.Table, s *kv.Scan, o kv.EstimateOptions, now int64,
) (out kv.Estimate, err error) {
	if o.Cells == 0 {
		o.Cells = fewCells
	}
	o.Cells = max(windowSize, o.Cells/max(1, len(tables)))
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
	return out, errors.Join(err, v.Put(it, true))
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

// part is a span with its first and its last key.
type part struct {
	lower, upper []byte
	first, last  []byte
	size         uint64
	fromRow      bool // no row begins before lower
	single       bool // it cannot be halved
}

// part is the part between two keys; false where there is nothing in it.
func (e *estimator) part(sp *cellkey.Span) (p part, ok bool, err error) {
	p = part{lower: sp.Lower, upper: sp.Upper, fromRow: !sp.OneRow}
	e.it.SetBounds(p.lower, p.upper)
	if e.it.First() {
		p.first = bytes.Clone(e.it.Key())
		e.it.Last()
		p.last = bytes.Clone(e.it.Key())
	}
	if err := e.it.Error(); err != nil || p.first == nil {
		return p, false, faultfs.DiskError(err)
	}
	p.size, err = e.view.sizeOf(p.lower, p.upper)
	return p, true, err
}

// halve parts a part between its first and its last key; false where it cannot.
func (e *estimator) halve(p *part) (a, b part, ok bool, err error) {
	middle, atRow, err := between(p.first, p.last)
	if err != nil || middle == nil {
		p.single = true
		return a, b, false, err
	}
	a, b = *p, *p
	a.upper, b.lower, b.fromRow = middle, middle, atRow
	e.it.SetBounds(p.lower, p.upper)
	if !e.it.SeekLT(middle) {
		p.single = true
		return a, b, false, faultfs.DiskError(e.it.Error())
	}
	a.last = bytes.Clone(e.it.Key())
	e.it.Next() // the last key is not before the middle
	b.first = bytes.Clone(e.it.Key())
	a.size, err = e.view.sizeOf(a.lower, a.upper)
	a.size = min(a.size, p.size)
	b.size = p.size - a.size
	return a, b, true, errors.Join(err, faultfs.DiskError(e.it.Error()))
}

// between is a key between two: of a row where they are of different ones, else of
// a column or of a version. It is nil where there is none.
func between(first, last []byte) (key []byte, atRow bool, err error) {
	var a, b cellkey.Decoded
	if err := errors.Join(a.Decode(first), b.Decode(last)); err != nil {
		return nil, false, err
	}
	space, _ := cellkey.Space(first)
	switch {
	case !bytes.Equal(a.Row, b.Row):
		if middle := partition.Between(a.Row, b.Row, 2); middle != nil {
			return cellkey.AppendRow(nil, space, middle[0]), true, nil
		}
		return cellkey.AppendRow(nil, space, b.Row), true, nil
	case !bytes.Equal(a.Qualifier, b.Qualifier):
		if middle := partition.Between(a.Qualifier, b.Qualifier, 2); middle != nil {
			return cellkey.AppendColumn(nil, space, a.Row, middle[0]), false, nil
		}
		return cellkey.AppendColumn(nil, space, a.Row, b.Qualifier), false, nil
	case a.Timestamp > b.Timestamp+1:
		return cellkey.AppendCell(nil, space, a.Row, a.Qualifier, b.Timestamp+(a.Timestamp-b.Timestamp)/2), false, nil
	}
	return nil, false, nil
}

// pieces cut the spans where they are fewer than can be looked into.
func (e *estimator) pieces(spans []cellkey.Span) (out []part, err error) {
	var total uint64
	for _, sp := range spans {
		p, ok, err := e.part(&sp)
		if err != nil {
			return nil, err
		}
		if ok {
			out, total = append(out, p), total+p.size
		}
	}
	return e.cut(out, e.windows(), 2*smallestPiece)
}

// cut halves the largest parts until there are so many, or none is of some size.
func (e *estimator) cut(parts []part, most int, size uint64) ([]part, error) {
	for len(parts) < most {
		i := largest(parts)
		if i < 0 || parts[i].size < size {
			break
		}
		a, b, ok, err := e.halve(&parts[i])
		if err != nil {
			return nil, err
		}
		if ok {
			parts[i] = a
			parts = append(parts, b)
		}
	}
	return parts, nil
}

func (e *estimator) windows() int { return max(1, e.options.Cells/windowSize) }

// largest is the largest part that can be halved, or -1.
func largest(parts []part) int {
	out := -1
	for i := range parts {
		if !parts[i].single && (out < 0 || parts[i].size > parts[out].size) {
			out = i
		}
	}
	return out
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

// BlockBytes is how large the blocks of files are before they are compressed.
const BlockBytes = 8 << 10

// rawSize is about how large the keys and values of a span are, before they are
// compressed.
func (v *View) rawSize(lower, upper []byte) (float64, error) {
	levels, err := v.engine.DB.SSTables(pebble.WithKeyRangeFilter(lower, upper), pebble.WithApproximateSpanBytes())
	if err != nil {
		return 0, faultfs.DiskError(err)
	}
	out := float64(v.engine.Fresh.within(lower, upper))
	for _, level := range levels {
		for i := range level {
			f := &level[i]
			ratio, err := v.engine.files.ratio(v.engine.DB, f)
			if err != nil {
				return 0, faultfs.DiskError(err)
			}
			of := float64(f.ApproximateSpanBytes) * ratio
			if f.ApproximateSpanBytes < f.Size {
				of -= min(of/2, BlockBytes) // a span begins and ends within blocks, which are told whole
			}
			out += of
		}
	}
	return out, nil
}

// fileRatios remembers how much larger the keys and values of a file are than the
// file: to ask a file takes longer than all else of an estimate.
type fileRatios struct {
	mu    sync.Mutex
	known map[uint64]float64
}

// mostFiles is how many files are remembered.
const mostFiles = 1 << 14

func (r *fileRatios) ratio(db *pebble.DB, f *pebble.SSTableInfo) (float64, error) {
	number := uint64(f.FileNum)
	r.mu.Lock()
	out, ok := r.known[number]
	r.mu.Unlock()
	if ok {
		return out, nil
	}
	levels, err := db.SSTables(pebble.WithProperties(),
		pebble.WithKeyRangeFilter(f.Smallest.UserKey, cellkey.Behind(f.Largest.UserKey)))
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) > mostFiles {
		r.known = map[uint64]float64{}
	}
	for _, level := range levels {
		for i := range level {
			p := level[i].Properties
			r.known[uint64(level[i].FileNum)] = float64(p.RawKeySize+p.RawValueSize) / float64(max(1, level[i].Size))
		}
	}
	return r.known[number], nil
}
