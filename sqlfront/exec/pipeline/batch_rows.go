package pipeline

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Evaluated reads batches, and evaluates expressions over the current one.
type Evaluated struct {
	In *op.Input
	// Compile makes kernels of the expressions, once there are vectors.
	Compile  func(c *kernel.Compiler) (kernels []kernel.Kernel, ok bool)
	compiled bool
	kernels  []kernel.Kernel
	Vectors  []*value.Vector
	Batch    *kernel.Batch // the current batch, or nil
	At       int           // position in its rows
}

// Next returns the next batch for which there are kernels.
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

// BatchRows are the values of expressions as rows, evaluated a batch at a time, for readers that
// keep more of rows than a projection returns: windows, and the right sides of joins.
type BatchRows struct {
	Evaluated
	nodes []expr.Node
	row   []value.Value
}

// RowsInBatches evaluates expressions over the batches of an input, which is read completely.
func RowsInBatches(in *op.Input, nodes []expr.Node) *BatchRows {
	return RowsOfKernels(in, nodes, func(c *kernel.Compiler) ([]kernel.Kernel, bool) { return c.CompileAll(nodes) })
}

// RowsOfKernels is RowsInBatches with kernels made by compile.
func RowsOfKernels(
	in *op.Input, nodes []expr.Node, compile func(c *kernel.Compiler) ([]kernel.Kernel, bool),
) *BatchRows {
	b := &BatchRows{nodes: nodes, Evaluated: Evaluated{In: in, Compile: compile}, row: make([]value.Value, len(nodes))}
	in.ReadFor(b)
	return b
}

// Next returns the next row, valid until the next call; nil if the operator must be asked for the
// next row, or b is nil.
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
