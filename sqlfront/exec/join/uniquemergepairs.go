package join

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// joinSide is a side of a uniqueMerge; its current row is in a batch, or single.
type joinSide struct {
	in         op.Input
	first, end int // the frame's columns
	// keys are the columns that are equal in rows that join: K, K and Q, or K, Q and T.
	keys     []int
	residual []expr.Node // the expressions for a group's condition
	ended    bool
	batch    *kernel.Batch
	vectors  [timePosition + 1]*value.Vector // of the keys
	at       int                             // position in the batch's rows
	single   bool                            // the current row is row
	// row is the current row, before the previous one, which may still be in the frame: a join
	// below continues from what it has stored there.
	row, before spill.RowBuffer
	partition   op.PartitionOf // of the current row
}

// ready reads on if there is no current row, and reports whether there is one then.
func (s *joinSide) ready() (bool, error) {
	if s.isReady() {
		return !s.ended, nil
	}
	s.batch, s.partition.Known = nil, false
	b, err := s.in.Vectors(op.AllRows)
	if err != nil {
		return false, err
	}
	if b != nil && s.takes(b) {
		return true, nil
	}
	ok, err := s.in.Row(op.AllRows)
	if !ok || err != nil {
		s.ended = err == nil
		return false, err
	}
	s.row, s.before = s.before, s.row
	s.row.Set(s.in.Env().Row[s.first:s.end])
	s.single = true
	return true, nil
}

// takes makes a batch the source of rows if it has the keys as vectors; otherwise its rows are read
// one by one.
func (s *joinSide) takes(b *kernel.Batch) bool {
	if !s.comes(b.Schema()) {
		s.in.Rowwise = true
		s.in.PutBack(b)
		return false
	}
	s.batch, s.at = b, 0
	for i, c := range s.keys {
		s.vectors[i] = b.ColumnOf(c)
	}
	return true
}

// isReady reports whether nothing has to be read: there is a current row, or the side has ended.
func (s *joinSide) isReady() bool { return s.ended || s.single || s.inBatch() }

func (s *joinSide) inBatch() bool { return s.batch != nil && s.at < len(s.batch.Rows) }

// bytes returns a key of the current row that is not T.
func (s *joinSide) bytes(key int) []byte {
	if s.single {
		return s.row.Row[s.keys[key]-s.first].Raw()
	}
	return s.vectors[key].Bytes[s.batch.Rows[s.at]]
}

// time returns the T of the current row.
func (s *joinSide) time() int64 {
	if s.single {
		return s.row.Row[s.keys[timePosition]-s.first].Int()
	}
	return s.vectors[timePosition].Ints[s.batch.Rows[s.at]]
}

// load copies the current row into a frame.
func (s *joinSide) load(frame []value.Value) {
	if s.single {
		copy(frame[s.first:s.end], s.row.Row)
		return
	}
	s.batch.Load(s.batch.Rows[s.at], frame)
}

// comes reports whether batches have the keys as vectors.
func (s *joinSide) comes(schema kernel.Schema) bool {
	for i, c := range s.keys {
		if kind := schema.KindOf(c); i == timePosition && kind != value.Int || i != timePosition && kind != value.Bytes {
			return false
		}
	}
	return true
}

// Step skips the current row.
func (s *joinSide) Step() {
	s.partition.Known = false
	if s.single {
		s.single = false
		return
	}
	s.at++
}

// pass skips all rows that have been read.
func (s *joinSide) pass() {
	s.single, s.batch = false, nil
}

// rightBatches has the right rows of a uniqueMerge's pairs: those of a batch.
type rightBatches struct{ batch *kernel.Batch }

func (r *rightBatches) Column(at int, rows []int32, own *value.Vector) *value.Vector {
	if r.batch == nil {
		return kernel.RowsOf(nil, rows, own)
	}
	return kernel.RowsOf(r.batch.Column(at), rows, own)
}

// mayPair reports whether rows of batches can be paired: not if the condition must be evaluated row
// by row.
func (j *uniqueMerge) mayPair() bool {
	if l, r := j.l.batch, j.r.batch; !j.tried && l != nil && r != nil {
		j.tried = true
		j.pairs = kernel.NewPairs(l.Schema(), r.Schema(), &j.right, j.rest, j.Env())
		if j.pairs != nil && j.above != nil {
			j.pairs.Above = j
		}
	}
	return j.pairs != nil
}

// find pairs the rows of both sides' batches until one of them ends.
func (j *uniqueMerge) find() {
	p, l, r := j.pairs, j.l, j.r
	p.Start(l.batch)
	j.right.batch = r.batch
	for l.inBatch() && (r.ended || r.inBatch()) {
		c := j.compare()
		if c > 0 {
			r.Step()
			continue
		}
		if c == 0 {
			j.pairAlike()
			continue
		}
		if j.Outer {
			p.Add(l.batch.Rows[l.at], -1)
		}
		l.Step()
	}
	p.End()
}

// pairAlike pairs the current rows, which have the same keys, and the following rows of both
// batches as long as they have equal keys, too; and the last right one with all left ones that have
// its keys.
func (j *uniqueMerge) pairAlike() {
	p, l, r := j.pairs, j.l, j.r
	lefts, rights := l.batch.Rows[l.at:], r.batch.Rows[r.at:]
	pairs := j.alike(lefts, rights)
	p.AddAll(lefts[:pairs], rights[:pairs])
	keys, last, n := l.vectors[:len(l.keys)], rights[pairs-1], pairs
	for n < len(lefts) && value.SameRows(keys, lefts[n-1], lefts[n]) {
		p.Add(lefts[n], last)
		n++
	}
	l.at, r.at = l.at+n, r.at+pairs
	if !l.inBatch() {
		r.at-- // the next left row may have its keys, too
	}
	l.partition.Known, r.partition.Known = false, false
}

// alike counts the leading pairs of rows of two lists with equal keys. The first ones must have
// equal keys.
func (j *uniqueMerge) alike(lefts, rights []int32) int {
	n := min(len(lefts), len(rights))
	for key := range j.l.keys {
		a, b := j.l.vectors[key], j.r.vectors[key]
		at := 1
		if key == timePosition {
			for at < n && a.Ints[lefts[at]] == b.Ints[rights[at]] {
				at++
			}
		} else {
			for at < n && string(a.Bytes[lefts[at]]) == string(b.Bytes[rights[at]]) {
				at++
			}
		}
		n = at
	}
	return n
}

// Columns that neither the join nor the reader of its batches reads are left out of the batches of
// its sides, and of its pairs.

// ReadFor leaves out columns that are not read; for a semi join, those of the left side.
func (j *uniqueMerge) ReadFor(above kernel.Reader) {
	j.above = above
	j.l.in.ReadFor(j)
	if j.gives == inPairs {
		j.r.in.ReadFor(j)
	} else {
		j.r.in.ReadFor(j.r)
	}
}

// ColumnsRead implements kernel.Reader.
func (j *uniqueMerge) ColumnsRead() kernel.Columns {
	c := op.ReadOf(j.above).Union(j.l.ColumnsRead())
	if j.gives == inPairs {
		c = c.Union(j.r.ColumnsRead())
	}
	if j.rest != nil {
		c = c.Reading(j.rest)
	}
	return c
}

// ColumnsRead implements kernel.Reader.
func (s *joinSide) ColumnsRead() (c kernel.Columns) {
	for _, key := range s.keys {
		c = c.Add(key)
	}
	return c.Reading(s.residual...)
}
