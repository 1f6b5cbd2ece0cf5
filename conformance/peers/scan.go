package main

import (
	"bytes"
	"container/heap"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
)

// scan describes what a reading operation reads, without SQL: the model and
// Pebble execute it directly, a dialect has a statement for it.
type scan struct {
	from, to     []byte // rows from <= K < to; nil: no bound
	qualifier    []byte // one column; nil: all
	since, until int64  // since <= T < until; 0: no bound
	latest       bool   // the newest version of each cell within the times
	limit        int    // 0: none
	fold         fold
	rows         int // in the answer, for the floor
}

// fold says what is computed from the cells.
type fold int

const (
	cells  fold = iota // K, Q, T, V
	values             // V
	total              // COUNT(*)
	groups             // LEFT(K, 4), COUNT(*)
	top                // K, Q, T, V of the ten largest V
	pivot              // K, V of its columns 0 and 1
)

const groupPrefix, topRows = 4, 10

// answer is the short form of an answer: equal answers have equal sums.
type answer struct {
	rows int
	sum  uint64
}

// sink receives the rows of an answer. If hashing is set it computes a
// checksum, independent of the order unless ordered is set; while workloads are
// timed it only counts.
type sink struct {
	answer
	hashing, ordered bool
	row              maphash.Hash
	keep             bool // keep the last value
	kept             []byte
	looks            bool // read the bytes of values
	seen             byte
}

var seed = maphash.MakeSeed()

func newSink(ordered bool) *sink {
	s := &sink{hashing: true, ordered: ordered}
	s.row.SetSeed(seed)
	return s
}

func (s *sink) bytes(b []byte) {
	s.row.WriteString(strconv.Itoa(len(b)))
	s.row.WriteByte(':')
	s.row.Write(b)
}

func (s *sink) integer(n int64) { s.bytes(strconv.AppendInt(nil, n, 10)) }

// end ends a row.
func (s *sink) end() {
	s.rows++
	if !s.hashing {
		return
	}
	if s.ordered {
		s.sum *= 31
	}
	s.sum += s.row.Sum64()
	s.row.Reset()
}

func (s *sink) cell(c cell) {
	if s.hashing {
		s.bytes(c.k)
		s.bytes(c.q)
		s.integer(c.t)
		s.bytes(c.v)
	}
	if s.looks {
		s.look(c.v)
	}
	s.end()
}

// look loads a value into the processor: a byte of each of its cache lines.
func (s *sink) look(v []byte) {
	for i := 0; i < len(v); i += 64 {
		s.seen ^= v[i]
	}
}

func (s *sink) group(prefix []byte, n int64) {
	if s.hashing {
		if prefix != nil {
			s.bytes(prefix)
		}
		s.integer(n)
	}
	s.end()
}

func (s *sink) pivoted(row [3][]byte) {
	for _, b := range row {
		if s.hashing {
			s.bytes(b)
		}
	}
	s.end()
}

func (s *sink) value(v []byte) {
	if s.hashing {
		s.bytes(v)
	}
	if s.keep {
		s.kept = append(s.kept[:0], v...)
	}
	s.end()
}

// folder computes the rows of the answer from cells that come in order.
type folder struct {
	scan
	to     *sink
	n      int64
	prefix []byte
	best   greatest
	row    [3][]byte // of the pivot
}

func (s scan) folder(to *sink) *folder { return &folder{scan: s, to: to} }

// add processes the next cell and reports whether more are needed.
func (f *folder) add(c cell) (more bool) {
	f.n++
	switch f.fold {
	case cells:
		f.to.cell(c)
	case values:
		f.to.value(c.v)
	case groups:
		f.addToGroup(c.k)
	case top:
		f.best.offer(c)
	case pivot:
		f.addToRow(c)
	}
	return f.limit == 0 || f.n < int64(f.limit)
}

func (f *folder) addToGroup(k []byte) {
	prefix := k[:min(groupPrefix, len(k))]
	if f.n > 1 && !bytes.Equal(prefix, f.prefix) {
		f.to.group(f.prefix, f.n-1)
		f.n = 1
	}
	f.prefix = append(f.prefix[:0], prefix...)
}

// addToRow adds a cell, with one version, to its row.
func (f *folder) addToRow(c cell) {
	if f.n == 1 || !bytes.Equal(c.k, f.row[0]) {
		if f.n > 1 {
			f.to.pivoted(f.row)
		}
		f.row = [...][]byte{append(f.row[0][:0], c.k...), f.row[1][:0], f.row[2][:0]}
	}
	if column := slices.IndexFunc(pivotColumns, func(q []byte) bool { return bytes.Equal(q, c.q) }); column >= 0 {
		f.row[1+column] = append(f.row[1+column][:0], c.v...)
	}
}

var pivotColumns = [][]byte{qualifier(0), qualifier(1)}

func (f *folder) finish() {
	switch {
	case f.fold == pivot && f.n > 0:
		f.to.pivoted(f.row)
	case f.fold == total:
		f.to.group(nil, f.n)
	case f.fold == groups && f.n > 0:
		f.to.group(f.prefix, f.n)
	case f.fold == top:
		f.best.give(f.to)
	}
}

// greatest is a heap of the cells with the largest values, the smallest on top.
type greatest []cell

func (g greatest) Len() int           { return len(g) }
func (g greatest) Less(i, j int) bool { return bytes.Compare(g[i].v, g[j].v) < 0 }
func (g greatest) Swap(i, j int)      { g[i], g[j] = g[j], g[i] }
func (g *greatest) Push(x any)        { *g = append(*g, x.(cell)) }
func (g *greatest) Pop() any {
	last := len(*g) - 1
	c := (*g)[last]
	*g = (*g)[:last]
	return c
}

func (g *greatest) offer(c cell) {
	if len(*g) == topRows && bytes.Compare(c.v, (*g)[0].v) <= 0 {
		return
	}
	if len(*g) == topRows {
		heap.Pop(g)
	}
	heap.Push(g, cell{bytes.Clone(c.k), bytes.Clone(c.q), c.t, bytes.Clone(c.v)})
}

func (g *greatest) give(to *sink) {
	sorted := make([]cell, g.Len())
	for i := len(sorted) - 1; i >= 0; i-- {
		sorted[i] = heap.Pop(g).(cell)
	}
	for _, c := range sorted {
		to.cell(c)
	}
}

// wants reports whether a version is within the columns and times of the scan.
func (s scan) wants(q []byte, t int64) bool {
	return (s.qualifier == nil || bytes.Equal(q, s.qualifier)) && t >= s.since && (s.until == 0 || t < s.until)
}

// expected computes the model's answer from the table's cells.
func (t table) expected(s scan, ordered bool) answer {
	to := newSink(ordered)
	f := s.folder(to)
	var lastRow, lastColumn []byte
	t.each(t.rowAt(s.from, 0), t.rowAt(s.to, math.MaxInt), func(c cell) bool {
		if !s.wants(c.q, c.t) || s.latest && bytes.Equal(c.k, lastRow) && bytes.Equal(c.q, lastColumn) {
			return true
		}
		lastRow, lastColumn = c.k, c.q
		return f.add(c)
	})
	f.finish()
	return to.answer
}
