package exec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
)

func (f *filter) step() *explain.Step {
	s := explain.NewStep("Filter ("+f.title+")", f.source.step())
	s.Add("filter", expr.Print(f.cond))
	s.Rows = f.given
	return s
}

func (d *dual) step() *explain.Step { return explain.NewStep("One row without a table") }

func (p *project) step() *explain.Step { return p.child.step() }

func (d *distinct) step() *explain.Step {
	title := "Distinct, in memory"
	if d.seen == nil {
		title = "Distinct, streaming"
	}
	out := explain.NewStep(title, d.child.step())
	d.describe(out)
	return out
}

// describe says what remembers the rows.
func (d *distinct) describe(out *explain.Step) {
	if out.Temporary = d.seen != nil; d.seen == nil {
		return
	}
	out.Memory = d.seen.Peak()
	if d.seen.Spilled() {
		out.AddSpilled()
	}
}

func (s *sorted) step() *explain.Step {
	out := explain.NewStep("Sort", s.child.step())
	if s.sorter.Limited() {
		out.Title = fmt.Sprintf("Sort, keeping %d rows", s.sorter.Limit())
	}
	out.Add("by", printOrder(s.by))
	if s.sorter.Spilled() {
		out.AddSpilled()
	}
	out.Filesort, out.Memory = true, s.sorter.Peak()
	s.parallel.describe(out)
	out.Rows = s.given
	return out
}

func printOrder(order []OrderItem) string {
	keys := make([]string, len(order))
	for i, k := range order {
		keys[i] = expr.Print(k.Expr)
		if k.Desc {
			keys[i] += " desc"
		}
	}
	return strings.Join(keys, ", ")
}

func printNodes(nodes []expr.Node) string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = expr.Print(n)
	}
	return strings.Join(out, ", ")
}

func (l *limited) step() *explain.Step {
	title := "Limit"
	if l.count != noLimit {
		title += fmt.Sprintf(" %d", l.count)
	}
	if l.offset > 0 {
		title += fmt.Sprintf(" offset %d", l.offset)
	}
	out := explain.NewStep(title, l.child.step())
	out.Rows = l.given
	return out
}

func (n *Aggregate) describe(how string, under ...*explain.Step) *explain.Step {
	title := "Group"
	switch {
	case n.distinct:
		return explain.NewStep("Distinct, "+how, under...)
	case n.Implicit:
		title = "Aggregate"
	}
	s := explain.NewStep(title+", "+how, under...)
	s.Add("by", printNodes(n.keyNodes()))
	var aggs []string
	for _, a := range n.Aggs {
		aggs = append(aggs, expr.Print(a.Agg))
	}
	s.Add("compute", strings.Join(aggs, ", "))
	return s
}

func (s *streamGroups) step() *explain.Step {
	out := s.describe("streaming", s.child.step())
	out.Memory = s.memory.Peak()
	return out
}

func (h *hashGroups) step() *explain.Step {
	out := h.describe("in memory", h.child.step())
	if h.rest != nil || h.backlog != nil {
		out.AddSpilled()
	}
	out.Temporary, out.Memory = true, h.memory.Peak()
	return out
}

func (e *extremes) step() *explain.Step {
	var under []*explain.Step
	for _, s := range e.ends {
		under = append(under, s.step())
	}
	return e.describe("first row of each order", under...)
}

func (j *lookupJoin) step() *explain.Step {
	if j.rows != nil {
		s := j.rows.step()
		s.Steps[1].Stats = addStats(s.Steps[1].Stats, j.stats)
		if j.lookups.made > 0 {
			s.Add("lookups", fmt.Sprintf("%d, then both sides were read in one order", j.lookups.made))
		}
		return s
	}
	if j.kept != nil {
		s := j.kept.step()
		s.Steps[1].Stats = addStats(s.Steps[1].Stats, j.stats)
		s.Add("lookups", fmt.Sprintf("%d, then the right side was read once", max(0, j.lookups.made-1)))
		return s
	}
	under, right := j.lookupStep()
	s := explain.NewStep(j.title("lookup for each row"), j.left.step(), under)
	if j.On != nil {
		s.Add("on", expr.Print(j.On))
	}
	j.addEstimate(s, j, right, nil)
	return s
}

// lookupStep describes what is opened for each left row.
func (j *lookupJoin) lookupStep() (*explain.Step, source) {
	s, err := j.lookup()
	if err != nil {
		return explain.Failed(err), nil
	}
	if j.x.stmt.measured {
		s.measured = slices.Sorted(maps.Keys(j.touched))
	}
	out := s.step()
	out.Rows, out.Stats = j.given, j.stats
	return out, s
}

// lookup is a lookup of nothing that is known yet.
func (j *lookupJoin) lookup() (*scan, error) {
	s, _, err := j.Lookup.start(j.x.stmt.newFrame(len(j.x.env.Row)), request{})
	return s, err
}

func (n *Join) title(how string) string {
	switch {
	case n.Anti:
		return "Left join, rows without a partner, " + how
	case n.Outer:
		return "Left join, " + how
	}
	return "Join, " + how
}

