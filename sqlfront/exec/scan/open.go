package scan

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Open makes Access a node.
func (a *Access) Open(x *op.Frame, want op.Desired) (op.Operator, op.Provided, error) {
	s, g, err := a.Prepare(x, want)
	if err != nil {
		return nil, g, err
	}
	salted := len(want.Order) > 0 && !g.Ordered && g.Leading == 0 && a.mergesBuckets(want) > 0
	out := op.Operator(s)
	if s.Con.Remaining != nil {
		if !salted {
			if out, err = x.Stmt.Asker.(merger).MergeMembers(s, want); err != nil {
				return nil, g, err
			}
		}
		if err := s.findMembers(); err != nil {
			return nil, g, cmp.Or(err, out.Close())
		}
	}
	if x.Context.Guard.NoFullScan {
		if err := s.checkFull(); err != nil {
			return nil, g, cmp.Or(err, out.Close())
		}
	}
	if salted {
		if m := s.mergeBuckets(want); m != nil {
			g.Leading = len(m.by)
			g.Ordered = g.Leading == len(want.Order)
			s.leading = !g.Ordered
			return m, g, nil
		}
	}
	return out, g, nil
}

// Start prepares to read nothing but what the condition leaves, without a join. Errors are those of
// Prepare.
func (a *Access) Start(x *op.Frame, want op.Desired) (*Scan, op.Provided, error) {
	s, g, err := a.Prepare(x, want)
	if err == nil && s.Con.Remaining != nil {
		err = s.findMembers()
	}
	if err == nil && x.Context.Guard.NoFullScan {
		err = s.checkFull()
	}
	return s, g, err
}

// Prepare binds the placeholders and works out what to scan. Nothing is read of the relation yet.
// Errors are those of the expressions of the condition, which are MySQL's.
func (a *Access) Prepare(x *op.Frame, want op.Desired) (*Scan, op.Provided, error) {
	var s *Scan
	if m, ok := x.Memory.(memory); ok {
		s = m.NewScan()
	} else {
		s = &Scan{}
	}
	s.X, s.Access = x, a
	var err error
	if s.view, err = a.Shown(x); err != nil {
		return nil, op.Provided{}, err
	}
	where := a.Where
	if where != nil && (a.Given != nil || a.Subqueries) {
		if where, err = a.boundWhere(x); err != nil {
			return nil, op.Provided{}, err
		}
	}
	// The bounds of T that it may use.
	v := constrain.View{AllVersions: s.view.Versions == 0, Time: s.view.Time}
	if s.Con, err = s.arena.Build(where, a.Columns, &x.Env, v); err != nil {
		return nil, op.Provided{}, err
	}
	if x.Stmt.Explain {
		if err := s.explainGiven(where, v); err != nil {
			return nil, op.Provided{}, err
		}
	}
	if s.Con.Remaining != nil {
		s.splitRemaining()
	}
	if s.Tables, s.families = a.Tables, a.Families; s.Con.Families != nil {
		s.chooseFamilies()
	}
	g := s.plan(want)
	if want.Sequenced {
		s.StoreScan.ByPartition = true
		g.Rows = s.Sequence()
	}
	return s, g, nil
}

// Shown is the view that the access has of the relation's versions. Errors are those of FOR SYSTEM_TIME and of hints.
func (a *Access) Shown(x *op.Frame) (versions.View, error) {
	if a.View == nil {
		return x.Context.View, nil
	}
	return a.View.Resolve(x.Context.View, &x.Env)
}

// merger is an op.Asker.
type merger interface {
	// MergeMembers merges a scan with what its conditions ask for. It is the scan where there is nothing
	// to be merged.
	MergeMembers(s *Scan, want op.Desired) (op.Operator, error)
}

// memory is what a statement may run in.
type memory interface {
	// NewScan is a zero scan.
	NewScan() *Scan
}
