package exec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
)

// Step describes a running step of a plan, for EXPLAIN.
type Step struct {
	// Title is what the step does, in a few words.
	Title string
	// Details are further properties, in order.
	Details []Detail
	// Steps are those that this one reads, Queries the subqueries that its
	// expressions run.
	Steps   []*Step
	Queries []*Step
	// Block is set where the step is the whole of a query, not only a part.
	Block *BlockStep
	// Filesort and Temporary are MySQL's words for a sort and for rows kept
	// in memory.
	Filesort, Temporary bool
	// Table describes the access where the step reads a relation.
	Table *TableStep
	// Rows is the number of rows that the step has given so far, -1 where
	// nobody counts.
	Rows int64
	// Stats are of the store's cursor.
	Stats kv.ScanStats
	// Took is how long the step ran, with those below it, Memory the most that it
	// kept at a time, in bytes; 0 where nobody measured.
	Took   time.Duration
	Memory int64
}

// Detail is a property of a Step.
type Detail struct{ Name, Value string }

// BlockStep is what is known of a query as a whole.
type BlockStep struct {
	Union     bool
	Dependent bool // a subquery that reads columns of the query around
}

// NewStep is a step over others of which nobody has counted the rows.
func NewStep(title string, under ...*Step) *Step {
	return &Step{Title: title, Steps: under, Rows: -1}
}

func (s *Step) detail(name, value string) {
	if value != "" {
		s.Details = append(s.Details, Detail{name, value})
	}
}

// kept says that the step used temporary files.
func (s *Step) kept() { s.detail("kept", "in temporary files") }

func (f *filter) step() *Step {
	s := NewStep("Filter ("+f.title+")", f.source.step())
	s.detail("filter", expr.Print(f.cond))
	s.Rows = f.given
	return s
}

func (d *dual) step() *Step { return NewStep("One row without a table") }

func (p *project) step() *Step { return p.child.step() }

func (d *distinct) step() *Step {
	title := "Distinct, in memory"
	if d.seen == nil {
		title = "Distinct, streaming"
	}
	out := NewStep(title, d.child.step())
	d.describe(out)
	return out
}

// describe says what remembers the rows.
func (d *distinct) describe(out *Step) {
	if out.Temporary = d.seen != nil; d.seen == nil {
		return
	}
	out.Memory = d.seen.Peak()
	if d.seen.Spilled() {
		out.kept()
	}
}

