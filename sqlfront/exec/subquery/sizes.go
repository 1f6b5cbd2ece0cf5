package subquery

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/exec/setop"
)

// sizes adds up what a query reads of the store, regardless of how it is done.
type sizes struct {
	run   *op.Statement
	width int // of the query's frame
	sum   kv.Estimate
	known bool
}

// sizeOfQuery estimates how many cells a query reads that does not read the outer blocks; ok is
// false if unknown.
func sizeOfQuery(run *op.Statement, q *query.Query) (e kv.Estimate, ok bool, err error) {
	s := sizes{run: run, known: run.Context.Estimator != nil}
	err = s.query(q)
	return s.sum, s.known, err
}

func (s *sizes) query(q *query.Query) error {
	around := s.width
	defer func() { s.width = around }()
	s.width = q.Width
	switch b := q.Body.(type) {
	case *query.Select:
		return s.node(b.Source)
	case *setop.Union:
		for _, p := range b.Parts {
			if err := s.query(p.Query); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sizes) node(n op.Node) error {
	if a := scan.AccessOf(n); a != nil {
		return s.access(a)
	}
	switch n := n.(type) {
	case *pipeline.Filter:
		return s.node(n.Child)
	case *agg.Aggregate:
		return s.node(n.Child)
	case *agg.Rollup:
		return s.node(n.Child)
	case *order.Window:
		return s.node(n.Child)
	case *query.Derived:
		return s.query(n.Query)
	case *join.JoinOrder:
		return s.node(n.Orders[0].Join)
	case *join.Join:
		return s.join(n)
	case op.Dual:
		return nil
	}
	s.known = false
	return nil
}

func (s *sizes) join(n *join.Join) error {
	if err := s.node(n.Left); err != nil {
		return err
	}
	switch {
	case n.Right != nil:
		return s.node(n.Right)
	case n.Merge != nil:
		return s.access(n.Merge.Scan)
	}
	s.known = false
	return nil
}

func (s *sizes) access(a *scan.Access) error {
	if !s.known {
		return nil
	}
	scan, _, err := a.Prepare(s.run.NewFrame(s.width), op.Desired{})
	if err != nil || scan.Empty() {
		return err
	}
	e, ok := scan.Size(cost.LooksJoined)
	s.known = ok
	s.sum.Stored, s.sum.Bytes = s.sum.Stored+e.Stored, s.sum.Bytes+e.Bytes
	return nil
}
