package scan

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Estimate estimates how many rows the access returns before the remaining conditions, and the
// percentage of them that meet these. rows is -1 if unknown.
func (s *Scan) Estimate() (rows int64, filtered float64) {
	known, unknown := s.Judged()
	if s.X.Context.Estimator == nil {
		rows = -1
		if s.Con.Access() == constrain.AccessConst && s.view.Versions > 0 {
			rows = int64(s.view.Versions)
		}
		return rows, cost.Filtered(kv.Estimate{}, len(known), unknown)
	}
	e, err := s.Look(cost.LooksExplained, known)
	if err != nil {
		return -1, cost.Filtered(kv.Estimate{}, 0, unknown)
	}
	switch rows = e.Cells; {
	case s.Access.PerRow && s.symbolic && s.Con.Access() == constrain.AccessRef:
		rows = int64(len(s.Con.Ranges))
	case s.Access.PerRow:
		rows = e.Rows
	case s.symbolic:
		rows = s.ofLookup(e)
	}
	return rows, cost.Filtered(e, len(known), unknown)
}

// Judged returns the remaining conditions that can be tested on a cell by itself, and the number of
// the others.
func (s *Scan) Judged() (known []expr.Node, unknown int) {
	for _, n := range append(s.Keys[:len(s.Keys):len(s.Keys)], s.Values...) {
		if s.symbolic && s.Access.readsGiven(n) || !expr.OnlyColumns(n, s.Access.Has) || expr.IsVolatile(n) ||
			op.HasSubquery(n) {
			unknown++
		} else {
			known = append(known, n)
		}
	}
	return known, unknown
}

// certainScan returns the scan without what is unknown until it is opened.
func (s *Scan) certainScan() *kv.Scan {
	out := s.StoreScan
	if s.symbolic {
		out.Ranges, out.Qualifiers, out.Time = s.certain.Ranges, s.certain.Qualifiers, s.certain.Time
		out.Partitions = nil
		s.Access.Selection.Restrict(&out)
	}
	return &out
}

// ofLookup estimates the rows of keys that are not known yet, from the average of all rows.
func (s *Scan) ofLookup(e kv.Estimate) int64 {
	switch s.Con.Access() {
	case constrain.AccessConst:
		return cost.OfCell(e, s.view.Versions)
	case constrain.AccessRef:
		return cost.OfRows(e, len(s.Con.Ranges))
	}
	return e.Cells
}

// Size estimates how many cells the scan reads, from a sample of that size; ok is false if unknown.
func (s *Scan) Size(looks int) (e kv.Estimate, ok bool) {
	if s.X.Context.Estimator == nil || s.Empty() {
		return e, false
	}
	e, err := s.Look(looks, nil)
	return e, err == nil
}

// kept estimates how many cells the scan returns, and of how many rows.
func (s *Scan) kept() (e kv.Estimate, ok bool) {
	if s.X.Context.Estimator == nil || s.Empty() {
		return e, false
	}
	known, _ := s.Judged()
	e, err := s.Look(cost.LooksJoined, known)
	return e, err == nil
}

// Exceeds reports whether the scan reads more than so many cells. It samples only a few for that.
func (s *Scan) Exceeds(cells int64) bool {
	e, ok := s.Size(int(min(cells/4, cost.LooksJoined)))
	return ok && e.Stored > cells
}

// Look estimates the scan from a sample of so many cells: how many are kept by conditions, and how
// many distinct keys there are, which are several expressions each. There must be an Estimator.
// Errors are those of the store, and cancellation.
func (s *Scan) Look(cells int, conds []expr.Node, keys ...[]expr.Node) (kv.Estimate, error) {
	o := s.looking(conds, keys)
	o.Cells = cells
	return s.X.Context.Estimator.Estimate(s.X.Context.Ctx, s.Tables, s.certainScan(), o)
}

