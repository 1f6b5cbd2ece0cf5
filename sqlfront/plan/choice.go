package plan

import "github.com/hbasekv/hbasekv/sqlfront/parse"

// hinted is what the hints of a statement say of its relations' versions.
func hinted(h parse.Hints) ViewChoice {
	var out ViewChoice
	if v := h.Versions; v != nil {
		out.Versions = &Versions{All: v.All, N: Operand(v.N)}
	}
	if t := h.TimeRange; t != nil {
		out.Times = &Times{A: Operand(t.A), B: Operand(t.B)}
	}
	return out
}

// periodOf is a FOR SYSTEM_TIME clause.
func periodOf(p *parse.Period) *Period {
	kinds := map[parse.PeriodKind]PeriodKind{parse.PeriodAll: PeriodAll, parse.PeriodAsOf: PeriodAsOf,
		parse.PeriodFromTo: PeriodFromTo, parse.PeriodBetween: PeriodBetween}
	return &Period{Kind: kinds[p.Kind], A: Operand(p.A), B: Operand(p.B)}
}
