package sqlfront

import (
	"context"
	"math"
	"strings"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The variables that bound what statements read: a session's own, else its
// SessionOptions', else the global ones, which hold at once for sessions that are
// there.
const (
	fullScanVar  = "hbasekv_full_scan"
	scanLimitVar = "hbasekv_scan_limit"
)

// The values of fullScanVar.
const (
	allowFullScan  = "allow"
	refuseFullScan = "refuse"
)

// globalGuard is what SET GLOBAL says.
type globalGuard struct {
	refuse atomic.Bool
	limit  atomic.Int64 // cells; 0 is none
}

func isGuardVariable(name string) bool { return name == fullScanVar || name == scanLimitVar }

// checkGuard is a value of one of the variables as it is kept.
func checkGuard(name string, v value.Value) (value.Value, error) {
	if name == scanLimitVar {
		return value.NewInt(int64(min(v.AsUint(), math.MaxInt64))), nil
	}
	word := strings.ToLower(v.String())
	if word != allowFullScan && word != refuseFullScan {
		return v, mysqlerr.New(mysqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s': use %s or %s",
			name, v.String(), allowFullScan, refuseFullScan)
	}
	return textValue(word), nil
}

func (g *globalGuard) set(name string, v value.Value) {
	if name == scanLimitVar {
		g.limit.Store(v.Int())
	} else {
		g.refuse.Store(v.String() == refuseFullScan)
	}
}

func (g *globalGuard) value(name string) value.Value {
	if name == scanLimitVar {
		return value.NewInt(g.limit.Load())
	}
	return fullScanValue(g.refuse.Load())
}

func fullScanValue(refuse bool) value.Value {
	if refuse {
		return textValue(refuseFullScan)
	}
	return textValue(allowFullScan)
}

// refusesFullScans and scanLimit are what holds for the session's statements.
func (s *Session) refusesFullScans() bool {
	if s.settings.fullScan != "" {
		return s.settings.fullScan == refuseFullScan
	}
	return s.options.RefuseFullScan || s.engine.guard.refuse.Load()
}

func (s *Session) scanLimit() int64 {
	if s.settings.scanLimit >= 0 {
		return s.settings.scanLimit
	}
	if s.options.ScanLimit > 0 {
		return s.options.ScanLimit
	}
	return s.engine.guard.limit.Load()
}

// guard bounds a statement that runs in r.
func (s *Session) guard(r *execution) exec.Guard {
	g := exec.Guard{NoFullScan: s.refusesFullScans()}
	if limit := s.scanLimit(); limit > 0 {
		r.budget.Set(limit)
		g.Budget = &r.budget
	}
	return g
}

// explained is the error of a statement: where a guard has ended it, with its
// plan.
func (s *Session) explained(ctx context.Context, st *Statement, args []value.Value, err error) error {
	if err == nil || !exec.IsGuarded(err) {
		return err
	}
	return exec.GuardError(err, s.planText(ctx, st, args))
}

// planText is the statement's EXPLAIN FORMAT=TREE, or the statement where it has
// none.
func (s *Session) planText(ctx context.Context, st *Statement, args []value.Value) string {
	text := st.text
	if analyzed, ok := st.tree.parsed.Stmt.(*parse.Explain); ok {
		text = analyzed.TargetText
	}
	p, err := parse.ParseContext(ctx, "EXPLAIN FORMAT=TREE "+text)
	if err != nil {
		return text
	}
	explain, ok := p.Stmt.(*parse.Explain)
	if !ok {
		return text
	}
	rows, err := s.explain(ctx, p, explain, args)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	row, err := rows.Next()
	if err != nil {
		return err.Error()
	}
	return row[0].String()
}