// looking tests conditions on cells and computes their keys in a separate frame, without warnings.
// Cells excluded by a condition on a key's columns have no key; other conditions are assumed to
// leave the number of keys unchanged.
func (s *Scan) looking(conds []expr.Node, keys [][]expr.Node) (out kv.EstimateOptions) {
	if len(conds) == 0 && len(keys) == 0 {
		return out
	}
	out.Name = s.nameOf(conds, keys)
	run, _ := NewPartRun(s, &s.StoreScan)
	l := looker{run.Scan}
	if len(conds) > 0 {
		out.Keeps = func(c *kv.Cell, v []byte) (bool, error) { return l.holds(conds, c, v), nil }
	}
	for _, key := range keys {
		own := slices.DeleteFunc(slices.Clone(conds), func(n expr.Node) bool { return !readsAny(n, key) })
		out.Keys = append(out.Keys, func(to []byte, c *kv.Cell, v []byte) ([]byte, bool) {
			if !l.holds(own, c, v) {
				return to, false
			}
			to, known, err := op.AppendKeys(to, key, &l.X.Env)
			return to, known && err == nil
		})
	}
	return out
}

// readsAny reports whether a condition reads a column that some expressions read.
func readsAny(n expr.Node, nodes []expr.Node) bool {
	read := map[int]bool{}
	for _, other := range nodes {
		expr.Columns(other, func(c *expr.Column) { read[c.Index] = true })
	}
	return expr.Reads(n, func(index int) bool { return read[index] })
}

// looker tests conditions on cells for an estimate. Errors are left to the run of the statement.
type looker struct{ *Scan }

// holds copies a cell into the frame, and reports whether the conditions are true.
func (l looker) holds(conds []expr.Node, c *kv.Cell, v []byte) bool {
	l.setKey(c)
	l.setValue(v)
	for _, n := range conds {
		if ok, err := expr.Holds(n, &l.X.Env); !ok || err != nil {
			return false
		}
	}
	return true
}

// nameOf returns a name that identifies conditions and keys: their text and the arguments.
func (s *Scan) nameOf(conds []expr.Node, keys [][]expr.Node) string {
	var name []byte
	for _, list := range append([][]expr.Node{conds}, keys...) {
		for _, n := range list {
			name = append(n.AppendTo(name), 0)
		}
		name = append(name, 1)
	}
	for _, p := range s.X.Env.Params {
		name = value.AppendKey(name, p)
	}
	return string(name)
}

// Joinable estimates the rows that a scan has for a join, not only for one left row, and the number
// of their distinct keys; ok is false if unknown.
func (s *Scan) Joinable(keys []expr.Node) (kept, distinct float64, ok bool) {
	if s.X.Context.Estimator == nil || s.Empty() {
		return 0, 0, false
	}
	known, unknown := s.Judged()
	for _, n := range append(s.Keys[:len(s.Keys):len(s.Keys)], s.Values...) {
		if s.symbolic && s.Access.readsGiven(n) {
			unknown-- // it joins
		}
	}
	e, err := s.Look(cost.LooksJoined, known, keys)
	if err != nil {
		return 0, 0, false
	}
	return float64(e.Kept) * cost.Guess(unknown), float64(e.Distinct[0]), true
}

// Gives reports whether the access has all columns that some expressions read.
func (a *Access) Gives(nodes []expr.Node) bool {
	for _, n := range nodes {
		if !expr.OnlyColumns(n, a.Has) {
			return false
		}
	}
	return true
}

// perRow is a link that returns at most one row for each of the table's.
type perRow interface {
	Link
	OnePerRow()
}

// RowsAsking estimates how many rows a pipeline returns, 0 if unknown.
func RowsAsking(pipeline op.Operator) int64 {
	base := Bottom(pipeline)
	if base == nil {
		return 0
	}
	e, known := base.kept()
	switch {
	case !known:
		return 0
	case Has[perRow](pipeline):
		return min(e.Kept, e.Rows)
	}
	return e.Kept
}
