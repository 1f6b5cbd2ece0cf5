package query

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Derived reads a subquery in FROM or a view.
type Derived struct {
	Query *Query
	// Title is its name in EXPLAIN, Alias that in the statement.
	Title, Alias string
	// First is the frame's column for the query's first one.
	First int
	// Gives are the frame's columns whose values are passed to the query, and Slots the columns of its
	// own frame for them, or -1 if it does not read one.
	Gives, Slots []int
	// Lateral says that the query reads other relations of its FROM. Over, if not nil, returns its rows
	// from the partners of such a row.
	Lateral bool
	Over    OverPartners
	// Same says that the rows are the same each time that it is opened, and cost more to compute than to
	// read.
	Same bool
}

// OverPartners is the query of a lateral derived table over rows that are kept for all outer rows.
type OverPartners interface {
	// Read calls fn for its rows, at most atMost if that is not 0, as long as fn returns true.
	Read(env *expr.Env, run *op.Statement, atMost int64, fn func([]value.Value) (bool, error)) error
	// ForAll says by which keys the rows are kept; for a statement that has run, whether they were kept.
	ForAll(run *op.Statement) string
}

// derivedScan returns the rows of a query as columns of the frame.
type derivedScan struct {
	*Derived
	x     *op.Frame
	inner op.Frame
	rows  op.Input
	same  *derivedRows // of the statement; nil for a part of it
	given int64
	above kernel.Reader // nil if unknown
	out   *kernel.Batch // nil before the first vectors
}

func (n *Derived) Open(x *op.Frame, want op.Desired) (op.Operator, op.Provided, error) {
	if n.Over != nil && x.Stmt.ReadsOthers() && !x.Stmt.Explain {
		return n.openOver(x)
	}
	s := &derivedScan{Derived: n, x: x, same: derivedRowsOf(x.Stmt, n)}
	if kept, err := s.same.keep(n.Query, x.Stmt); kept || err != nil {
		if err != nil {
			return nil, op.Provided{}, err
		}
		return s.same.scan(n, x)
	}
	s.inner.StartIn(x.Stmt, n.Query.Width)
	for i, slot := range n.Slots {
		if slot >= 0 {
			s.inner.Env.Row[slot] = x.Env.Row[n.Gives[i]]
		}
	}
	o := Options{AtMost: want.PlainLimit()}
	below, ok := n.below(want)
	if ok {
		o.above = &below
	}
	var g op.Provided
	var err error
	s.rows.Operator, g, err = n.Query.Body.Open(&s.inner, o)
	g.OrderOf(below, want)
	return s, g, err
}

// below converts a desired order of a derived table's rows to one of its query's rows; it returns false
// if that is not possible.
func (n *Derived) below(want op.Desired) (op.Desired, bool) {
	out := op.Desired{Limit: want.Limit, Leading: want.Leading.OfSome()}
	for _, k := range want.Order {
		e := n.ofQuery(k.Expr)
		if e == nil && out.Leading != op.NotLeading && len(out.Order) > 0 {
			break
		}
		if e == nil {
			return op.Desired{}, false
		}
		out.Order = append(out.Order, ordering.Key{Expr: e, Desc: k.Desc})
	}
	for _, k := range want.Together {
		e := n.ofQuery(k)
		if e == nil {
			return op.Desired{}, false
		}
		out.Together = append(out.Together, e)
	}
	return out, len(out.Order) > 0 || len(out.Together) > 0
}

// ofQuery converts an expression over a derived table to one over what its query projects; it returns
// nil if it reads something else or could differ.
func (n *Derived) ofQuery(e expr.Node) expr.Node {
	b, ok := n.Query.Body.(*Select)
	if !ok {
		return nil
	}
	foreign := false
	out := expr.Rewrite(e, func(e expr.Node) expr.Node {
		c, ok := e.(*expr.Column)
		if !ok {
			return e
		}
		if i := c.Index - n.First; i >= 0 && i < len(n.Query.Types) {
			return b.Projection.Nodes[i]
		}
		foreign = true
		return e
	})
	if foreign || !expr.GrowsLittle(e, out) || expr.IsVolatile(out) {
		return nil
	}
	return out
}

