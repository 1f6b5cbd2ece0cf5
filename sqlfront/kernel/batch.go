package kernel

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Batch has rows as columns. It and its bytes are valid until its source gives the next one.
type Batch struct {
	// N is the number of rows; Rows are those that remain, ascending.
	N    int
	Rows []int32

	schema  Schema
	columns []column // in the order of the schema
	fill    func(at int, into *value.Vector)
}

// column is a column of a batch. It is filled when it is asked for.
type column struct {
	own    value.Vector
	vector *value.Vector // nil until it is filled
	// from is the batch that has the column, at place; nil if there is none.
	from   *Batch
	place  int
	unread bool // not read, and cannot be filled
}

// Field is a column of a batch: its index in the frame, and the kind of its vector.
type Field struct {
	Index int
	Kind  value.Kind
	// Node, if not nil, is an expression whose values the column has. Such a column is in no frame,
	// and Index is NoIndex.
	Node expr.Node
}

// NoIndex is the index of a column that is in no frame.
const NoIndex = -1

// Schema lists the columns of batches. Other columns that an expression reads are the same for all
// rows.
type Schema []Field

// find returns the place of a frame's column, or -1.
func (s Schema) find(index int) int {
	for at, f := range s {
		if f.Index == index {
			return at
		}
	}
	return -1
}

// KindOf returns the kind of a frame's column, Null if it is absent.
func (s Schema) KindOf(index int) value.Kind {
	if at := s.find(index); at >= 0 {
		return s[at].Kind
	}
	return value.Null
}

// NewBatch returns a batch without rows. fill fills a column, by its place in the schema, when it
// is asked for: it starts the vector, or lets it share other memory. It may be nil if Share gives
// all columns.
func NewBatch(schema Schema, fill func(at int, into *value.Vector)) *Batch {
	return &Batch{schema: schema, columns: make([]column, len(schema)), fill: fill}
}

// Start begins a batch of n rows, all of which remain.
func (b *Batch) Start(n int) {
	b.N = n
	for i := range b.columns {
		b.columns[i].vector = nil
	}
	b.Rows = allRows(b.Rows, n)
}

// allRows returns the numbers below n.
func allRows(dst []int32, n int) []int32 {
	if cap(dst) < n {
		dst = make([]int32, n)
	}
	dst = dst[:n]
	for i := range dst {
		dst[i] = int32(i)
	}
	return dst
}

// LeaveOut says that the column at a place is not read and cannot be filled.
func (b *Batch) LeaveOut(at int) { b.columns[at].unread = true }

// IsLeftOut reports whether the column at a place is left out.
func (b *Batch) IsLeftOut(at int) bool { return b.columns[at].unread }

// LeaveOutUnread leaves out the frame's columns that are not read.
func (b *Batch) LeaveOutUnread(read Columns) {
	for at, f := range b.schema {
		if f.Index != NoIndex && !read.Has(f.Index) {
			b.LeaveOut(at)
		}
	}
}

// Share makes a vector the column at a place.
func (b *Batch) Share(at int, v *value.Vector) { b.columns[at].vector = v }

// Over begins a batch of the remaining rows of another one, whose Rows it may overwrite. Pass, Take
// and Share provide the columns.
func (b *Batch) Over(from *Batch) {
	b.N, b.Rows = from.N, from.Rows
}

// Pass makes a column of another batch the one at a place. It is filled when it is asked for.
func (b *Batch) Pass(at int, from *Batch, place int) {
	c := &b.columns[at]
	c.vector, c.from, c.place = nil, from, place
}

// Take makes the values of a kernel at the rows of another batch the column at a place. A plain
// column is filled only when it is asked for. It reports false as Kernel.Eval does.
func (b *Batch) Take(at int, k Kernel, from *Batch) (ok bool) {
	if column, plain := k.(*columnKernel); plain {
		b.Pass(at, from, column.at)
		return true
	}
	b.columns[at].vector, ok = k.Eval(from, from.Rows)
	return ok
}

// Column returns the column at a place of the schema.
func (b *Batch) Column(at int) *value.Vector {
	c := &b.columns[at]
	switch {
	case c.vector != nil:
	case c.from != nil:
		c.vector = c.from.Column(c.place)
	default:
		b.fill(at, &c.own)
		c.vector = &c.own
	}
	return c.vector
}

// ColumnOf returns the column with a frame's index, or nil.
func (b *Batch) ColumnOf(index int) *value.Vector {
	if at := b.schema.find(index); at >= 0 {
		return b.Column(at)
	}
	return nil
}

// Skip drops the first n of the remaining rows.
func (b *Batch) Skip(n int) { b.Rows = append(b.Rows[:0], b.Rows[n:]...) }

// Load copies a row into a frame. Columns that are not read become NULL: the frame's previous row
// may have left references to reused memory of the store, and a copy of a frame copies all columns.
func (b *Batch) Load(i int32, frame []value.Value) {
	for at := range b.columns {
		index, v := b.schema[at].Index, b.columns[at].vector
		switch {
		case index == NoIndex:
		case b.columns[at].unread:
			frame[index] = value.Value{}
		case v != nil:
			frame[index] = v.At(i)
		default:
			frame[index] = b.Column(at).At(i)
		}
	}
}

// Schema returns the columns of the batch.
func (b *Batch) Schema() Schema { return b.schema }

// Kernel is an expression evaluated over rows of a batch.
type Kernel interface {
	// Kind is the kind of its vectors.
	Kind() value.Kind
	// Eval returns the values at rows. The vector is valid until the next call, and as long as the
	// batch's bytes. It reports false if the rows must be evaluated one by one.
	Eval(b *Batch, rows []int32) (*value.Vector, bool)
}

// Filter narrows the rows of a batch to those for which a condition is true. It reports false as
// Kernel.Eval does; the rows are then unchanged.
type Filter interface {
	Narrow(b *Batch, rows []int32) ([]int32, bool)
}

// Compiler makes kernels for batches of a schema. Env is the environment of the expressions, except
// for warnings; its Row is the frame, whose columns in the schema kernels may overwrite.
type Compiler struct {
	Schema Schema
	Env    *expr.Env
	quiet  *expr.Env
	warned bool // by quiet
	left   int  // expressions that may still be compiled
	tried  []tried
}

// tried is an operand of the current expression and its kernel.
type tried struct {
	node   expr.Node
	kernel Kernel
}