func (j *mergeJoin) step() *explain.Step {
	keys := make([]expr.Node, len(j.Merge.Right))
	for i, c := range j.Merge.Right {
		keys[i] = c
	}
	right := j.right.step()
	right.Table.Join = "merge join"
	s := explain.NewStep(j.title("merge by "+printNodes(keys)), j.left.step(), right)
	s.Add("on", expr.Print(j.On))
	j.addEstimate(s, j, j.right, right.Table)
	if j.sequence.kind == byPartition {
		s.Add("order", "partition by partition")
	}
	if j.group.lookups > 0 {
		s.Add("lookups", strconv.FormatInt(j.group.lookups, 10))
		right.Stats = addStats(right.Stats, j.group.stats)
	}
	return s
}

func (j *keptJoin) step() *explain.Step {
	if j.turned != nil {
		return j.turnedStep()
	}
	how, buffer := "right side kept", "join buffer (Block Nested Loop)"
	if len(j.LeftKeys) > 0 {
		how, buffer = "right side kept by "+printNodes(j.RightKeys), "join buffer (hash join)"
	}
	right := j.right.step()
	if right.Table != nil {
		right.Table.Join = buffer
	}
	s := explain.NewStep(j.title(how), j.left.step(), right)
	if j.parts != nil && j.parts.done {
		j.parts.describeAt(right, right)
	}
	if j.rows != nil {
		if s.Memory = j.rows.Peak(); j.rows.Spilled() {
			s.AddSpilled()
		}
	}
	if j.On != nil {
		s.Add("on", expr.Print(j.On))
	}
	j.addEstimate(s, j, j.right, right.Table)
	return s
}

func (s *virtualScan) step() *explain.Step {
	out := explain.NewStep("Read " + s.Database + "." + s.Name)
	if s.Where != nil {
		out.Add("filter", expr.Print(s.Where))
	}
	out.Table = &explain.Table{Table: s.Alias, Type: "ALL", Filtered: s.Where != nil, Rows: -1, Kept: 100 * guessed}
	out.Rows = s.given
	return out
}

func (s *derivedScan) step() *explain.Step {
	out := explain.NewStep(s.Title, s.Query.step(s.rows, s.x.stmt))
	out.Table = &explain.Table{Table: s.Alias, Type: "ALL", Rows: -1}
	out.Rows = s.given
	return out
}

func (u *unionRows) step() *explain.Step {
	title := "Union all"
	if u.distinctTo() > 0 {
		title = "Union"
	}
	out := explain.NewStep(title)
	for _, p := range u.Parts {
		out.Steps = append(out.Steps, p.Query.plannedStep(u.x.stmt))
	}
	return out
}

func (u *unionDistinct) step() *explain.Step {
	out := u.results.step()
	out.Title, out.Steps = "Union", u.rows.step().Steps
	return out
}

// plannedStep describes a query without running it.
func (q *Query) plannedStep(run *statement) *explain.Step {
	rows, err := q.Body.open(run.newFrame(q.Width), queryOptions{})
	if err != nil {
		out := explain.Failed(err)
		out.Block = &explain.Block{}
		return out
	}
	defer func() { _ = rows.close() }()
	return q.step(rows, run).Unmeasured()
}

// step describes a query that runs, with the subqueries of its expressions.
func (q *Query) step(rows results, run *statement) *explain.Step {
	out := rows.step()
	_, isUnion := q.Body.(*Union)
	out.Block = &explain.Block{Union: isUnion}
	out.Queries = plannedSteps(q.Subqueries, run)
	return out
}

// plannedSteps describe the subqueries of a query's expressions.
func plannedSteps(subqueries []*Subquery, run *statement) []*explain.Step {
	var out []*explain.Step
	for _, s := range subqueries {
		if run.merged[s.Query] != nil {
			continue // whose relation is one of the join's
		}
		under := s.Query.plannedStep(run)
		under.Block.Dependent = len(s.Outer) > 0
		under.Add("for all rows around", s.forAll(run))
		out = append(out, under)
	}
	return out
}

// forAll says by what the rows of a subquery are kept for all rows around; of a statement that
// has run, whether they were.
func (s *Subquery) forAll(run *statement) string {
	var q *Query
	var kept *spill.Index
	keys := 0
	switch {
	case s.Keyed != nil:
		q, keys = s.Keyed, len(s.KeyedBy)
		if k := run.keyed[q]; k != nil {
			kept = k.rows
		}
	case s.Partnered != nil:
		q, keys = s.Partnered.All, len(s.Partnered.Own)
		if k := run.partners[s.Partnered.Partners]; k != nil {
			kept = k.rows
		}
	default:
		return ""
	}
	by := " by " + printNodes(q.Body.(*Select).Projection.nodes[:keys])
	if kept != nil {
		return "kept" + by
	}
	if run.measured {
		return "not kept"
	}
	return "kept" + by + ", where lookups cost more"
}
