package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// batched is a source that can give many rows at a time. Where its reader, or it, does
// not evaluate a batch as a whole, the rows come one by one, and everything about them
// is done row by row: nobody can tell the one way from the other.
type batched interface {
	source
	// batches prepares to give batches. It gives their columns, or nil where there are
	// only rows.
	batches() kernel.Schema
	// nextBatch is the next rows, at least one, or nil where next has to be called for
	// what comes next, or for the end.
	nextBatch() (*kernel.Batch, error)
}

// batchReader reads a source in batches. As a source it gives the rows of those that
// its owner has put back, or of all, and then of the source.
type batchReader struct {
	passing
	batched batched
	schema  kernel.Schema
	batch   *kernel.Batch // put back, nil for none
	at      int
	rowwise bool // the owner wants nothing but rows
	// failures are the batches put back more often than not.
	failures int
}

// maxFailures is how many batches are read in vain before nobody tries any more.
const maxFailures = 16

// readBatches reads a source in batches; nil where it gives none.
func readBatches(s source) *batchReader {
	b, ok := s.(batched)
	if !ok {
		return nil
	}
	schema := b.batches()
	if schema == nil {
		return nil
	}
	return &batchReader{passing: passing{s}, batched: b, schema: schema}
}

// nextBatch is the next batch, or nil where a row has to be read.
func (r *batchReader) nextBatch() (*kernel.Batch, error) {
	if r.batch != nil || r.failures > maxFailures {
		return nil, nil
	}
	b, err := r.batched.nextBatch()
	if b != nil && r.failures > 0 {
		r.failures--
	}
	return b, err
}

// putBack has the rows of a batch come one by one.
func (r *batchReader) putBack(b *kernel.Batch) {
	r.batch, r.at = b, 0
	r.failures += 2
}

// inBatches is a source that gives the same rows, and reads them in batches where there
// are some. It is for those who read all, as it may read far ahead.
func inBatches(s source) source {
	r, ok := s.(*batchReader)
	if !ok {
		r = readBatches(s)
	}
	if r == nil {
		return s
	}
	r.rowwise = true
	return r
}

func (r *batchReader) next() (bool, error) {
	if r.rowwise && r.batch == nil {
		b, err := r.nextBatch()
		if err != nil {
			return false, err
		}
		r.batch, r.at = b, 0
	}
	if r.batch == nil {
		return r.source.next()
	}
	r.batch.Load(r.batch.Rows[r.at], r.env().Row)
	if r.at++; r.at == len(r.batch.Rows) {
		r.batch = nil
	}
	return true, nil
}

// compiler makes kernels for what is read.
func (r *batchReader) compiler() *kernel.Compiler {
	return &kernel.Compiler{Schema: r.schema, Env: r.env()}
}

// batches makes a filter read and give batches.
func (f *filter) batches() kernel.Schema {
	r := readBatches(f.source)
	if r == nil {
		return nil
	}
	if f.narrow = r.compiler().Condition(f.cond); f.narrow == nil {
		return nil
	}
	f.source, f.reader = r, r
	return r.schema
}

// leftRows are rows of a batch that are given one by one. The zero value has none.
type leftRows struct {
	batch *kernel.Batch
	at    int // among its rows
}

// next puts the next row into a frame, or reports false where none is left.
func (l *leftRows) next(frame []value.Value) bool {
	if l.batch == nil {
		return false
	}
	l.batch.Load(l.batch.Rows[l.at], frame)
	if l.at++; l.at == len(l.batch.Rows) {
		l.batch = nil
	}
	return true
}

// rest is a batch of the rows left, or nil.
func (l *leftRows) rest() *kernel.Batch {
	b := l.batch
	if l.batch = nil; b != nil {
		b.Skip(l.at)
	}
	return b
}

// nextOfBatch puts the next row of a batch into the frame, or reports false where it is
// to be read by itself: what few rows pass is not read row by row up to the next of them.
func (f *filter) nextOfBatch() (bool, error) {
	if f.reader == nil {
		return false, nil
	}
	if f.left.batch == nil {
		b, err := f.nextBatch()
		if b == nil || err != nil {
			return false, err
		}
		f.left = leftRows{batch: b}
	}
	return f.left.next(f.env().Row), nil
}

// nextBatch begins with what next has left of a batch.
func (f *filter) nextBatch() (*kernel.Batch, error) {
	if b := f.left.rest(); b != nil {
		return b, nil
	}
	for {
		b, err := f.reader.nextBatch()
		if b == nil || err != nil {
			return nil, err
		}
		var ok bool
		if b.Rows, ok = f.narrow.Narrow(b, b.Rows); !ok {
			f.reader.putBack(b)
			return nil, nil
		}
		if f.given += int64(len(b.Rows)); len(b.Rows) > 0 {
			return b, nil
		}
	}
}
