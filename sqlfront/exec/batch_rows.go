package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// batchRows are the values of expressions as rows, evaluated a batch at a time, for
// those who keep rows: sorts, windows and DISTINCT.
type batchRows struct {
	reader  *batchReader
	kernels []kernel.Kernel
	vectors []*value.Vector
	batch   *kernel.Batch
	at      int // among the batch's rows
	row     []value.Value
}

// rowsInBatches makes a source, for those who read all of it, one that is read in
// batches, and what evaluates expressions over these, nil where rows come one by one.
func rowsInBatches(s source, nodes []expr.Node) (source, *batchRows) {
	r := readBatches(s)
	if r == nil {
		return s, nil
	}
	b := &batchRows{reader: r, row: make([]value.Value, len(nodes))}
	c := r.compiler()
	for _, n := range nodes {
		k := c.Compile(n)
		if k == nil {
			r.rowwise = true
			return r, nil
		}
		b.kernels = append(b.kernels, k)
	}
	return r, b
}

// next is the next row, valid until the next call; nil where the source has to be asked
// for what comes next, or b is nil.
func (b *batchRows) next() ([]value.Value, error) {
	if b == nil {
		return nil, nil
	}
	if b.batch == nil {
		if ok, err := b.read(); !ok || err != nil {
			return nil, err
		}
	}
	i := b.batch.Rows[b.at]
	for at, v := range b.vectors {
		b.row[at] = v.At(i)
	}
	if b.at++; b.at == len(b.batch.Rows) {
		b.batch = nil
	}
	return b.row, nil
}

// read evaluates the next batch, and reports whether there is one.
func (b *batchRows) read() (ok bool, err error) {
	batch, err := b.reader.nextBatch()
	if batch == nil || err != nil {
		return false, err
	}
	if b.vectors, ok = evalAll(b.kernels, batch, batch.Rows, b.vectors); !ok {
		b.reader.putBack(batch)
		return false, nil
	}
	b.batch, b.at = batch, 0
	return true, nil
}
