package lookup

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Asking is a condition, or a value in one, that a subquery determines in advance.
type Asking interface {
	expr.Node
	// Members runs the subquery and returns what it stands for with constants. It returns nil if that is a
	// condition with more than most distinct rows, or if reading them takes longer than that many cells of
	// another table. In EXPLAIN, names replace values.
	Members(x *op.Frame, most int, cells int64) (expr.Node, error)
}

// Asks reports whether a condition has subqueries.
func Asks(where expr.Node) (found bool) {
	expr.Walk(where, func(n expr.Node) bool {
		_, ok := n.(Asking)
		found = found || ok
		return !found
	})
	return found
}

// fewAnswered is few for the ways with subqueries, which run now.
func (f *finding) fewAnswered() (expr.Node, error) {
	if !slices.ContainsFunc(f.Ways, func(w Way) bool { return w.Asks }) {
		return nil, nil
	}
	ways, err := f.answered()
	if err != nil {
		return nil, err
	}
	return f.few(ways)
}

// answered returns the ways with subqueries, whose results replace these; conditions with results that have too
// many rows are left out.
func (f *finding) answered() (out []Way, err error) {
	for _, w := range f.Ways {
		if !w.Asks || f.x.Context.Estimator == nil {
			continue
		}
		e, err := f.table()
		if err != nil {
			return nil, err
		}
		w.unknown = f.x.Stmt.Explain && slices.ContainsFunc(expr.Conjuncts(w.Where), asksRange)
		if w.Where, err = f.answer(&w, e.Stored); err != nil {
			return nil, err
		}
		if w.Where != nil {
			out = append(out, w)
		}
	}
	return out, nil
}

// asksRange reports whether a condition on the first column of an index is a range with the values of subqueries.
func asksRange(n expr.Node) bool {
	if _, whole := n.(Asking); whole || !Asks(n) || !readsFirst(n) {
		return false
	}
	c, ok := n.(*expr.Compare)
	return !ok || c.Op != expr.Eq && c.Op != expr.NullSafeEq
}

// answer returns a way's condition with the results of its subqueries, nil if nothing is left. A row that they
// lead to costs as much as some cells of a scan of so many.
func (f *finding) answer(w *Way, cells int64) (expr.Node, error) {
	limit := min(cells/cellsPerValue, most)
	if w.Forced {
		limit = most
	}
	var kept []expr.Node
	for _, n := range expr.Conjuncts(w.Where) {
		n, err := f.members(n, int(limit), cells)
		if err != nil {
			return nil, err
		}
		switch {
		case n == nil:
		case equalsNull(n):
			return none, nil
		default:
			kept = append(kept, n)
		}
	}
	return expr.Conjoin(kept), nil
}

// equalsNull reports whether a condition compares a value with NULL, and so is true for no row.
func equalsNull(n expr.Node) bool {
	c, ok := n.(*expr.Compare)
	if !ok || c.Op == expr.NullSafeEq {
		return false
	}
	for _, side := range []expr.Node{c.L, c.R} {
		if v, ok := side.(*expr.Const); ok && v.V.IsNull() {
			return true
		}
	}
	return false
}

// members returns a condition with the results of its subqueries, nil if one is too long.
func (f *finding) members(n expr.Node, most int, cells int64) (expr.Node, error) {
	var failed error
	long := false
	out := expr.Rewrite(n, func(n expr.Node) expr.Node {
		of, ok := n.(Asking)
		if !ok || long || failed != nil {
			return n
		}
		var known expr.Node
		if known, failed = of.Members(f.x, most, cells); known != nil {
			return known
		}
		long = true
		return n
	})
	if long || failed != nil {
		return nil, failed
	}
	return out, nil
}

// Semi is the condition that the row K is one of those that a subquery has. It only narrows the rows that are
// read, and evaluates to true: the condition with the subquery must be evaluated, too.
type Semi struct {
	K expr.Node
	// Of is the condition over a row of one column, the row.
	Of Asking
}

// Eval returns true.
func (s *Semi) Eval(*expr.Env) (value.Value, error) { return value.NewBool(true), nil }

// Type returns the type of a condition.
func (s *Semi) Type() value.Type { return all.T }

// AppendTo appends the row.
func (s *Semi) AppendTo(dst []byte) []byte {
	return append(s.K.AppendTo(append(dst, "lookup("...)), ", subquery)"...)
}

// Children returns the row.
func (s *Semi) Children() []expr.Node { return []expr.Node{s.K} }

// With returns the condition on another row.
func (s *Semi) With(c []expr.Node) expr.Node { return &Semi{c[0], s.Of} }

// Volatile keeps it from being folded as a constant.
func (s *Semi) Volatile() bool { return true }

// LeadsTo implements scan.KeySubquery.
func (s *Semi) LeadsTo(*scan.Access) bool { return true }

// Known implements scan.KeySubquery: it returns the rows, or all if that costs less. Errors are those of the
// store and of the subquery, and cancellation.
func (s *Semi) Known(x *op.Frame, a *scan.Access) (expr.Node, error) {
	of, err := beside(x, a)
	if err != nil || of.Contradiction || of.Access() == constrain.AccessConst || of.Access() == constrain.AccessRef || x.Context.Estimator == nil {
		return all, err
	}
	e, err := sizeOf(x, a, of)
	if err != nil {
		return nil, err
	}
	known, err := s.Of.Members(x, int(min(e.Stored/cellsPerValue, most)), e.Stored)
	if known == nil || err != nil {
		return all, err
	}
	return over(known, s.K), nil
}

// over returns a condition on a row of one column as one on another expression.
func over(cond, k expr.Node) expr.Node {
	return expr.Rewrite(cond, func(n expr.Node) expr.Node {
		if _, ok := n.(*expr.Column); ok {
			return k
		}
		return n
	})
}
