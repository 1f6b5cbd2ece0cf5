package pivot

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Pivot makes one row of the newest cells of each row of a table, for typed tables and views of wide rows:
// GROUP BY K with only aggregates such as MAX(CASE WHEN Q = 'x' THEN V END), or of T. Each column has at
// most one cell, so no aggregate needs a state. The first cells are read one by one; after many, the store
// returns whole rows.
//
// A row of ten columns read by its key allocates 0.6 of the bytes that general groups take for it (go -C
// conformance/peers test -bench Typed/hbasekv/point, November 2026).
type Pivot struct {
	shape *Shape
	// width is that of the rows; describe returns the step over another one.
	width    int
	describe func(under *explain.Step) *explain.Step
	x        *op.Frame
	scan     *scan.Scan
	child    op.Input
	out      expr.Env
	// open is the row that is being read, given the one in the frame.
	open, given row
	started     bool // open has a cell
	begun       bool // reading has begun
	ended       bool
	wants       int
	batches     batches
}

// Shape says which cells make up the rows of a pivot.
type Shape struct {
	key, qualifier int      // the frame's columns of K and Q
	names          [][]byte // the qualifiers, ascending
	parts          []part
}

// part is where an aggregate's result comes from.
type part struct {
	class  int // index in names
	column int // of the frame: V or T
	slot   int // of the frame, for the result
}

// row is a row in separate memory.
type row struct {
	key    []byte
	values []value.Value // of the aggregates
	bytes  []byte        // of the values
}

// Slot is an aggregate and the frame's column for its result.
type Slot struct {
	Agg  *setfunc.Aggregate
	Slot int
}

// NewShape returns the shape of an aggregation by one key, with some captured columns of the frame; nil if
// it is not a pivot.
func NewShape(by expr.Node, captured []int, aggs []Slot) *Shape {
	key, ok := by.(*expr.Column)
	if !ok || len(aggs) == 0 || slices.ContainsFunc(captured, func(i int) bool { return i != key.Index }) {
		return nil
	}
	s := &Shape{key: key.Index, qualifier: -1}
	names := make([][]byte, len(aggs))
	for i, a := range aggs {
		p, name, ok := s.part(a)
		if !ok {
			return nil
		}
		s.parts, names[i] = append(s.parts, p), name
	}
	s.names = slices.CompactFunc(slices.SortedFunc(slices.Values(names), bytes.Compare), bytes.Equal)
	for i, name := range names {
		s.parts[i].class, _ = slices.BinarySearchFunc(s.names, name, bytes.Compare)
	}
	if len(s.names) > kv.MaxColumns {
		return nil
	}
	return s
}

// part recognizes MAX(CASE WHEN Q = 'x' THEN column END).
func (s *Shape) part(a Slot) (p part, name []byte, ok bool) {
	choice := a.Agg.Choice()
	if a.Agg.Extreme() == 0 || choice == nil || choice.X != nil || len(choice.Whens) != 1 || !choice.ElseIsNull() {
		return p, nil, false
	}
	is, ok := choice.Whens[0].Cond.(*expr.Compare)
	if !ok || is.Op != expr.Eq {
		return p, nil, false
	}
	qualifier, ok := is.L.(*expr.Column)
	text, isConst := is.R.(*expr.Const)
	then, isColumn := choice.Whens[0].Then.(*expr.Column)
	if !ok || !isConst || !isColumn || qualifier.T.Kind != value.Bytes || !text.V.IsString() || then.T.Kind != choice.T.Kind {
		return p, nil, false
	}
	if s.qualifier >= 0 && s.qualifier != qualifier.Index {
		return p, nil, false
	}
	s.qualifier = qualifier.Index
	return part{column: then.Index, slot: a.Slot}, text.V.Raw(), true
}

// reads reports whether the shape reads a relation's K, Q, T and V.
func (s *Shape) reads(a *scan.Access) bool {
	at := &a.Columns
	return s.key == at.K && s.qualifier == at.Q && a.Twin == nil &&
		!slices.ContainsFunc(s.parts, func(p part) bool { return p.column != at.T && p.column != at.V })
}

// Open returns the pivot of what child reads, or nil if it does not fit this shape. The rows have width
// columns; describe returns their step over child's.
func (s *Shape) Open(x *op.Frame, child op.Operator, want op.Desired, width int, describe func(under *explain.Step) *explain.Step) *Pivot {
	of, ok := scan.Of(child)
	if s == nil || !ok || x.Lock != nil || !of.GivesRows() || !s.reads(of.Access) {
		return nil
	}
	p := &Pivot{shape: s, width: width, describe: describe, x: x, scan: of, child: op.Input{Operator: child}, out: *child.Env(), wants: op.AllRows}
	if 0 < want.Limit && want.Limit < op.BatchCells {
		p.wants = 1 // a few rows may be enough
	}
	p.out.Row = make([]value.Value, width)
	copy(p.out.Row, child.Env().Row)
	return p
}

