package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// hinted is what the hints of a statement say of its relations' versions.
func hinted(h parse.Hints) exec.ViewChoice {
	var out exec.ViewChoice
	if v := h.Versions; v != nil {
		out.Versions = &exec.Versions{All: v.All, N: exec.Operand(v.N)}
	}
	if t := h.TimeRange; t != nil {
		out.Times = &exec.Times{A: exec.Operand(t.A), B: exec.Operand(t.B)}
	}
	return out
}

// periodOf is a FOR SYSTEM_TIME clause.
func periodOf(p *parse.Period) *exec.Period {
	kinds := map[parse.PeriodKind]exec.PeriodKind{parse.PeriodAll: exec.PeriodAll, parse.PeriodAsOf: exec.PeriodAsOf,
		parse.PeriodFromTo: exec.PeriodFromTo, parse.PeriodBetween: exec.PeriodBetween}
	return &exec.Period{Kind: kinds[p.Kind], A: exec.Operand(p.A), B: exec.Operand(p.B)}
}
