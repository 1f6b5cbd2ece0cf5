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

// Start prepares to read only what the condition leaves, without a join. Errors are those of Prepare, and of
// Guard.
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

// Prepare binds the placeholders and determines what to scan. It does not read the relation. Errors are those
// of the condition's expressions, with MySQL's numbers.
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
	// The limits of T that it may use.
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

// Shown returns the access's view of the relation's versions. Errors are those of FOR SYSTEM_TIME and of
// hints.
func (a *Access) Shown(x *op.Frame) (versions.View, error) {
	if a.View == nil {
		return x.Context.View, nil
	}
	return a.View.Resolve(x.Context.View, &x.Env)
}

// merger is an op.Asker.
type merger interface {
	// MergeMembers merges a scan with the subqueries of its conditions. It returns the scan if there is
	// nothing to merge.
	MergeMembers(s *Scan, want op.Desired) (op.Operator, error)
}

// memory is the memory of a statement.
type memory interface {
	// NewScan returns a zero scan.
	NewScan() *Scan
}
