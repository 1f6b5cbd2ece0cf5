package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// oneRow is the batch of a row that is in the frame and has no vectors. Nobody writes it.
var oneRow = &kernel.Batch{N: 1, Rows: []int32{0}}

// single is what next gives of a source that puts its rows into the frame.
func single(ok bool, err error) (*kernel.Batch, error) {
	if !ok || err != nil {
		return nil, err
	}
	return oneRow, nil
}

// batchCells is how many cells a batch has at most.
const batchCells = 1024

// batchSize is how many rows a batch has at most.
func (c *Context) batchSize() int {
	if c.BatchCells > 0 {
		return c.BatchCells
	}
	return batchCells
}

// manyRows is what a reader asks for that takes all rows.
const manyRows = batchCells

// input is how an operator reads a source: by vectors as long as it gives batches, and where that
// gives none by row. A batch that the operator's kernels refuse is put back, and its rows come by
// row.
type input struct {
	source
	// batch has the rows that row gives, from at on; nil for none.
	batch *kernel.Batch
	at    int
	// ended says that vectors has met the end, which row is to tell.
	ended bool
	// rowwise says that the operator evaluates rows alone.
	rowwise bool
	// failures are the batches put back more often than not.
	failures int
}

// maxFailures is how many batches are evaluated in vain before nobody tries any more.
const maxFailures = 16

// vectors is the next batch with vectors. It is nil where row is to be called: for a row that is in
// the frame, or for the end.
func (in *input) vectors(want int) (*kernel.Batch, error) {
	if in.batch != nil || in.rowwise || in.failures > maxFailures {
		return nil, nil
	}
	b, err := in.source.next(want)
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		in.ended = true
		return nil, nil
	case b == oneRow:
		in.batch, in.at = b, 0
		return nil, nil
	}
	if in.failures > 0 {
		in.failures--
	}
	return b, nil
}

// take has the rows of a batch come one by one.
func (in *input) take(b *kernel.Batch) { in.batch, in.at = b, 0 }

// putBack is take of a batch that the operator's kernels refuse.
func (in *input) putBack(b *kernel.Batch) {
	in.take(b)
	in.failures += 2
}

// row puts the next row into the frame, and reports whether there is one.
func (in *input) row(want int) (bool, error) {
	if in.batch == nil {
		b, err := in.read(want)
		if b == oneRow || b == nil || err != nil {
			return b != nil, err
		}
		in.take(b)
	}
	if in.batch == oneRow { // which vectors has met
		in.batch = nil
		return true, nil
	}
	in.batch.Load(in.batch.Rows[in.at], in.env().Row)
	in.pass(1)
	return true, nil
}

// read is the batch whose rows are given next, nil behind the last.
func (in *input) read(want int) (*kernel.Batch, error) {
	if in.ended {
		in.ended = false
		return nil, nil
	}
	if in.failures > maxFailures {
		want = 1
	}
	return in.source.next(want)
}

// pass goes behind rows of the batch.
func (in *input) pass(n int) {
	if in.at += n; in.at == len(in.batch.Rows) {
		in.batch = nil
	}
}

// unread has the row that is in the frame come once more.
func (in *input) unread() {
	if in.batch == nil {
		in.batch = oneRow
		return
	}
	in.at--
}

// result is the next row of a result, nil behind the last. It is valid until the next call.
func (in *input) result(want int) ([]value.Value, error) {
	if ok, err := in.row(want); !ok || err != nil {
		return nil, err
	}
	return in.env().Row, nil
}

// allRows is result for those who read all.
func (in *input) allRows() ([]value.Value, error) { return in.result(manyRows) }

// skip passes over the next rows, at most so many, and gives how many: none behind the last.
// Nothing is evaluated of them.
func (in *input) skip(most int64, want int) (int64, error) {
	if in.batch == nil {
		b, err := in.read(want)
		if b == nil || err != nil {
			return 0, err
		}
		in.take(b)
	}
	n := min(most, int64(len(in.batch.Rows)-in.at))
	in.pass(int(n))
	return n, nil
}

// compiler makes kernels for batches of a schema.
func (in *input) compiler(schema kernel.Schema) *kernel.Compiler {
	return &kernel.Compiler{Schema: schema, Env: in.env()}
}
