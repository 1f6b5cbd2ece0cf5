package subquery

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/correlated"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// overPartners is a subquery over partners in memory: a function of the outer row only, so outer rows
// may be read in batches and on several goroutines.
type overPartners struct {
	resolved
	run *op.Statement
}

// overPartners returns nil if looking the rows up costs less, or if the subquery has subqueries.
func (s *Subquery) overPartners(x *op.Frame, rows int64) (expr.Node, error) {
	p, run := s.Partnered, x.Stmt
	if len(p.Query.Subqueries) > 0 || run.Measured {
		return nil, nil
	}
	k := op.Keep[partnerRows](run, p.Partners)
	if k.rows == nil && !k.idle {
		if sooner, err := queryReadsSooner(run, p.All, s.cellsOf(rows)); !sooner || err != nil {
			return nil, err
		}
		if err := k.read(p.Partners, run); err != nil {
			return nil, err
		}
	}
	if !k.inMemory() || !k.keys.Tell(p.Own) {
		return nil, nil
	}
	of := *s
	of.partners, run.Shared = k, true
	return &overPartners{resolved{&of}, run}, nil
}

// unlookedCells is the assumed number of cells that an EXISTS not by K reads up to a partner.
const unlookedCells = 1024

// cellsOf returns the cost of running the subquery for so many outer rows, as a number of cells that
// could be read in that time.
func (s *Subquery) cellsOf(rows int64) int64 {
	switch {
	case s.Partnered.Looked:
		return rows * cost.SubqueryCells
	case s.Use.Kind == expr.SubqueryExists:
		return rows * unlookedCells
	}
	return math.MaxInt64
}

// Eval returns 1 or 0, or the value.
func (a *overPartners) Eval(env *expr.Env) (value.Value, error) {
	return a.run.Asker.Subquery(a.of, env)
}

// Children returns what is read of the row.
func (a *overPartners) Children() []expr.Node { return a.of.Children() }

// With returns the same for other operands.
func (a *overPartners) With(children []expr.Node) expr.Node {
	return &overPartners{resolved{a.of.With(children).(*Subquery)}, a.run}
}

// Loop implements kernel.Looped.
func (a *overPartners) Loop(env *expr.Env, operands []value.Kind) kernel.Loop {
	s := a.of
	q := s.question(a.run.Context.Env.Params)
	if q == nil {
		return nil
	}
	x := a.run.NewFrame(s.Partnered.Query.Width + 1)
	x.Env.Session, x.Env.Held, x.Env.Lists = env.Session, env.Held, env.Lists
	return q.Loop(x, operands)
}

// question returns the subquery in a form that answers many outer rows at a time. It is nil if the
// subquery needs more of the partners than their existence, one of their rows or aggregates of all; it
// then runs for each outer row.
func (s *Subquery) question(params []value.Value) *correlated.Question {
	p, k := s.Partnered, s.partners
	b, ok := p.Query.Body.(*query.Select)
	if !ok || p.ByKey {
		return nil
	}
	q := &correlated.Question{Use: s.Use, Slots: p.Slots, Left: correlated.NoColumn, Own: p.Own, Keys: &k.keys,
		Rows: k.rows, Columns: p.Columns, Given: p.Given, Rest: p.Residual}
	switch s.Use.Kind {
	case expr.SubqueryExists:
		ok = p.looksRowsUp()
	case expr.SubqueryScalar:
		ok = givesOneTo(b, q, params)
	default:
		q.Left = p.Query.Width // after the frame
		q.Slots = append([]int{q.Left}, p.Slots...)
		ok = b.GivesAll() && p.looksRowsUp()
	}
	if !ok || q.Use.Kind != expr.SubqueryExists && len(p.Query.Types) != 1 {
		return nil
	}
	if q.Use.Kind != expr.SubqueryExists {
		q.Value = b.Projection.FirstItem()
	}
	return q
}

// givesOneTo sets how the SELECT makes one value of partners, or returns false.
func givesOneTo(b *query.Select, q *correlated.Question, params []value.Value) bool {
	offset, count, err := b.Limit.Values(params)
	q.First = count == 1
	if err != nil || offset != 0 || !q.First && !b.GivesAll() || b.Distinct {
		return false
	}
	switch n := b.Source.(type) {
	case *Partners:
		for _, o := range b.Order {
			q.Order = append(q.Order, correlated.Key{X: b.Projection.Nodes[o.Column], Desc: o.Desc})
		}
		return true
	case *agg.Aggregate:
		_, plain := n.Child.(*Partners)
		for _, a := range n.Aggs {
			q.Aggs = append(q.Aggs, correlated.Agg(a))
		}
		return plain && n.Implicit && b.GivesAll() && len(n.Captured) == 0 && len(n.Aggs) > 0
	}
	return false
}
