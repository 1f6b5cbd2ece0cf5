package read

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
	"github.com/hbasekv/hbasekv/partition"
)

// What a cursor has not read is divided at partitions and, if these are few or differ in
// size, at rows within them. The rows are found like those at which regions are split: by
// bisection between two rows, as numbers whose digits are bytes, with sizes from the
// indexes of the files.

// stretch is a range of rows of one partition; all rows after the cursor's if rows is zero.
type stretch struct {
	partition int
	rows      partition.RowRange
	size      uint64 // on disk
}

// Divide implements kv.Divider.
func (c *cursor) Divide(n int) ([]kv.Scan, error) {
	if n < 1 || c.over || c.skipping || c.scan.Reverse || c.mergesPartitions() {
		return nil, nil
	}
	rest, err := c.stretches(n)
	if err != nil || len(rest) == 0 {
		return nil, err
	}
	if first := &rest[0]; c.current != nil && first.partition == c.current.partition {
		c.current.endAt(first.rows.Start)
	}
	c.runs = nil
	return c.scansOf(rest, n), nil
}

// mergesPartitions reports whether several partitions are merged.
func (c *cursor) mergesPartitions() bool {
	return c.scan.Ordered && !c.scheme.Ordered() && (len(c.merge.all) > 1 || len(c.runs) > 0 && len(c.runs[0]) > 1)
}

// stretches divides what remains after the current row.
func (c *cursor) stretches(n int) ([]stretch, error) {
	var rest []stretch
	for _, run := range c.runs {
		rest = append(rest, stretch{partition: run[0].partition})
	}
	if len(rest) >= 2*n && !c.scheme.Ordered() || len(rest) >= manyPartitions*n || len(c.tables) > 1 || c.slices != nil {
		return rest, nil // of about equal size, or not divisible
	}
	var streams []*stream
	if c.current != nil {
		streams = append(streams, c.current)
	}
	for _, run := range c.runs {
		streams = append(streams, run[0])
	}
	return c.cut(streams, n)
}

// cut divides what the streams have not read into about n pieces or more. It returns all
// but the first if the cursor continues with that.
func (c *cursor) cut(streams []*stream, n int) (out []stretch, err error) {
	d := divider{view: c.view, own: c.own != nil}
	if d.it, err = c.view.Take(); err != nil {
		return nil, err
	}
	for _, s := range streams {
		lower, upper := s.spans[0].Lower, s.spans[len(s.spans)-1].Upper
		if s == c.current {
			lower = cellkey.MakeBehind(bytes.Clone(s.key[:s.cell.RowEnd]))
		}
		d.add(s.partition, lower, upper)
	}
	for steps := 0; (len(d.pieces) < n || steps < 2*n && d.coarse(n)) && d.halve(); steps++ {
	}
	if err := errors.Join(d.err, c.view.Put(d.it, true)); err != nil {
		return nil, err
	}
	for i, p := range d.pieces {
		if i > 0 && d.pieces[i-1].partition == p.partition {
			out[len(out)-1].rows.End = p.start
		}
		out = append(out, stretch{p.partition, partition.RowRange{Start: p.start}, p.size})
	}
	if c.current != nil && len(out) > 0 && out[0].partition == c.current.partition {
		out = out[1:]
	}
	return out, nil
}

// manyPartitions is the factor by which partitions may outnumber the wanted scans before
// they are no longer looked at one by one.
const manyPartitions = 8

// divider halves pieces.
type divider struct {
	view   *views.View
	own    bool // the transaction has writes, which are ignored
	it     *pebble.Iterator
	pieces []piece
	err    error
}

// piece is a range of rows of a partition whose first and last row are known. start is the
// first row, or nil for the first piece of a partition.
type piece struct {
	partition   int
	start       []byte
	space       keyspace.ID
	upper       []byte
	first, last []byte
	size        uint64
	halved      int
	whole       bool // it cannot be halved
}

// add adds the rows of a partition between two keys, unless there are none. If none are
// stored, the transaction may have written some.
func (d *divider) add(partition int, lower, upper []byte) {
	p := piece{partition: partition, upper: upper}
	p.space, _ = cellkey.Space(lower)
	if d.err != nil || bytes.Compare(lower, upper) >= 0 {
		return
	}
	d.it.SetBounds(lower, upper)
	if p.first = d.row(d.it.First()); p.first == nil {
		if p.whole = true; d.own {
			d.pieces = append(d.pieces, p)
		}
		return
	}
	p.last = d.row(d.it.Last())
	p.size = d.sizeOf(&p)
	d.pieces = append(d.pieces, p)
}

