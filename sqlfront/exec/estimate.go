package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// estimate is about how many rows the access gives, before the conditions that
// are left over, and how many of a hundred meet these. rows is -1 where nothing is
// known.
func (s *scan) estimate() (rows int64, filtered float64) {
	known, unknown := s.judged()
	if s.x.Context.Estimator == nil {
		rows = -1
		if s.con.Access() == constrain.AccessConst && s.view.Versions > 0 {
			rows = int64(s.view.Versions)
		}
		return rows, cost.Filtered(kv.Estimate{}, len(known), unknown)
	}
	e, err := s.look(cost.LooksExplained, known)
	if err != nil {
		return -1, cost.Filtered(kv.Estimate{}, 0, unknown)
	}
	if rows = e.Cells; s.symbolic {
		rows = s.ofLookup(e)
	}
	return rows, cost.Filtered(e, len(known), unknown)
}

// judged are the conditions left over that can be tried on a cell by itself, and the
// number of the others.
func (s *scan) judged() (known []expr.Node, unknown int) {
	for _, n := range append(s.keys[:len(s.keys):len(s.keys)], s.values...) {
		if s.symbolic && s.access.readsGiven(n) || !expr.OnlyColumns(n, s.access.has) || expr.IsVolatile(n) || op.HasSubquery(n) {
			unknown++
		} else {
			known = append(known, n)
		}
	}
	return known, unknown
}

// certainScan is the scan without what is not known until it is opened.
func (s *scan) certainScan() *kv.Scan {
	out := s.kv
	if s.symbolic {
		out.Ranges, out.Qualifiers, out.Time = s.certain.Ranges, s.certain.Qualifiers, s.certain.Time
		out.Partitions = nil
		s.access.Selection.Restrict(&out)
	}
	return &out
}

// ofLookup is about how many rows come of keys that are not known yet, by what all
// rows are on the average.
func (s *scan) ofLookup(e kv.Estimate) int64 {
	switch s.con.Access() {
	case constrain.AccessConst:
		return cost.OfCell(e, s.view.Versions)
	case constrain.AccessRef:
		return cost.OfRows(e, len(s.con.Ranges))
	}
	return e.Cells
}

// size is about how many cells the scan looks at, by so many of them; ok is false where nobody
// knows.
func (s *scan) size(looks int) (e kv.Estimate, ok bool) {
	if s.x.Context.Estimator == nil || s.empty() {
		return e, false
	}
	e, err := s.look(looks, nil)
	return e, err == nil
}

// kept is about how many cells the scan gives, and of how many rows.
func (s *scan) kept() (e kv.Estimate, ok bool) {
	if s.x.Context.Estimator == nil || s.empty() {
		return e, false
	}
	known, _ := s.judged()
	e, err := s.look(cost.LooksJoined, known)
	return e, err == nil
}

// exceeds reports whether the scan looks at more cells than so many. Few cells are
// counted for that.
func (s *scan) exceeds(cells int64) bool {
	e, ok := s.size(int(min(cells/4, cost.LooksJoined)))
	return ok && e.Stored > cells
}

// look estimates the scan by so many cells: how many are kept by some conditions, and how
// many different keys there are, which are several expressions each. There is an Estimator.
func (s *scan) look(cells int, conds []expr.Node, keys ...[]expr.Node) (kv.Estimate, error) {
	o := s.looking(conds, keys)
	o.Cells = cells
	return s.x.Context.Estimator.Estimate(s.x.Context.Ctx, s.tables, s.certainScan(), o)
}

// looking tries conditions on cells and takes their keys in a frame of its own, without
// their warnings. What a condition on a key's columns leaves out has no key: others leave
// as many keys as there are, or nobody knows which.
func (s *scan) looking(conds []expr.Node, keys [][]expr.Node) (out kv.EstimateOptions) {
	if len(conds) == 0 && len(keys) == 0 {
		return out
	}
	out.Name = s.nameOf(conds, keys)
	run, _ := newPartRun(s, &s.kv)
	l := looker{run.scan}
	if len(conds) > 0 {
		out.Keeps = func(c *kv.Cell, v []byte) (bool, error) { return l.holds(conds, c, v), nil }
	}
	for _, key := range keys {
		own := slices.DeleteFunc(slices.Clone(conds), func(n expr.Node) bool { return !readsAny(n, key) })
		out.Keys = append(out.Keys, func(to []byte, c *kv.Cell, v []byte) ([]byte, bool) {
			if !l.holds(own, c, v) {
				return to, false
			}
			to, known, err := appendKeys(to, key, &l.x.Env)
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

// looker has conditions tried on cells that nobody reads. Errors are for those who run
// the statement.
type looker struct{ *scan }

// holds puts a cell into the frame, and reports whether the conditions hold.
func (l looker) holds(conds []expr.Node, c *kv.Cell, v []byte) bool {
	l.setKey(c)
	l.setValue(v)
	for _, n := range conds {
		if ok, err := expr.Holds(n, &l.x.Env); !ok || err != nil {
			return false
		}
	}
	return true
}

// nameOf tells conditions and keys from others: it is their text and the arguments.
func (s *scan) nameOf(conds []expr.Node, keys [][]expr.Node) string {
	var name []byte
	for _, list := range append([][]expr.Node{conds}, keys...) {
		for _, n := range list {
			name = append(n.AppendTo(name), 0)
		}
		name = append(name, 1)
	}
	for _, p := range s.x.Env.Params {
		name = value.AppendKey(name, p)
	}
	return string(name)
}

// joinable is about how many rows a scan has to join, which are not those of one left row
// alone, and how many different keys; ok is false where nobody knows.
func (s *scan) joinable(keys []expr.Node) (kept, distinct float64, ok bool) {
	if s.x.Context.Estimator == nil || s.empty() {
		return 0, 0, false
	}
	known, unknown := s.judged()
	for _, n := range append(s.keys[:len(s.keys):len(s.keys)], s.values...) {
		if s.symbolic && s.access.readsGiven(n) {
			unknown-- // it joins
		}
	}
	e, err := s.look(cost.LooksJoined, known, keys)
	if err != nil {
		return 0, 0, false
	}
	return float64(e.Kept) * cost.Guess(unknown), float64(e.Distinct[0]), true
}

// gives reports whether the access gives all columns that some expressions read.
func (a *Access) gives(nodes []expr.Node) bool {
	for _, n := range nodes {
		if !expr.OnlyColumns(n, a.has) {
			return false
		}
	}
	return true
}

// perRow is a link that gives one row for each of the table's at most.
type perRow interface {
	link
	OnePerRow()
}

// rowsAsking is about how many rows a chain gives, 0 where that is not known.
func rowsAsking(chain op.Source) int64 {
	base := bottom(chain)
	if base == nil {
		return 0
	}
	e, known := base.kept()
	switch {
	case !known:
		return 0
	case has[perRow](chain):
		return min(e.Kept, e.Rows)
	}
	return e.Kept
}
