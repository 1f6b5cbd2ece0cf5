package pipeline

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Evaluated are batches, with the values of expressions over the one at hand.
type Evaluated struct {
	In *op.Input
	// Compile makes kernels of the expressions, once there are vectors.
	Compile  func(c *kernel.Compiler) (kernels []kernel.Kernel, ok bool)
	compiled bool
	kernels  []kernel.Kernel
	Vectors  []*value.Vector
	Batch    *kernel.Batch // nil for none
	At       int           // among its rows
}

// Next is the next batch for which there are kernels.
func (e *Evaluated) Next() (*kernel.Batch, error) {
	b, err := e.In.Vectors(op.AllRows)
	if b == nil || err != nil || e.compiled {
		return b, err
	}
	if e.kernels, e.compiled = e.Compile(e.In.Compiler(b.Schema())); !e.compiled {
		e.In.Rowwise = true
		e.In.PutBack(b)
		return nil, nil
	}
	return b, nil
}

// Read evaluates the next batch, and reports whether there is one.
func (e *Evaluated) Read() (ok bool, err error) {
	batch, err := e.Next()
	if batch == nil || err != nil {
		return false, err
	}
	if e.Vectors, ok = kernel.EvalAll(e.kernels, batch, batch.Rows, e.Vectors); !ok {
		e.In.PutBack(batch)
		return false, nil
	}
	e.Batch, e.At = batch, 0
	return true, nil
}

// BatchRows are the values of expressions as rows, evaluated a batch at a time, for those who keep
// more of rows than a projection gives: windows, and the right sides of joins.
type BatchRows struct {
	Evaluated
	nodes []expr.Node
	row   []value.Value
}

// RowsInBatches evaluates expressions over the batches of an input, all of which is read.
func RowsInBatches(in *op.Input, nodes []expr.Node) *BatchRows {
	return RowsOfKernels(in, nodes, func(c *kernel.Compiler) ([]kernel.Kernel, bool) { return c.CompileAll(nodes) })
}

// RowsOfKernels is rowsInBatches by kernels of the expressions that compile makes.
func RowsOfKernels(
	in *op.Input, nodes []expr.Node, compile func(c *kernel.Compiler) ([]kernel.Kernel, bool),
) *BatchRows {
	b := &BatchRows{nodes: nodes, Evaluated: Evaluated{In: in, Compile: compile}, row: make([]value.Value, len(nodes))}
	in.ReadFor(b)
	return b
}

// Next is the next row, valid until the next call; nil where the operator has to be asked for what
// comes next, or b is nil.
func (b *BatchRows) Next() ([]value.Value, error) {
	if b == nil {
		return nil, nil
	}
	if b.Batch == nil {
		if ok, err := b.Read(); !ok || err != nil {
			return nil, err
		}
	}
	i := b.Batch.Rows[b.At]
	for at, v := range b.Vectors {
		b.row[at] = v.At(i)
	}
	if b.At++; b.At == len(b.Batch.Rows) {
		b.Batch = nil
	}
	return b.row, nil
}

// ColumnsRead implements kernel.Reader.
func (b *BatchRows) ColumnsRead() kernel.Columns { return kernel.Columns{}.Reading(b.nodes...) }