func (s *derivedScan) Env() *expr.Env { return &s.x.Env }

func (s *derivedScan) Next(want int) (*kernel.Batch, error) {
	if want > 1 {
		if b, err := s.rows.Vectors(want); b != nil || err != nil {
			return s.columns(b), err
		}
	}
	row, err := s.rows.Result(want)
	if row == nil || err != nil {
		s.same.ended(err)
		return nil, err
	}
	copy(s.x.Env.Row[s.First:], row[:len(s.Query.Types)])
	s.given++
	return op.OneRow, nil
}

// columns returns the rows of a batch of the query's, which may be nil.
func (s *derivedScan) columns(b *kernel.Batch) *kernel.Batch {
	if b == nil {
		return nil
	}
	s.given += int64(len(b.Rows))
	if s.out == nil {
		schema := make(kernel.Schema, len(s.Query.Types))
		for i := range schema {
			schema[i] = kernel.Field{Index: s.First + i, Kind: b.Schema()[i].Kind}
		}
		s.out = kernel.NewBatch(schema, nil)
		s.out.LeaveOutUnread(op.ReadOf(s.above))
	}
	s.out.Over(b)
	for i := range s.Query.Types {
		s.out.Pass(i, b, i)
	}
	return s.out
}

func (s *derivedScan) ReadFor(r kernel.Reader) {
	s.above = r
	s.rows.ReadFor(s)
}

// ColumnsRead implements kernel.Reader for the query.
func (s *derivedScan) ColumnsRead() kernel.Columns {
	return op.ReadOf(s.above).From(s.First, len(s.Query.Types))
}

func (s *derivedScan) Close() error { return s.rows.Close() }

func (s *derivedScan) Under() op.Operator { return s.rows.Operator }

// Quiet is as for scan.Quietly.
func (s *derivedScan) Quiet() bool { return true }

// OverBranch implements Spanning.
func (s *derivedScan) OverBranch(branch op.Operator) op.Operator {
	return &derivedScan{Derived: s.Derived, x: s.x, rows: op.Input{Operator: branch}}
}

func (s *derivedScan) SameInParts() bool { return true }

func (s *derivedScan) OfPart(r *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	child, _ := r.Pipeline(s.rows.Operator, nil)
	if x == nil {
		x = r.Frame(s.x)
	}
	return &derivedScan{Derived: s.Derived, x: x, rows: op.Input{Operator: child}}, x
}

func (s *derivedScan) AddWork(out *explain.Step) {
	out.Rows += s.given
	scan.AddWork(out.Steps[0], s.rows.Operator)
}

func (s *derivedScan) Step() *explain.Step {
	under := s.Query.Step(s.rows.Operator, s.x.Stmt)
	under.Block.Dependent = s.Lateral
	if s.Over != nil {
		under.Add("for all outer rows", s.Over.ForAll(s.x.Stmt))
	}
	out := explain.NewStep(s.Title, under)
	out.Table = &explain.Table{Table: s.Alias, Type: "ALL", Rows: -1}
	out.Rows = s.given
	return out
}

// KeyColumn returns the frame's column of a K that the query returns unchanged, or -1.
func (s *derivedScan) KeyColumn() int {
	if p, ok := s.rows.Operator.(*pipeline.Project); ok {
		return s.projects(scan.KeyColumn(p.Operator))
	}
	return scan.KeyColumn(s.rows.Operator)
}

// ColumnsOf returns the frame's columns of the derived table.
func (s *derivedScan) ColumnsOf() (first, end int) { return s.First, s.First + len(s.Query.Types) }

// projects returns the column of a derived table that is a column of its query's frame, or -1.
func (s *derivedScan) projects(column int) int {
	for i, c := range s.rows.Operator.(*pipeline.Project).Columns[:len(s.Query.Types)] {
		if c >= 0 && c == column {
			return s.First + i
		}
	}
	return -1
}
