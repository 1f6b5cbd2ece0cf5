package scan

import (
	"cmp"
	"math"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
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
	s, ok := x.Idle.Scan.(*Scan)
	if x.Idle.Scan = nil; !ok {
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

// plan fills in the scan of the store.
func (s *Scan) plan(want op.Desired) op.Provided {
	s.StoreScan = kv.Scan{} // assigning a filled-in one takes longer
	s.StoreScan.Ranges, s.StoreScan.Qualifiers, s.StoreScan.Time = s.Con.Ranges, s.Con.Qualifiers, s.Con.Time
	s.StoreScan.Rows = want.Within
	s.StoreScan.MaxVersions, s.StoreScan.NeedValue = s.view.Versions, s.Access.NeedValue || len(s.Values) > 0
	if s.Access.Selection != nil {
		s.Access.Selection.Restrict(&s.StoreScan)
	}
	if s.Con.Times != nil && len(s.Tables) > 0 {
		s.chooseSlices()
	}
	g := s.provide(want)
	if want.Limit > 0 && s.Con.Remaining == nil && (g.Ordered || g.Leading > 0 || len(want.Order) == 0) {
		s.StoreScan.Limit = int(min(want.Limit, math.MaxInt32))
	}
	if want.Limit == 0 && !s.StoreScan.Ordered {
		s.StoreScan.Parallel = s.X.Context.Readers
	}
	return g
}

// provide decides which of the desired properties the scan provides, and prepares it for them.
func (s *Scan) provide(want op.Desired) op.Provided {
	var g op.Provided
	if len(want.Order) > 0 || len(want.Together) > 0 {
		s.provideOrder(want, &g)
	}
	if want.OnePerRow && s.dependsOnRowAlone() {
		s.StoreScan.FirstPerRow = true
		g.OnePerRow = len(s.Tables) == 1
	}
	if want.Counting != nil && s.StoreScan.Qualifiers == nil && !s.StoreScan.Reverse && s.dependsOnRowAlone() {
		s.findWanted(want.Counting)
	}
	return g
}

// findWanted tells the store the qualifiers without which a condition is not true. A pivot of two
// qualifiers of three takes 0.85 of the processor time this way, one of two of five 0.82, and a
// join of two pivots 0.65.
func (s *Scan) findWanted(c *op.Counting) {
	if r := s.Con.Ranges; len(r) == 1 && r[0].Within() != kv.DepthNone {
		return
	}
	if s.StoreScan.Wanted = c.Wanted; !c.Settled {
		s.StoreScan.Wanted = WantedBy(c.Cond, s.Access.Columns, &s.X.Env)
	}
}

// WantedBy returns the qualifiers without which a condition is not true, nil for all.
func WantedBy(cond expr.Node, cols constrain.Columns, env *expr.Env) []kv.QualifierRange {
	con, err := constrain.Build(cond, cols, env, constrain.View{Opaque: true})
	switch {
	case err != nil: // evaluating the condition finds it, too
		return nil
	case con.Contradiction:
		return []kv.QualifierRange{}
	}
	return con.Qualifiers
}

// provideOrder provides what the order of the cells can.
func (s *Scan) provideOrder(want op.Desired, g *op.Provided) {
	o := s.ordering()
	if len(want.Order) > 0 {
		s.provideKeys(&o, want, g)
	}
	if len(want.Together) > 0 {
		var withinRows bool
		if g.Together, withinRows = o.Gathers(want.Together); g.Together && !withinRows {
			s.StoreScan.Ordered = true
		}
	}
}

// provideKeys provides the desired order, or that by its first keys.
func (s *Scan) provideKeys(o *ordering.Scan, want op.Desired, g *op.Provided) {
	leading, needed, reverse := o.Serves(want.Order)
	switch {
	case leading == len(want.Order):
		g.Ordered = true
	case needed && s.leads(o, want.Leading, want.Order[:leading]):
		g.Leading, s.leading = leading, true
	default:
		return
	}
	s.StoreScan.Ordered, s.StoreScan.Reverse = needed, reverse
}

// leads reports whether to return rows in the order of the first keys only. If all rows are read,
// it does so if this order costs nothing, and groups are within one row: 450,000 cells by K and T
// then take 3.6 MB and 170 to 200 ms; sorted on two processors, 85 MB and 150 to 240 ms. By LEFT(K,
// 3) there is no gain, and more processors do better; so they do for a merge of KEY partitions, and
// for conditions that few cells meet.
func (s *Scan) leads(o *ordering.Scan, why op.Leading, keys []ordering.Key) bool {
	if why != op.LeadsAll {
		return why == op.LeadsFirst
	}
	return len(s.Tables) > 0 && s.Tables[0].Partitioning.Ordered() && s.Con.Remaining == nil && o.HoldsRow(keys)
}

// ordering returns the order that the scan's rows have if it is requested.
func (s *Scan) ordering() ordering.Scan {
	return ordering.OfScan(&s.Access.Columns, &s.StoreScan, len(s.Tables))
}

// dependsOnRowAlone reports whether the remaining conditions read only K and columns computed from
// it.
func (s *Scan) dependsOnRowAlone() bool {
	if len(s.Values) > 0 {
		return false
	}
	for _, n := range s.Keys {
		if !expr.OnlyColumns(n, s.Access.RowColumn) || expr.IsVolatile(n) {
			return false
		}
	}
	return true
}
