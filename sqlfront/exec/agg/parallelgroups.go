package agg

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/grouping"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// parallelGroups aggregates a table, or pivots of it, in parts on several goroutines, and combines the
// parts. It does so only if the result is the same: the aggregates are exact, and the groups come in
// the same order as from serial. One goroutine begins, and what it has not read after a while is
// divided. If the groups do not fit in memory, each goroutine partitions the rows of further groups by
// hash, and groups are made of one partition of all of them. If that is not possible, serial does
// everything.
type parallelGroups struct {
	// serial would read the base scan on one goroutine. g is where it computes groups; the parts use
	// it, too.
	serial op.Operator
	g      *groups
	base   *scan.Scan
	// byRow says that the groups are in the order of their rows' keys, instead of that of their first
	// rows.
	byRow bool
	pipeline.Exchange
	union    *grouping.Union // of the parts' tables
	groups   []rowmem.KeyID
	given    int
	columns  *groupBatches // nil unless batches of groups are read
	ready    bool
	fellBack bool
	// late are the groups with rows in files, nil if there are none; ahead is the next one, if isAhead
	// is set.
	late    *grouping.Late
	ahead   grouping.LateGroup
	isAhead bool
}

// part is a scan and the groups made of it. all are the groups whose first rows it has, as far as its
// goroutine knows.
type part struct {
	*hashGroups
	*scan.PartRun
}

// parallel returns the aggregation on several goroutines that does what serial does, or serial if that
// is not possible.
func (n *Aggregate) parallel(x *op.Frame, serial op.Operator, g *groups, want op.Desired) op.Operator {
	if x.Lock == nil && want.Limit == 0 {
		if p := n.parts(x, serial, g); p != nil {
			return p
		}
	}
	return serial
}

// parts returns an aggregation in parts that replaces serial, or nil if the result could differ or it
// does not pay off.
func (n *Aggregate) parts(x *op.Frame, serial op.Operator, g *groups) *parallelGroups {
	pipelines := pipeline.BranchesOf(g.child.Operator)
	if len(pipelines) == 0 || slices.ContainsFunc(pipelines, func(s op.Operator) bool { return !n.inParts(scan.BaseOf(s)) }) {
		return nil
	}
	base := scan.BaseOf(pipelines[0])
	p := &parallelGroups{serial: serial, g: g, base: base, Exchange: pipeline.NewExchange(x.Context, pipelines)}
	p.AnyOrder = true
	scheme := base.Tables[0].Partitioning
	_, hash := serial.(*hashGroups)
	switch {
	case hash && slices.ContainsFunc(pipelines, pipeline.OrdersParts):
		return nil // the parts do not have the order in which the groups must be
	case !hash && !n.Implicit:
		if _, plain := scan.Of(g.child.Operator); !plain && g.runCount == nil || !base.StoreScan.Ordered ||
			n.AnyValue && len(n.Captured) > 0 || !n.ofManyRows(base.Access) {
			return nil // it streams
		}
		p.byRow = true
	}
	merges := p.byRow && !scheme.Ordered() && len(base.RowPartitions()) > 1 // hashing is cheaper than a merge
	if !merges && !pipeline.DividesPipelines(x.Context, pipelines) {
		return nil
	}
	p.NewPart = func(pipe op.Operator, s *kv.Scan) pipeline.Part { return p.part(pipe, s) }
	return p
}

// inParts reports whether a scan's rows may be grouped in parts.
func (n *Aggregate) inParts(s *scan.Scan) bool {
	return s.X.Lock == nil && n.of().combines && !s.Empty() && !s.Volatile()
}

// ofManyRows reports whether each group consists of several whole rows, as those of a prefix do, and
// equal keys are identical.
func (n *Aggregate) ofManyRows(a *scan.Access) bool {
	return !slices.ContainsFunc(n.Keys, func(k GroupKey) bool {
		c, plain := k.Node.(*expr.Column)
		t := k.Node.Type()
		return plain && c.Index == a.Columns.K || !expr.OnlyColumns(k.Node, a.RowColumn) ||
			t.Kind != value.Bytes && t.Kind != value.Int
	})
}

func (p *parallelGroups) Grouped() op.Operator { return p.g.child.Operator }

// part makes a part with its own frame and its own answers of subqueries.
func (p *parallelGroups) part(pipe op.Operator, s *kv.Scan) *part {
	run, x := scan.NewPartRun(pipe, s)
	out := &part{PartRun: run, hashGroups: p.g.Aggregate.hash(x, run.Source)}
	out.inMemory, out.hashGroups.part = !p.spills(), int32(len(p.Parts))
	if p.byRow {
		out.rowAt = run.Scan.Access.Columns.K
	}
	return out
}

// spills reports whether parts may have rows in files: not if groups grow with their rows, or come in
// another order than that of their first rows.
func (p *parallelGroups) spills() bool {
	h, ok := p.serial.(*hashGroups)
	return ok && !h.sorted && !h.growing
}

// ReadAll adds the part's rows to the groups of the part before, unless groups remember the order of
// their rows. There are then only as many tables to combine as goroutines.
func (p *part) ReadAll(before pipeline.Part) error {
	if before != nil {
		p.TakeMemory(before.Run())
		if b := before.(*part); !p.Aggregate.of().order {
			p.goOn(b.hashGroups)
		}
	}
	return p.hashGroups.readAll()
}

// Close implements pipeline.Part.
func (p *part) Close() error { return p.giveUp() }

func (p *parallelGroups) Env() *expr.Env { return p.g.Env() }