func (s *sorted) step() *Step {
	out := NewStep("Sort", s.child.step())
	if s.sorter.Limited() {
		out.Title = fmt.Sprintf("Sort, keeping %d rows", s.sorter.Limit())
	}
	out.detail("by", printOrder(s.by))
	if s.sorter.Spilled() {
		out.kept()
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

func (l *limited) step() *Step {
	title := "Limit"
	if l.count != noLimit {
		title += fmt.Sprintf(" %d", l.count)
	}
	if l.offset > 0 {
		title += fmt.Sprintf(" offset %d", l.offset)
	}
	out := NewStep(title, l.child.step())
	out.Rows = l.given
	return out
}

func (n *Aggregate) describe(how string, under ...*Step) *Step {
	title := "Group"
	switch {
	case n.distinct:
		return NewStep("Distinct, "+how, under...)
	case n.Implicit:
		title = "Aggregate"
	}
	s := NewStep(title+", "+how, under...)
	s.detail("by", printNodes(n.keyNodes()))
	var aggs []string
	for _, a := range n.Aggs {
		aggs = append(aggs, expr.Print(a.Agg))
	}
	s.detail("compute", strings.Join(aggs, ", "))
	return s
}

func (s *streamGroups) step() *Step {
	out := s.describe("streaming", s.child.step())
	out.Memory = s.memory.Peak()
	return out
}

func (h *hashGroups) step() *Step {
	out := h.describe("in memory", h.child.step())
	if h.rest != nil || h.backlog != nil {
		out.kept()
	}
	out.Temporary, out.Memory = true, h.memory.Peak()
	return out
}

func (e *extremes) step() *Step {
	var under []*Step
	for _, s := range e.ends {
		under = append(under, s.step())
	}
	return e.describe("first row of each order", under...)
}

func (j *lookupJoin) step() *Step {
	if j.rows != nil {
		s := j.rows.step()
		s.Steps[1].Stats = addStats(s.Steps[1].Stats, j.stats)
		if j.lookups.made > 0 {
			s.detail("lookups", fmt.Sprintf("%d, then both sides were read in one order", j.lookups.made))
		}
		return s
	}
	if j.kept != nil {
		s := j.kept.step()
		s.Steps[1].Stats = addStats(s.Steps[1].Stats, j.stats)
		s.detail("lookups", fmt.Sprintf("%d, then the right side was read once", max(0, j.lookups.made-1)))
		return s
	}
	under, right := j.lookupStep()
	s := NewStep(j.title("lookup for each row"), j.left.step(), under)
	if j.On != nil {
		s.detail("on", expr.Print(j.On))
	}
	j.addEstimate(s, j, right, nil)
	return s
}

// lookupStep describes what is opened for each left row.
func (j *lookupJoin) lookupStep() (*Step, source) {
	s, err := j.lookup()
	if err != nil {
		return NewStep(err.Error()), nil
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

func (j *mergeJoin) step() *Step {
	keys := make([]expr.Node, len(j.Merge.Right))
	for i, c := range j.Merge.Right {
		keys[i] = c
	}
	right := j.right.step()
	right.Table.Join = "merge join"
	s := NewStep(j.title("merge by "+printNodes(keys)), j.left.step(), right)
	s.detail("on", expr.Print(j.On))
	j.addEstimate(s, j, j.right, right.Table)
	if j.sequence.kind == byPartition {
		s.detail("order", "partition by partition")
	}
	if j.group.lookups > 0 {
		s.detail("lookups", strconv.FormatInt(j.group.lookups, 10))
		right.Stats = addStats(right.Stats, j.group.stats)
	}
	return s
}

func (j *keptJoin) step() *Step {
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
	s := NewStep(j.title(how), j.left.step(), right)
	if j.parts != nil && j.parts.done {
		j.parts.describeAt(right, right)
	}
	if j.rows != nil {
		if s.Memory = j.rows.Peak(); j.rows.Spilled() {
			s.kept()
		}
	}
	if j.On != nil {
		s.detail("on", expr.Print(j.On))
	}
	j.addEstimate(s, j, j.right, right.Table)
	return s
}

func (s *virtualScan) step() *Step {
	out := NewStep("Read " + s.Database + "." + s.Name)
	if s.Where != nil {
		out.detail("filter", expr.Print(s.Where))
	}
	out.Table = &TableStep{Table: s.Alias, Type: "ALL", Filtered: s.Where != nil, Rows: -1, Kept: 100 * guessed}
	out.Rows = s.given
	return out
}

func (s *derivedScan) step() *Step {
	out := NewStep(s.Title, s.Query.step(s.rows, s.x.stmt))
	out.Table = &TableStep{Table: s.Alias, Type: "ALL", Rows: -1}
	out.Rows = s.given
	return out
}

func (u *unionRows) step() *Step {
	title := "Union all"
	if u.distinctTo() > 0 {
		title = "Union"
	}
	out := NewStep(title)
	for _, p := range u.Parts {
		out.Steps = append(out.Steps, p.Query.plannedStep(u.x.stmt))
	}
	return out
}

func (u *unionDistinct) step() *Step {
	out := u.results.step()
	out.Title, out.Steps = "Union", u.rows.step().Steps
	return out
}

// plannedStep describes a query without running it.
func (q *Query) plannedStep(run *statement) *Step {
	rows, err := q.Body.open(run.newFrame(q.Width), queryOptions{})
	if err != nil {
		out := NewStep(err.Error())
		out.Block = &BlockStep{}
		return out
	}
	defer func() { _ = rows.close() }()
	return q.step(rows, run).unmeasured()
}

// unmeasured says of a step and those below that nobody has counted their rows.
func (s *Step) unmeasured() *Step {
	s.Rows = -1
	for _, under := range s.Steps {
		under.unmeasured()
	}
	return s
}

// step describes a query that runs, with the subqueries of its expressions.
func (q *Query) step(rows results, run *statement) *Step {
	out := rows.step()
	_, isUnion := q.Body.(*Union)
	out.Block = &BlockStep{Union: isUnion}
	out.Queries = plannedSteps(q.Subqueries, run)
	return out
}

// plannedSteps describe the subqueries of a query's expressions.
func plannedSteps(subqueries []*Subquery, run *statement) []*Step {
	var out []*Step
	for _, s := range subqueries {
		if run.merged[s.Query] != nil {
			continue // whose relation is one of the join's
		}
		under := s.Query.plannedStep(run)
		under.Block.Dependent = len(s.Outer) > 0
		under.detail("for all rows around", s.forAll(run))
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
