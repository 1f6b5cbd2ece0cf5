package agg

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// groupBatches returns complete groups as columns, to readers of batches. A batch with a value that
// is not of its column's kind is returned as rows.
type groupBatches struct {
	out  *kernel.Batch
	own  []value.Vector
	rows []value.Value // of the batch, concatenated
	n    int           // how many rows
	left int           // the last rows, to be returned one by one
}

// read makes a batch of n groups, which next copies into the frame one by one. b may be nil.
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

// column makes a column of the rows, or returns false.
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

// Next copies the next of the remaining rows into the frame, or returns false. b may be nil.
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
