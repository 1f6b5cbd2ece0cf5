package agg

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// groupBatches are groups that are all read, as columns, for those who read them in
// batches. A batch in which some value is not of its column's kind comes as rows.
type groupBatches struct {
	out  *kernel.Batch
	own  []value.Vector
	rows []value.Value // of the batch, side by side
	n    int           // how many rows
	left int           // rows still to be given one by one, the last ones
}

// read makes a batch of n groups, which next puts into the frame one by one. It may be asked of
// nil.
func (b *groupBatches) read(frame []value.Value, n int, next func() error) (*kernel.Batch, error) {
	if b == nil || b.left > 0 || n == 0 {
		return nil, nil
	}
	schema := b.out.Schema()
	b.rows, b.n = b.rows[:0], n
	for range n {
		if err := next(); err != nil {
			return nil, err
		}
		for _, f := range schema {
			b.rows = append(b.rows, frame[f.Index])
		}
	}
	b.out.Start(n)
	for at, f := range schema {
		if !b.column(at, f.Kind) {
			b.left = n
			return nil, nil
		}
	}
	return b.out, nil
}

// column makes a column of the rows, or reports false.
func (b *groupBatches) column(at int, kind value.Kind) bool {
	v, width := &b.own[at], len(b.own)
	v.Start(kind, b.n)
	for i := range b.n {
		if !v.Set(int32(i), b.rows[i*width+at]) {
			return false
		}
	}
	b.out.Share(at, v)
	return true
}

// Next puts the next of the rows that are left into the frame, or reports false. It may be
// lookups of nil.
func (b *groupBatches) Next(frame []value.Value) bool {
	if b == nil || b.left == 0 {
		return false
	}
	row := b.rows[(b.n-b.left)*len(b.own):]
	for at, f := range b.out.Schema() {
		frame[f.Index] = row[at]
	}
	b.left--
	return true
}
