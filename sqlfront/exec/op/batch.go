package op

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// OneRow is the batch of a row that is in the frame and has no vectors. Nobody writes it.
var OneRow = &kernel.Batch{N: 1, Rows: []int32{0}}

// Single is what Next gives in an operator that puts its rows into the frame. It passes err on.
func Single(ok bool, err error) (*kernel.Batch, error) {
	if !ok || err != nil {
		return nil, err
	}
	return OneRow, nil
}

// BatchCells is how many cells a batch has at most.
const BatchCells = 1024

// BatchSize is how many rows a batch has at most.
func (c *Context) BatchSize() int {
	if c.BatchCells > 0 {
		return c.BatchCells
	}
	return BatchCells
}

// AllRows is what a reader asks for that takes all rows.
const AllRows = BatchCells

// Input is how an operator reads another one: by vectors as long as it gives batches, and where
// that gives none by row. A batch that the operator's kernels refuse is put back, and its rows come
// by row.
type Input struct {
	Operator
	// Batch has the rows that row gives, from at on; nil for none.
	Batch *kernel.Batch
	At    int
	// ended says that vectors has met the end, which row is to tell.
	ended bool
	// Rowwise says that the operator evaluates rows alone.
	Rowwise bool
	// failures are the batches put back more often than not.
	failures int
}

// maxFailures is how many batches are evaluated without success before nobody tries any more.
const maxFailures = 16

// Vectors is the next batch with vectors. It is nil where row is to be called: for a row that is in
// the frame, or for the end. Errors are those of the operator.
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

// Take has the rows of a batch come one by one.
func (in *Input) Take(b *kernel.Batch) { in.Batch, in.At = b, 0 }

// PutBack is take of a batch that the operator's kernels refuse.
func (in *Input) PutBack(b *kernel.Batch) {
	in.Take(b)
	in.failures += 2
}

// Row puts the next row into the frame, and reports whether there is one. Errors are those of the
// operator.
func (in *Input) Row(want int) (bool, error) {
	if in.Batch == nil {
		b, err := in.read(want)
		if b == OneRow || b == nil || err != nil {
			return b != nil, err
		}
		in.Take(b)
	}
	if in.Batch == OneRow { // which vectors has met
		in.Batch = nil
		return true, nil
	}
	in.Batch.Load(in.Batch.Rows[in.At], in.Env().Row)
	in.pass(1)
	return true, nil
}

// read is the batch whose rows are given next, nil behind the last.
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

// pass goes behind rows of the batch.
func (in *Input) pass(n int) {
	if in.At += n; in.At == len(in.Batch.Rows) {
		in.Batch = nil
	}
}

// Unread has the row that is in the frame come once more.
func (in *Input) Unread() {
	if in.Batch == nil {
		in.Batch = OneRow
		return
	}
	in.At--
}

// Result is the next row of a result, nil behind the last. It is valid until the next call. Errors
// are those of the operator.
func (in *Input) Result(want int) ([]value.Value, error) {
	if ok, err := in.Row(want); !ok || err != nil {
		return nil, err
	}
	return in.Env().Row, nil
}

// AllRows is result for those who read all.
func (in *Input) AllRows() ([]value.Value, error) { return in.Result(AllRows) }

// Skip passes over the next rows, at most so many, and gives how many: none behind the last.
// Nothing is evaluated of them. Errors are those of the operator.
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