// ColumnsRead implements kernel.Reader.
func (p *Pivot) ColumnsRead() kernel.Columns {
	c := kernel.Columns{}.Add(p.shape.key).Add(p.shape.qualifier)
	for i := range p.shape.parts {
		c = c.Add(p.shape.parts[i].column)
	}
	return c
}

// Env implements op.Operator.
func (p *Pivot) Env() *expr.Env { return &p.out }

// Grouped returns the operator whose rows are grouped.
func (p *Pivot) Grouped() op.Operator { return p.child.Operator }

// Close implements op.Operator.
func (p *Pivot) Close() error { return p.child.Close() }

// Next implements op.Operator.
func (p *Pivot) Next(int) (*kernel.Batch, error) {
	if !p.begun {
		p.begun = true
		p.child.ReadFor(p)
	}
	for !p.ended {
		in, err := p.child.Vectors(p.wants)
		if err != nil {
			return nil, err
		}
		if in != nil && !p.scan.Cells.HasColumns() {
			p.child.Take(in)
		} else if in != nil {
			if err := p.x.Ticks(in.N); err != nil {
				return nil, err
			}
			if out := p.takeBatch(); out.N > 0 {
				return out, nil
			}
			continue
		}
		if full, err := p.readCell(); full || err != nil {
			return op.Single(full, err)
		}
	}
	return nil, nil
}

// readCell adds the next cell to its row, and reports whether a complete row is in the frame.
func (p *Pivot) readCell() (bool, error) {
	ok, err := p.child.Row(p.wants)
	if err != nil {
		return false, err
	}
	if !ok {
		p.ended = true
		if p.started {
			p.give()
		}
		return p.started, nil
	}
	cell := p.child.Env().Row
	key := cell[p.shape.key].Raw()
	full := p.started && !bytes.Equal(key, p.open.key)
	if full {
		p.give()
	}
	if full || !p.started {
		p.begin(key)
	}
	if class, ok := slices.BinarySearchFunc(p.shape.names, cell[p.shape.qualifier].Raw(), bytes.Compare); ok {
		for i := range p.shape.parts {
			if part := &p.shape.parts[i]; part.class == class {
				p.open.set(i, cell[part.column])
			}
		}
	}
	return full, nil
}

// begin starts a row.
func (p *Pivot) begin(key []byte) {
	p.started = true
	r := &p.open
	r.key, r.bytes = append(r.key[:0], key...), r.bytes[:0]
	if r.values == nil {
		r.values = make([]value.Value, len(p.shape.parts))
	}
	clear(r.values)
}

// set copies the result of an aggregate. Earlier copies stay valid, as values refer to them.
func (r *row) set(i int, v value.Value) {
	if n := len(v.Raw()); cap(r.bytes)-len(r.bytes) < n {
		r.bytes = make([]byte, 0, max(2*cap(r.bytes), n, 64))
	}
	r.values[i], r.bytes = v.AppendClone(r.bytes)
}

// give copies the row that was read into the frame.
func (p *Pivot) give() {
	p.open, p.given = p.given, p.open
	p.out.Row[p.shape.key] = value.NewBytes(p.given.key)
	for i := range p.shape.parts {
		p.out.Row[p.shape.parts[i].slot] = p.given.values[i]
	}
}

// Step implements op.Operator.
func (p *Pivot) Step() *explain.Step { return p.describe(p.child.Step()) }

// Quiet is as for scan.Quietly.
func (p *Pivot) Quiet() bool { return true }

// OnePerRow implements scan's interface for pipelines that return one row per K.
func (p *Pivot) OnePerRow() {}

// Under implements scan.Link.
func (p *Pivot) Under() op.Operator { return p.child.Operator }

// Reduces implements Reducing.
func (p *Pivot) Reduces() bool { return true }

// SameInParts implements scan.Link.
func (p *Pivot) SameInParts() bool {
	return scan.Bottom(p.child.Operator).X == p.x
}

// OfPart implements scan.Link.
func (p *Pivot) OfPart(r *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	child, x := r.Pipeline(p.child.Operator, x)
	return p.shape.Open(x, child, op.Desired{}, p.width, p.describe), x
}

// AddWork implements scan.Link.
func (p *Pivot) AddWork(out *explain.Step) { scan.AddWork(out.Steps[0], p.child.Operator) }
