package op

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// OneRow is the batch of a row that is in the frame and has no vectors. It is read-only.
var OneRow = &kernel.Batch{N: 1, Rows: []int32{0}}

// Single returns the result of Next for an operator that copies its rows into the frame.
func Single(ok bool, err error) (*kernel.Batch, error) {
	if !ok || err != nil {
		return nil, err
	}
	return OneRow, nil
}

// BatchCells is the maximum number of cells of a batch.
const BatchCells = 1024

// BatchSize is the maximum number of rows of a batch.
func (c *Context) BatchSize() int {
	if c.BatchCells > 0 {
		return c.BatchCells
	}
	return BatchCells
}

// AllRows is the want of a reader that reads all rows.
const AllRows = BatchCells

// Input is how an operator reads another one: by vectors as long as there are batches, otherwise by
// row. If the operator's kernels refuse a batch, it is put back, and its rows are read one by one.
type Input struct {
	Operator
	// Batch has the rows that Row returns, from At on; nil for none.
	Batch *kernel.Batch
	At    int
	// ended says that Vectors has reached the end, which Row must report.
	ended bool
	// Rowwise says that the operator evaluates only rows.
	Rowwise bool
	// failures counts the batches put back in excess of half.
	failures int
}

// maxFailures is the number of such batches after which vectors are not tried any more.
const maxFailures = 16

// Vectors returns the next batch with vectors. It is nil if Row must be called: for a row in the
// frame, or for the end. Errors are those of the operator.
func (in *Input) Vectors(want int) (*kernel.Batch, error) {
	if in.Batch != nil || in.Rowwise || in.failures > maxFailures {
		return nil, nil
	}
	b, err := in.Operator.Next(want)
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		in.ended = true
		return nil, nil
	case b == OneRow:
		in.Batch, in.At = b, 0
		return nil, nil
	}
	if in.failures > 0 {
		in.failures--
	}
	return b, nil
}

// Take makes Row return the rows of a batch.
func (in *Input) Take(b *kernel.Batch) { in.Batch, in.At = b, 0 }

// PutBack is Take for a batch that the operator's kernels refuse.
func (in *Input) PutBack(b *kernel.Batch) {
	in.Take(b)
	in.failures += 2
}

// Row copies the next row into the frame, and reports whether there is one. Errors are those of the
// operator.
func (in *Input) Row(want int) (bool, error) {
	if in.Batch == nil {
		b, err := in.read(want)
		if b == OneRow || b == nil || err != nil {
			return b != nil, err
		}
		in.Take(b)
	}
	if in.Batch == OneRow { // found by Vectors
		in.Batch = nil
		return true, nil
	}
	in.Batch.Load(in.Batch.Rows[in.At], in.Env().Row)
	in.pass(1)
	return true, nil
}

// read returns the batch whose rows come next, or nil after the last.
func (in *Input) read(want int) (*kernel.Batch, error) {
	if in.ended {
		in.ended = false
		return nil, nil
	}
	if in.failures > maxFailures {
		want = 1
	}
	return in.Operator.Next(want)
}

// pass skips rows of the batch.
func (in *Input) pass(n int) {
	if in.At += n; in.At == len(in.Batch.Rows) {
		in.Batch = nil
	}
}

// Unread makes Row return the row in the frame again.
func (in *Input) Unread() {
	if in.Batch == nil {
		in.Batch = OneRow
		return
	}
	in.At--
}

// Result returns the next row of a result, or nil after the last. It is valid until the next call.
// Errors are those of the operator.
func (in *Input) Result(want int) ([]value.Value, error) {
	if ok, err := in.Row(want); !ok || err != nil {
		return nil, err
	}
	return in.Env().Row, nil
}

// AllRows is Result for readers of all rows.
func (in *Input) AllRows() ([]value.Value, error) { return in.Result(AllRows) }

// Skip skips the next rows, at most so many, without evaluating them. It returns how many: none
// after the last. Errors are those of the operator.
func (in *Input) Skip(most int64, want int) (int64, error) {
	if in.Batch == nil {
		b, err := in.read(want)
		if b == nil || err != nil {
			return 0, err
		}
		in.Take(b)
	}
	n := min(most, int64(len(in.Batch.Rows)-in.At))
	in.pass(int(n))
	return n, nil
}

// Compiler makes kernels for batches of a schema.
func (in *Input) Compiler(schema kernel.Schema) *kernel.Compiler {
	return &kernel.Compiler{Schema: schema, Env: in.Env()}
}
