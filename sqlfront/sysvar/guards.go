package sysvar

import (
	"math"
	"strings"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The variables that limit what statements read: a session's own, else those of its SessionOptions, else the
// global ones, which apply immediately to existing sessions.
const (
	fullScanVar  = "hbasekv_full_scan"
	scanLimitVar = "hbasekv_scan_limit"
)

// The values of fullScanVar.
const (
	allowFullScan  = "allow"
	refuseFullScan = "refuse"
)

// globalGuard is the values of SET GLOBAL.
type globalGuard struct {
	refuse atomic.Bool
	limit  atomic.Int64 // cells; 0 is no limit
}

func isGuardVariable(name string) bool { return name == fullScanVar || name == scanLimitVar }

// checkGuard checks a value of one of the variables, and returns it as it is stored.
func checkGuard(name string, v value.Value) (value.Value, error) {
	if name == scanLimitVar {
		return value.NewInt(int64(min(v.AsUint(), math.MaxInt64))), nil
	}
	word := strings.ToLower(v.String())
	if word != allowFullScan && word != refuseFullScan {
		return v, mysqlerr.New(mysqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s': use %s or %s",
			name, v.String(), allowFullScan, refuseFullScan)
	}
	return value.NewString(word), nil
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
		return value.NewString(refuseFullScan)
	}
	return value.NewString(allowFullScan)
}

// Guards reports whether the session's statements may not read a whole table, and how many cells one may
// read; 0 is no limit.
func (v *Vars) Guards() (noFullScan bool, scanLimit int64) {
	globals := &v.globals.guard
	noFullScan = v.options.RefuseFullScan || globals.refuse.Load()
	if v.fullScan != "" {
		noFullScan = v.fullScan == refuseFullScan
	}
	switch {
	case v.scanLimit >= 0:
		return noFullScan, v.scanLimit
	case v.options.ScanLimit > 0:
		return noFullScan, v.options.ScanLimit
	}
	return noFullScan, globals.limit.Load()
}