func (p *parallelGroups) Next(want int) (*kernel.Batch, error) {
	if err := p.prepare(); err != nil {
		return nil, err
	}
	if p.fellBack {
		return p.serial.Next(want)
	}
	if want > 1 && p.late == nil {
		if b, err := p.nextBatch(); b != nil || err != nil {
			return b, err
		}
	}
	if p.columns.Next(p.g.out.Row) {
		return op.OneRow, nil
	}
	if p.late != nil {
		if ok, err := p.nextLate(); ok || err != nil {
			return op.Single(ok, err)
		}
	}
	if p.given == len(p.groups) {
		return nil, nil
	}
	return op.Single(true, p.nextGroup())
}

// nextBatch returns the groups of all parts, or nil if they must be read one by one.
func (p *parallelGroups) nextBatch() (*kernel.Batch, error) {
	for i := 0; p.columns == nil && i < len(p.Parts); i++ {
		p.columns = groupColumns(p.Parts[i].(*part).hashGroups)
	}
	return p.columns.read(p.g.out.Row, min(len(p.groups)-p.given, p.g.x.Context.BatchSize()), p.nextGroup)
}

// nextLate copies the next group into the frame if it is one of late.
func (p *parallelGroups) nextLate() (_ bool, err error) {
	if !p.isAhead {
		if p.ahead, p.isAhead, err = p.late.Next(); err != nil || !p.isAhead {
			return false, err
		}
	}
	if p.given < len(p.groups) && p.union.PlaceOf(p.groups[p.given]) < p.ahead.Place {
		return false, nil
	}
	p.g.emitLate(p.ahead)
	p.isAhead = false
	return true, nil
}

// prepare reads all parts, once.
func (p *parallelGroups) prepare() error {
	if p.ready {
		return nil
	}
	err := p.run()
	p.ready = err == nil
	return err
}

// nextGroup copies the next group into the frame.
func (p *parallelGroups) nextGroup() error {
	g := p.groups[p.given]
	p.given++
	return p.g.emitOf(p.union.Tables[g.Table], g.Number)
}

// run reads all parts.
func (p *parallelGroups) run() error {
	if ok, err := p.Starts(p.base.X); !ok || err != nil {
		p.fellBack = true
		return err
	}
	p.Begin()
	failed, err := p.Read(p.base.X)
	if failed {
		p.fellBack = true
		p.Parts = nil // serial makes their groups again
	}
	if failed || err != nil {
		return err
	}
	p.Warn(p.base.X)
	return p.unite()
}

// unite combines the groups of the parts, on several goroutines unless that takes memory: an account is
// for one goroutine at a time.
func (p *parallelGroups) unite() error {
	count := p.Count
	if p.g.of().order {
		count = 1
	}
	tables, of := tablesOf(p.Parts)
	p.union = grouping.NewUnion(tables)
	if err := p.union.Unite(p.base.X.Context.Ctx, count); err != nil {
		return err
	}
	if err := p.groupLate(); err != nil {
		return err
	}
	p.collect(of)
	if p.byRow {
		slices.SortStableFunc(p.groups, func(a, b rowmem.KeyID) int {
			if p.base.StoreScan.Reverse {
				a, b = b, a
			}
			return bytes.Compare(p.rowOf(a), p.rowOf(b))
		})
	}
	if len(p.groups) == 0 && p.g.Implicit {
		tables[0].Add(nil, make([]value.Value, len(p.g.Captured)), nil, 0)
		p.groups = []rowmem.KeyID{{}}
	}
	return nil
}

// groupLate makes the groups that have rows in files, including those in memory.
func (p *parallelGroups) groupLate() (err error) {
	var rests []*grouping.Overflow
	for _, each := range p.Parts {
		if r := each.(*part).rest; r != nil {
			rests = append(rests, r)
		}
	}
	if len(rests) > 0 {
		p.late, err = p.g.makeLate(p.union, rests...)
	}
	return err
}

// collect collects the groups in the order of their first rows.
func (p *parallelGroups) collect(of []int32) {
	for i, each := range p.Parts {
		t := of[i]
		for _, number := range each.(*part).all {
			g := rowmem.KeyID{Table: t, Number: number}
			if p.union.PlaceOf(g).Part() == int32(i) && !p.union.Gone(g) {
				p.groups = append(p.groups, g)
			}
		}
	}
	p.g.memory.Grow(len(p.groups) * unitedSize)
}

// tablesOf returns the tables of parts, each once, and the table of each part.
func tablesOf(parts []pipeline.Part) (tables []*grouping.Table, of []int32) {
	for _, each := range parts {
		t := each.(*part).table
		at := slices.Index(tables, t)
		if at < 0 {
			at = len(tables)
			tables = append(tables, t)
		}
		of = append(of, int32(at))
	}
	return tables, of
}

// unitedSize is about what a group takes besides the tables, in bytes.
const unitedSize = 32

func (p *parallelGroups) rowOf(g rowmem.KeyID) []byte { return p.union.Tables[g.Table].RowOf(g.Number) }

func (p *parallelGroups) Close() error { return cmp.Or(p.closeParts(), p.serial.Close()) }

func (p *parallelGroups) closeParts() error {
	err := p.Exchange.Close()
	if p.late == nil {
		return err
	}
	return cmp.Or(err, p.late.Close())
}

func (p *parallelGroups) Step() *explain.Step {
	out := p.serial.Step()
	p.describe(out)
	return out
}

// describe adds what the parts did to the step of their input.
func (p *parallelGroups) describe(out *explain.Step) {
	if p.late != nil {
		out.AddSpilled()
	}
	if !p.fellBack && p.ready {
		p.Describe(out)
	}
}
