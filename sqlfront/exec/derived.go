package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

// Derived reads a subquery in FROM or a view.
type Derived struct {
	Query *Query
	// Title is what EXPLAIN calls it, Alias what the statement does.
	Title, Alias string
	// First is the frame's column that holds the query's first one.
	First int
	// Gives are the columns of the frame whose values the query is given, and
	// Slots the columns of its own frame for them, -1 where it reads none.
	Gives, Slots []int
	// Lateral says that the query reads other relations of its FROM. Over, where it is not nil,
	// gives its rows over the partners of a row of theirs.
	Lateral bool
	Over    *Subquery
	// Same says that the rows are the same ones each time that it is opened, and cost more to
	// make than to read.
	Same bool
}

// derivedScan gives the rows of a query as columns of the frame.
type derivedScan struct {
	*Derived
	x     *frame
	inner frame
	rows  input
	same  *derivedRows // of the statement; nil of a part of it
	given int64
	above kernel.Reader // nil where that is not known
	out   *kernel.Batch // nil before the first vectors
}

func (n *Derived) open(x *frame, want request) (source, grant, error) {
	if n.Over != nil && readsOthers(x.stmt) && !x.stmt.explain {
		return n.openOver(x)
	}
	s := &derivedScan{Derived: n, x: x, same: derivedRowsOf(x.stmt, n)}
	if kept, err := s.same.keep(n.Query, x.stmt); kept || err != nil {
		if err != nil {
			return nil, grant{}, err
		}
		return s.same.scan(n, x)
	}
	s.inner.startIn(x.stmt, n.Query.Width)
	for i, slot := range n.Slots {
		if slot >= 0 {
			s.inner.env.Row[slot] = x.env.Row[n.Gives[i]]
		}
	}
	o := queryOptions{atMost: want.plainLimit()}
	below, ok := n.below(want)
	if ok {
		o.above = &below
	}
	var g grant
	var err error
	s.rows.source, g, err = n.Query.Body.open(&s.inner, o)
	g.orderOf(below, want)
	return s, g, err
}

// below is a wish about the order of a derived table's rows as one about the
// rows of its query; false where it is about something else.
func (n *Derived) below(want request) (request, bool) {
	out := request{limit: want.limit, leading: want.leading.ofSome()}
	for _, k := range want.order {
		e := n.ofQuery(k.Expr)
		if e == nil && out.leading != notLeading && len(out.order) > 0 {
			break
		}
		if e == nil {
			return request{}, false
		}
		out.order = append(out.order, ordering.Key{Expr: e, Desc: k.Desc})
	}
	for _, k := range want.together {
		e := n.ofQuery(k)
		if e == nil {
			return request{}, false
		}
		out.together = append(out.together, e)
	}
	return out, len(out.order) > 0 || len(out.together) > 0
}

// ofQuery is an expression over a derived table as one over what its query
// projects, nil where it reads something else or would differ.
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
			return b.Projection.nodes[i]
		}
		foreign = true
		return e
	})
	if foreign || !expr.GrowsLittle(e, out) || expr.IsVolatile(out) {
		return nil
	}
	return out
}

func (s *derivedScan) env() *expr.Env { return &s.x.env }

func (s *derivedScan) next(want int) (*kernel.Batch, error) {
	if want > 1 {
		if b, err := s.rows.vectors(want); b != nil || err != nil {
			return s.columns(b), err
		}
	}
	row, err := s.rows.result(want)
	if row == nil || err != nil {
		s.same.ended(err)
		return nil, err
	}
	copy(s.x.env.Row[s.First:], row[:len(s.Query.Types)])
	s.given++
	return oneRow, nil
}

// columns are the rows of a batch of the query's, which may be nil.
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
		s.out.LeaveOutUnread(readOf(s.above))
	}
	s.out.Over(b)
	for i := range s.Query.Types {
		s.out.Pass(i, b, i)
	}
	return s.out
}

func (s *derivedScan) readFor(r kernel.Reader) {
	s.above = r
	s.rows.readFor(s)
}

// ColumnsRead implements kernel.Reader: they are the query's.
func (s *derivedScan) ColumnsRead() kernel.Columns {
	return readOf(s.above).From(s.First, len(s.Query.Types))
}

func (s *derivedScan) close() error { return s.rows.close() }

func (s *derivedScan) under() source     { return s.rows.source }
func (s *derivedScan) sameInParts() bool { return true }

func (s *derivedScan) ofPart(r *partRun, x *frame) (source, *frame) {
	child, _ := r.chain(s.rows.source, nil)
	if x == nil {
		x = r.frame(s.x)
	}
	return &derivedScan{Derived: s.Derived, x: x, rows: input{source: child}}, x
}

func (s *derivedScan) addWork(out *explain.Step) {
	out.Rows += s.given
	addWork(out.Steps[0], s.rows.source)
}

func (s *derivedScan) step() *explain.Step {
	under := s.Query.step(s.rows.source, s.x.stmt)
	under.Block.Dependent = s.Lateral
	if s.Over != nil {
		under.Add("for all rows around", s.Over.forAll(s.x.stmt))
	}
	out := explain.NewStep(s.Title, under)
	out.Table = &explain.Table{Table: s.Alias, Type: "ALL", Rows: -1}
	out.Rows = s.given
	return out
}
