package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// evaluated are batches, with the values of expressions over the one at hand.
type evaluated struct {
	in *op.Input
	// compile makes kernels of the expressions, once there are vectors.
	compile  func(c *kernel.Compiler) (kernels []kernel.Kernel, ok bool)
	compiled bool
	kernels  []kernel.Kernel
	vectors  []*value.Vector
	batch    *kernel.Batch // nil for none
	at       int           // among its rows
}

// Next is the next batch for which there are kernels.
func (e *evaluated) Next() (*kernel.Batch, error) {
	b, err := e.in.Vectors(op.AllRows)
	if b == nil || err != nil || e.compiled {
		return b, err
	}
	if e.kernels, e.compiled = e.compile(e.in.Compiler(b.Schema())); !e.compiled {
		e.in.Rowwise = true
		e.in.PutBack(b)
		return nil, nil
	}
	return b, nil
}

// read evaluates the next batch, and reports whether there is one.
func (e *evaluated) read() (ok bool, err error) {
	batch, err := e.Next()
	if batch == nil || err != nil {
		return false, err
	}
	if e.vectors, ok = kernel.EvalAll(e.kernels, batch, batch.Rows, e.vectors); !ok {
		e.in.PutBack(batch)
		return false, nil
	}
	e.batch, e.at = batch, 0
	return true, nil
}

// batchRows are the values of expressions as rows, evaluated a batch at a time, for those who keep
// more of rows than a projection gives: windows, and the right sides of joins.
type batchRows struct {
	evaluated
	nodes []expr.Node
	row   []value.Value
}

// rowsInBatches evaluates expressions over the batches of an input, all of which is read.
func rowsInBatches(in *op.Input, nodes []expr.Node) *batchRows {
	return rowsOfKernels(in, nodes, func(c *kernel.Compiler) ([]kernel.Kernel, bool) { return c.CompileAll(nodes) })
}

// rowsOfKernels is rowsInBatches by kernels of the expressions that compile makes.
func rowsOfKernels(
	in *op.Input, nodes []expr.Node, compile func(c *kernel.Compiler) ([]kernel.Kernel, bool),
) *batchRows {
	b := &batchRows{nodes: nodes, evaluated: evaluated{in: in, compile: compile}, row: make([]value.Value, len(nodes))}
	in.ReadFor(b)
	return b
}

// Next is the next row, valid until the next call; nil where the source has to be asked
// for what comes next, or b is nil.
func (b *batchRows) Next() ([]value.Value, error) {
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

// ColumnsRead implements kernel.Reader.
func (b *batchRows) ColumnsRead() kernel.Columns { return kernel.Columns{}.Reading(b.nodes...) }
