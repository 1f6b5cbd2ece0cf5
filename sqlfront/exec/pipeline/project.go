package pipeline

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Projection computes the values of a result from the rows of a frame.
type Projection struct {
	Nodes []expr.Node
	// Columns are the frame's columns of nodes that are plain columns, -1 for others.
	Columns []int
	// first is the frame's column from which all nodes are consecutive, otherwise -1.
	first int
	// Cells are the places of the columns if all are the cell's, and the source is an Access;
	// otherwise nil.
	Cells []Place
	// Asks says that a node has a subquery.
	Asks bool
	// Late are the nodes that are evaluated when the row is returned; in Nodes they are NULL.
	Late []lateItem
}

func NewProjection(nodes []expr.Node) Projection {
	p := Projection{Columns: make([]int, len(nodes)), first: -1, Asks: slices.ContainsFunc(nodes, op.HasSubquery)}
	p.Nodes, p.Late = withoutLate(nodes)
	side := len(nodes) > 0
	for i, n := range nodes {
		p.Columns[i] = -1
		if c, ok := n.(*expr.Column); ok {
			p.Columns[i] = c.Index
		}
		side = side && p.Columns[i] >= 0 && p.Columns[i] == p.Columns[0]+i
	}
	if side {
		p.first = p.Columns[0]
	}
	return p
}

// FindCells sets Cells.
func (p *Projection) FindCells(source op.Node) {
	a, ok := source.(*scan.Access)
	if !ok {
		return
	}
	at := &a.Columns
	places := map[int]Place{at.K: InRow, at.Q: InQualifier, at.T: InTimestamp, at.V: InValue}
	cells := make([]Place, len(p.Columns))
	for i, c := range p.Columns {
		if cells[i], ok = places[c]; !ok {
			return
		}
	}
	p.Cells = cells
}

// Project is a running projection: its rows have only the projection's values.
type Project struct {
	*Projection
	op.Input // the rows from which it is computed
	// out has the row. It is in Room, or if it is contiguous in the child's frame, there.
	out     expr.Env
	Room    []value.Value
	above   kernel.Reader // nil if unknown
	batches *projectBatches
}

func (p *Projection) Start(x *op.Frame, child op.Operator) *Project {
	r, ok := x.Idle.Project.(*Project)
	if x.Idle.Project = nil; !ok {
		r = &Project{}
	}
	r.Projection, r.Operator = p, child
	if p.first < 0 {
		r.Room = slices.Grow(r.Room[:0], len(p.Nodes))[:len(p.Nodes)]
		r.out.Row = r.Room
	}
	return r
}

// RowsOf returns a function for the projection's rows, for readers of all rows.
func (p *Projection) RowsOf(child op.Operator, x *op.Frame) func() ([]value.Value, error) {
	in := &op.Input{Operator: p.Start(x, child)}
	return in.AllRows
}

func (p *Project) Env() *expr.Env { return &p.out }

func (p *Project) Next(want int) (*kernel.Batch, error) {
	if want > 1 {
		if b, err := p.nextBatch(); b != nil || err != nil {
			return b, err
		}
	}
	if ok, err := p.Row(want); !ok || err != nil {
		return nil, err
	}
	return op.Single(true, p.eval())
}

// eval evaluates the row in the child's frame.
func (p *Project) eval() (err error) {
	env := p.Input.Env()
	if p.first >= 0 {
		p.place(env)
		return nil
	}
	env.Held.NewRow()
	row := p.out.Row
	for i, c := range p.Columns {
		if c >= 0 {
			row[i] = env.Row[c]
		} else if row[i], err = p.Nodes[i].Eval(env); err != nil {
			return err
		}
	}
	return nil
}

// place finds the row in the child's frame, where it is contiguous.
func (p *Project) place(env *expr.Env) {
	end := p.first + len(p.Columns)
	p.out.Row = env.Row[p.first:end:end]
}

// skip skips at most so many rows, and returns how many: none after the last. Skipped rows are not
// evaluated, so they neither warn nor fail.
func (p *Project) skip(most int64) (int64, error) {
	if most > scan.RowsFirst { // a distant page is faster in batches
		p.Input.ReadFor(p)
		return p.Skip(most, op.AllRows)
	}
	return p.Skip(most, 1)
}

func (p *Project) Under() op.Operator { return p.Operator }

// Quiet is as for scan.Quietly.
func (p *Project) Quiet() bool { return !slices.ContainsFunc(p.Nodes, mayfail.Computes) }

// OverBranch implements Spanning.
func (p *Project) OverBranch(branch op.Operator) op.Operator {
	return &Project{Projection: p.Projection, Input: op.Input{Operator: branch}}
}

func (p *Project) SameInParts() bool         { return !slices.ContainsFunc(p.Nodes, scan.Impure) }
func (p *Project) AddWork(out *explain.Step) { scan.AddWork(out, p.Operator) }

func (p *Project) OfPart(r *scan.PartRun, _ *op.Frame) (op.Operator, *op.Frame) {
	child, x := r.Pipeline(p.Operator, nil)
	return p.Projection.Start(x, child), nil
}

// projectBatches are the batches of a projection.
type projectBatches struct {
	kernels []kernel.Kernel
	out     *kernel.Batch // nil before the first vectors
}

// nextBatch returns the next batch, or nil if the next row must be evaluated by itself.
func (p *Project) nextBatch() (*kernel.Batch, error) {
	if p.batches == nil {
		p.batches = &projectBatches{}
		p.Input.ReadFor(p)
	}
	b, err := p.Vectors(op.AllRows)
	if b == nil || err != nil {
		return nil, err
	}
	if !p.compile(b.Schema()) || !p.batches.take(b) {
		p.PutBack(b)
		return nil, nil
	}
	return p.batches.out, nil
}

// compile makes kernels, or returns false if the projection must be evaluated row by row.
func (p *Project) compile(schema kernel.Schema) (ok bool) {
	b := p.batches
	if b.out != nil {
		return true
	}
	if b.kernels, ok = p.Compiler(schema).CompileAll(p.Nodes); !ok {
		p.Rowwise = true
		return false
	}
	out := make(kernel.Schema, len(b.kernels))
	for i, k := range b.kernels {
		out[i] = kernel.Field{Index: i, Kind: k.Kind()}
	}
	b.out = kernel.NewBatch(out, nil)
	b.out.LeaveOutUnread(op.ReadOf(p.above))
	if p.first >= 0 {
		p.place(p.Input.Env())
	}
	return true
}

// take evaluates the rows of a batch, or returns false if they must be evaluated one by one.
func (b *projectBatches) take(from *kernel.Batch) bool {
	b.out.Over(from)
	for at, k := range b.kernels {
		if !b.out.Take(at, k, from) {
			return false
		}
	}
	return true
}

func (p *Project) ReadFor(r kernel.Reader) { p.above = r }

// ColumnsRead implements kernel.Reader. Plain columns are read only if they are read above;
// everything else may warn, and is evaluated.
func (p *Project) ColumnsRead() (c kernel.Columns) {
	read := op.ReadOf(p.above)
	for i, n := range p.Nodes {
		if _, plain := n.(*expr.Column); !plain || read.Has(i) {
			c = c.Reading(n)
		}
	}
	return c
}

// Place says which part of a cell a column of a Block's row is.
type Place uint8

const (
	InRow Place = iota
	InQualifier
	InTimestamp
	InValue
)
