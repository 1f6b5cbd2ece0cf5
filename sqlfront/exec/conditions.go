package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/loud"
)

// findMembers has the conditions that are left over ask sets for what subqueries give.
func (s *scan) findMembers() (err error) {
	if s.empty() || s.looksUp() {
		return nil
	}
	for _, conds := range [][]expr.Node{s.keys, s.values} {
		for i, n := range conds {
			if conds[i], err = s.x.Answer(n, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// volatile reports whether a condition that is left over differs from row to row, or has
// to be asked by one goroutine.
func (s *scan) volatile() bool {
	return slices.ContainsFunc(s.keys, expr.IsVolatile) || slices.ContainsFunc(s.values, expr.IsVolatile)
}

// quiet reports whether the conditions that are left over neither warn nor fail.
func (s *scan) quiet() bool {
	return !slices.ContainsFunc(s.keys, loud.Condition) && !slices.ContainsFunc(s.values, loud.Condition)
}
