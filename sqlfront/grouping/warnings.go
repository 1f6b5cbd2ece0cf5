package grouping

import (
	"cmp"
	"slices"
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// lateWarnings are the warnings of rows in files, which several goroutines read in any order. They
// are given in the order of the rows.
type lateWarnings struct {
	mu      sync.Mutex
	list    []lateWarning
	dropped int // after those of the list
}

type lateWarning struct {
	code    uint16
	message string
	at      Place
}

// apart returns the environment for another goroutine, whose warnings are those of the row at the
// place.
func (l *lateWarnings) apart(of *expr.Env, at *Place) *expr.Env {
	env := *of
	env.Held, env.Lists = of.Held.Beside(), &expr.Lists{}
	if session := env.Session; session != nil && session.AddWarning != nil {
		own := *session
		own.AddWarning = func(code uint16, message string) {
			l.add(lateWarning{code, message, *at}, max(own.MaxErrorCount, 1))
		}
		env.Session = &own
	}
	return &env
}

// add adds a warning; about the first most warnings are kept, and the others only counted.
func (l *lateWarnings) add(w lateWarning, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list = append(l.list, w); len(l.list) == 2*most {
		l.sort()
		l.list = l.list[:most]
		l.dropped += most
	}
}

func (l *lateWarnings) sort() {
	slices.SortStableFunc(l.list, func(a, b lateWarning) int { return cmp.Compare(a.at, b.at) })
}

// tell gives all warnings to the session of env.
func (l *lateWarnings) tell(env *expr.Env) {
	l.sort()
	for _, w := range l.list {
		env.Session.AddWarning(w.code, w.message)
	}
	for last := len(l.list) - 1; l.dropped > 0; l.dropped-- {
		env.Session.AddWarning(l.list[last].code, l.list[last].message)
	}
	l.list = nil
}
