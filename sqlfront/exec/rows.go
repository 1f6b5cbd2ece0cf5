package exec

import (
	"cmp"
	"io"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/exec/typedscan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Select is a SELECT that can be run.
type Select struct {
	Query *query.Query
	// CountAll continues reading after the LIMIT, for Counts.
	CountAll bool
}

// Open binds the placeholders and starts the SELECT; if c.Explain is set, it only prepares the
// description of its steps. It reads little or nothing before the first Next. The error is that of
// an invalid value of a clause, or the store's.
func (s *Select) Open(c *op.Context) (*Rows, error) {
	var r *Rows
	if m, ok := c.Memory.(*Memory); ok && !m.used { // a change of several tables opens several
		m.used, r = true, &m.rows
		r.memory, r.x.Idle = m, op.Idle{Scan: &m.scan, Typed: &m.typed, Project: &m.project}
	} else {
		r = &Rows{}
	}
	r.query = s.Query
	r.x.Own.Start(c, (*subquery.Asker)(&r.x.Own))
	r.x.StartIn(&r.x.Own, s.Query.Width)
	var err error
	r.rows.Operator, _, err = s.Query.Body.Open(&r.x, query.Options{CountAll: s.CountAll, Whole: true})
	if err != nil {
		_ = r.x.Stmt.Space.Close() // discards what a subquery wrote
		return nil, err
	}
	return r, nil
}

// Rows is the result of a SELECT. It must not be used concurrently.
type Rows struct {
	memory *Memory // that they are in, or nil
	query  *query.Query
	x      op.Frame
	rows   op.Input
	given  int64
	block  *Block // the current block; nil if rows are read one by one
	// cells has the rows of blocks; limit, if not nil, limits them.
	cells batchCursor
	limit *pipeline.Limited
	ended bool
}

// batchCursor is a cursor that returns many cells at a time.
type batchCursor interface {
	kv.Cursor
	kv.Batcher
}

// Next returns the next row, and io.EOF after the last. The row and its bytes are valid until the
// next call of Next or Close. Other errors are those of expressions, of the store, of temporary
// files, and cancellation.
func (r *Rows) Next() ([]value.Value, error) {
	if r.ended {
		return nil, io.EOF
	}
	row, err := r.rows.Result(r.want())
	if err != nil {
		r.ended = true
		return nil, err
	}
	if row == nil {
		r.ended = true
		return nil, io.EOF
	}
	r.given++
	return row[:len(r.query.Types)], nil
}

// rowsByOne is the number of rows of a result that are read one by one first, because some readers
// want few. All 60,000 rows of a derived table with a function and a condition take 14 ms of
// processor time with batches after these and 38 ms without; of 66 rows, a batch for the last two
// would cost a tenth more (6,000 to 60,000 cells in memory, November 2026).
const rowsByOne = 256

// want is the number of rows that Next requests.
func (r *Rows) want() int {
	if r.given < rowsByOne {
		return 1
	}
	return op.AllRows
}

// Counts returns the number of rows returned, and FOUND_ROWS() once Next has returned io.EOF: the
// rows returned, or with SQL_CALC_FOUND_ROWS those without the LIMIT.
func (r *Rows) Counts() (given, found int64) {
	given = r.given
	if b := r.block; b != nil {
		given -= int64(b.cells.Len() - b.taken)
	}
	if l, ok := r.rows.Operator.(*pipeline.Limited); ok && l.CountAll {
		return given, l.Skipped + l.Given
	}
	return given, given
}

// Close frees what the rows hold; it may be called again. The error is that of closing cursors or
// temporary files.
func (r *Rows) Close() error {
	r.ended = true
	return cmp.Or(r.rows.Close(), r.x.Stmt.Space.Close())
}

// DeleteAll deletes the cells of the rows, and counts them: as a whole, if these are all cells in some
// ranges of rows, or in batches, if whole is set and so all versions are to be deleted. It must be called
// before the first row; if done is false, nothing has been deleted, and the rows can be read as usual.
// Errors are those of the conditions and of the store, and cancellation; after one, some cells are deleted.
func (r *Rows) DeleteAll(whole bool) (cells int64, done bool, err error) {
	p, ok := r.rows.Operator.(*pipeline.Project)
	if !ok || r.ended {
		return 0, false, nil
	}
	s, ok := scan.Of(p.Operator)
	if !ok {
		return 0, false, nil
	}
	if cells, done, err = s.DeleteAll(); done || err != nil || !whole {
		return cells, done, err
	}
	s.ReadFor(p)
	return s.DeleteCells()
}

// NamedRows returns the ranges of the typed table's rows that the SELECT reads, each of one row, if conditions name
// them, there is no other condition, and the statement has locked them; nil otherwise. It must be called before the
// first row.
func (r *Rows) NamedRows() []kv.Range {
	p, ok := r.rows.Operator.(*pipeline.Project)
	if !ok || r.ended || !r.x.Context.LockAhead {
		return nil
	}
	t, ok := p.Operator.(*typedscan.Rows)
	if !ok {
		return nil
	}
	return t.NamedRows()
}

// Block is a part of a result whose rows are cells, in separate memory. Its rows and their bytes
// are valid until it is filled again.
type Block struct {
	// Columns are the places of the result's columns.
	Columns []pipeline.Place
	cells   kv.Batch
	cell    kv.Cell // the last one taken
	taken   int
	// forgotten means that the memory must not be reused for the next statement's block.
	forgotten bool
	size      int // of the next fill
}

// The first block of a result is small, because some readers want only one row.
const (
	firstBlock = 8
	fullBlock  = 64
)

// Take returns the next row, valid until the next call, or nil after the last, and whether there are more.
func (b *Block) Take() (cell *kv.Cell, more bool) {
	if b.taken == b.cells.Len() {
		return nil, false
	}
	b.cell = b.cells.Cell(b.taken)
	b.taken++
	return &b.cell, b.taken < b.cells.Len()
}

// Forget gives the memory of the rows to their readers: it is not reused for another statement's
// block.
func (b *Block) Forget() { b.forgotten = true }

// ForgetValue gives the memory of the large value of the last row taken to its readers.
func (b *Block) ForgetValue(value []byte) { b.cells.Leave(value) }

// Block returns a block for NextBlock to fill, if the result comes in blocks; otherwise nil. It
// must be called before the first row; Next must not be called afterwards if there is a block.
func (r *Rows) Block() (*Block, error) {
	top := r.rows.Operator
	l, limits := top.(*pipeline.Limited)
	if limits && l.Offset == 0 && !l.CountAll && l.Count > 0 {
		r.limit, top = l, l.Child.Operator
	}
	p, ok := top.(*pipeline.Project)
	if !ok || p.Cells == nil || r.ended {
		return nil, nil
	}
	s, ok := p.Operator.(*scan.Scan)
	if !ok {
		return nil, nil
	}
	cursor, err := s.CellCursor()
	if r.cells, ok = cursor.(batchCursor); !ok {
		r.ended = err != nil
		return nil, err
	}
	if r.memory != nil {
		r.block = &r.memory.block
	} else {
		r.block = &Block{}
	}
	r.block.Columns, r.block.size = p.Cells[:len(r.query.Types)], firstBlock
	return r.block, nil
}

// NextBlock fills the block, whose rows must all be taken, with the next rows; it returns io.EOF
// after the last. Other errors are those of Next.
func (r *Rows) NextBlock() error {
	b := r.block
	b.cells.Reset()
	b.taken = 0
	if r.ended {
		return io.EOF
	}
	most := b.size
	if l := r.limit; l != nil {
		if most = int(min(int64(most), l.Count-l.Given)); most <= 0 {
			r.ended = true
			return io.EOF
		}
	}
	ok := r.cells.NextBatch(&b.cells, most)
	n := int64(b.cells.Len())
	if r.limit != nil {
		r.limit.Given += n
	}
	if b.size = min(4*b.size, fullBlock); ok {
		r.given += n
		return nil
	}
	r.ended = true
	return cmp.Or(r.cells.Err(), io.EOF)
}
