package exec

import (
	"cmp"
	"io"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
)

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

// Take returns the next row, valid until the next call, or nil after the last.
func (b *Block) Take() *kv.Cell {
	if b.taken == b.cells.Len() {
		return nil
	}
	b.cell = b.cells.Cell(b.taken)
	b.taken++
	return &b.cell
}

// Left is the number of rows that have not been taken.
func (b *Block) Left() int { return b.cells.Len() - b.taken }

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
	s, ok := p.Child.Operator.(*scan.Scan)
	if !ok {
		return nil, nil
	}
	if ok, err := s.GivesCells(); !ok {
		r.ended = err != nil
		return nil, err
	}
	if m, _ := r.x.Memory.(*Memory); m != nil {
		r.block = &m.block // each statement has only one
	} else {
		r.block = &Block{}
	}
	r.scan, r.block.Columns, r.block.size = s, p.Cells[:len(r.query.Types)], firstBlock
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
	ok, err := r.scan.Fill(&b.cells, most)
	n := int64(b.cells.Len())
	if r.limit != nil {
		r.limit.Given += n
	}
	if b.size = min(4*b.size, fullBlock); ok {
		r.given += n
		return nil
	}
	r.ended = true
	return cmp.Or(err, io.EOF)
}