// row returns the iterator's current row, or nil.
func (d *divider) row(ok bool) []byte {
	var row []byte
	err := faultfs.DiskError(d.it.Error())
	if ok && err == nil {
		row, err = cellkey.RowOf(d.it.Key())
	}
	if err != nil {
		d.err = errors.Join(d.err, err)
		return nil
	}
	return row
}

// key returns the key of a row of the piece's partition.
func (p *piece) key(row []byte) []byte { return cellkey.AppendRow(nil, p.space, row) }

func (d *divider) sizeOf(p *piece) uint64 {
	if d.err != nil {
		return 0
	}
	size, err := d.view.SizeOf(p.key(p.first), cellkey.MakeBehind(p.key(p.last)))
	d.err = errors.Join(d.err, err)
	return size
}

// largePiece is the size above which pieces are halved up to twice as many as asked for, so
// that the last ones are small: two goroutines that read 200 MB in eight pieces of 14 to 30
// MB gain 1.88, and in sixteen 1.98.
const largePiece = 4 << 20

// coarse reports whether a piece is larger than two of n equal ones, or larger than largePiece.
func (d *divider) coarse(n int) bool {
	var total, largest uint64
	for i := range d.pieces {
		total, largest = total+d.pieces[i].size, max(largest, d.pieces[i].size)
	}
	return largest*uint64(n) > 2*total || largest > largePiece && len(d.pieces) < 2*n
}

// halve divides the largest piece in two; false if none can be halved.
func (d *divider) halve() bool {
	i := -1
	for j := range d.pieces {
		if p := &d.pieces[j]; !p.whole && (i < 0 || p.largerThan(&d.pieces[i])) {
			i = j
		}
	}
	if i < 0 || d.err != nil {
		return false
	}
	p := &d.pieces[i]
	middle := partition.Between(p.first, p.last, 2)
	if p.whole = middle == nil; p.whole {
		return true
	}
	p.halved++
	upper := *p
	d.it.SetBounds(p.key(p.first), p.upper)
	upper.first = d.row(d.it.SeekGE(p.key(middle[0])))
	p.last = d.row(d.it.SeekLT(p.key(middle[0])))
	if d.err != nil || upper.first == nil || p.last == nil {
		return false
	}
	upper.start = upper.first
	p.size, upper.size = d.sizeOf(p), d.sizeOf(&upper)
	d.pieces = slices.Insert(d.pieces, i+1, upper)
	return d.err == nil
}

// largerThan compares sizes. Pieces that are not on disk yet have none; they are assumed to
// be evenly distributed.
func (p *piece) largerThan(other *piece) bool {
	return cmp.Or(cmp.Compare(p.size, other.size), cmp.Compare(other.halved, p.halved)) > 0
}

// scansOf returns about n scans of the stretches. Adjacent whole partitions share a scan.
func (c *cursor) scansOf(rest []stretch, n int) []kv.Scan {
	total := uint64(len(rest)) // so that those without a size have one
	for _, s := range rest {
		total += s.size
	}
	var out []kv.Scan
	var size uint64
	for i, s := range rest {
		size += s.size + 1
		joins := i > 0 && s.isWhole() && rest[i-1].isWhole()
		if joins && size*uint64(n) <= total*uint64(len(out)) || len(out) >= n && joins {
			last := &out[len(out)-1]
			last.Partitions, last.Size = append(last.Partitions, s.partition), last.Size+s.size
			continue
		}
		part := *c.scan
		part.Partitions, part.Rows, part.Limit, part.Size = []int{s.partition}, within(c.scan.Rows, s.rows), 0, s.size
		out = append(out, part)
	}
	return out
}

func (s *stretch) isWhole() bool { return s.rows.Start == nil && s.rows.End == nil }

// within returns the rows that are in both ranges.
func within(a, b partition.RowRange) partition.RowRange {
	out := partition.RowRange{Start: cellkey.Later(a.Start, b.Start), End: a.End}
	if b.End != nil && (out.End == nil || bytes.Compare(b.End, out.End) < 0) {
		out.End = b.End
	}
	return out
}

// endAt ends the stream before a row, which is after the current one.
func (s *stream) endAt(row []byte) {
	s.c.hot.row = nil // the rest of the row is not read
	space, _ := cellkey.Space(s.spans[0].Lower)
	key := cellkey.AppendRow(nil, space, row)
	for i := range s.spans {
		sp := &s.spans[i]
		if bytes.Compare(sp.Upper, key) <= 0 {
			continue
		}
		if sp.Upper = key; bytes.Compare(sp.Lower, key) >= 0 {
			i--
		}
		s.spans = s.spans[:i+1]
		break
	}
	s.within.Upper = cellkey.Earlier(s.within.Upper, key)
	s.check = true
}
