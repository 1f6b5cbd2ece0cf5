package exec

import (
	"math"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

// plan fills in the scan of the store.
func (s *scan) plan(want request) grant {
	s.kv = kv.Scan{} // to fill one in and copy it takes longer
	s.kv.Ranges, s.kv.Qualifiers, s.kv.Time = s.con.Ranges, s.con.Qualifiers, s.con.Time
	s.kv.MaxVersions, s.kv.NeedValue = s.view.Versions, s.access.NeedValue || len(s.values) > 0
	s.access.Selection.Restrict(&s.kv)
	s.chooseSlices()
	g := s.grant(want)
	if want.limit > 0 && s.con.Remaining == nil && (g.ordered || len(want.order) == 0) {
		s.kv.Limit = int(min(want.limit, math.MaxInt32))
	}
	if want.limit == 0 && !s.kv.Ordered {
		s.kv.Parallel = s.x.c.readers()
	}
	return g
}

// grant decides which wishes the scan grants, and sets it up so.
func (s *scan) grant(want request) grant {
	var g grant
	if len(want.order) > 0 || len(want.together) > 0 {
		s.grantOrder(want, &g)
	}
	if want.onePerRow && s.dependsOnRowAlone() {
		s.kv.FirstPerRow = true
		g.onePerRow = len(s.tables) == 1
	}
	if want.counting != nil && s.kv.Qualifiers == nil && !s.kv.Reverse && s.dependsOnRowAlone() {
		s.findWanted(want.counting)
	}
	return g
}

// findWanted tells the store of the qualifiers without which a condition does not hold.
// A pivot of two qualifiers of three takes 0.85 of the processor time by that, one of two
// of five 0.82, and a join of two pivots 0.65.
func (s *scan) findWanted(n expr.Node) {
	if len(s.con.Ranges) == 1 {
		if one, _ := constrain.OneRow(s.con.Ranges[0]); one {
			return
		}
	}
	con, err := constrain.Build(n, s.access.Columns, &s.x.env, constrain.View{Opaque: true})
	switch {
	case err != nil: // whoever evaluates it finds it, too
	case con.Contradiction:
		s.kv.Wanted = []kv.QualifierRange{}
	default:
		s.kv.Wanted = con.Qualifiers
	}
}

// grantOrder is grant of the wishes that the order of the cells can meet.
func (s *scan) grantOrder(want request, g *grant) {
	o := s.ordering()
	if len(want.order) > 0 {
		g.ordered, s.kv.Ordered, s.kv.Reverse = o.Serves(want.order)
	}
	if len(want.together) > 0 {
		var withinRows bool
		if g.together, withinRows = o.Gathers(want.together); g.together && !withinRows {
			s.kv.Ordered = true
		}
	}
}

// ordering is the order that the scan's rows have where it is asked for.
func (s *scan) ordering() ordering.Scan {
	return ordering.OfScan(&s.access.Columns, &s.kv, len(s.tables))
}

// dependsOnRowAlone reports whether the conditions left over read no column
// but K and those computed from it.
func (s *scan) dependsOnRowAlone() bool {
	if len(s.values) > 0 {
		return false
	}
	for _, n := range s.keys {
		if !expr.OnlyColumns(n, s.access.rowColumn) || expr.IsVolatile(n) {
			return false
		}
	}
	return true
}
