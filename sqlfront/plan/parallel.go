package plan

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// parallelGroups aggregates a table in parts, each some partitions, on several
// goroutines, and puts the parts together. It does so only where nobody can
// tell: the aggregates are exact, and the groups come as serial would give
// them. Where the groups do not fit into memory, serial does it all.
type parallelGroups struct {
	// serial would read the base scan on one goroutine. g is what it computes
	// groups in, and is used for those of the parts too.
	serial source
	g      *groups
	base   *scan
	// byRow says that the groups come in the order of their rows' keys, not in
	// that of their first rows.
	byRow    bool
	workers  int
	at       int64 // rows after which the other workers begin
	parts    []*part
	groups   []*group
	given    int
	ready    bool
	fellBack bool
}

// part is some of the partitions, and what is made of them.
type part struct {
	*hashGroups
	scan     *scan
	warnings []warning
	err      error
}

type warning struct {
	code    uint16
	message string
}

const (
	// smallScan is how many rows are read before it is worth to start another
	// goroutine.
	smallScan = 8192
	// partsEach is how many parts a worker gets on the average, so that none
	// waits long for the last one.
	partsEach = 2
)

// errTooManyGroups ends a part whose groups do not fit into memory.
var errTooManyGroups = errors.New("the groups do not fit into memory")

// parallel is the aggregation on several goroutines that does what serial does,
// or serial where there can be none.
func (n *aggregateNode) parallel(x *exec, serial source, g *groups, want request) source {
	base, ok := g.child.(*scan)
	if !ok || x.lock != nil || want.limit > 0 || base.empty() || !n.mergeable(base) {
		return serial
	}
	p := &parallelGroups{serial: serial, g: g, base: base, workers: runtime.GOMAXPROCS(0), at: smallScan}
	if forced := x.c.Parallelism; forced > 0 {
		p.workers, p.at = forced, 0
	}
	scheme := base.tables[0].Partitioning
	_, hash := serial.(*hashGroups)
	switch {
	case hash && base.kv.Ordered && !scheme.Ordered(), hash && base.kv.Reverse:
		return serial // the groups come in an order that the parts do not have
	case !hash && !n.implicit:
		if !base.kv.Ordered || n.anyValue && len(n.captured) > 0 || !n.ofManyRows(base.access) {
			return serial // it streams
		}
		p.byRow = true
	}
	merges := p.byRow && !scheme.Ordered() // which hashing is cheaper than
	partitions := base.rowPartitions()
	if len(partitions) < 2 || p.workers < 2 && !merges {
		return serial
	}
	p.divide(partitions)
	return p
}

// mergeable reports whether parts of groups make up whole ones, and nothing is
// evaluated that has an effect on another row.
func (n *aggregateNode) mergeable(s *scan) bool {
	nodes := append(n.keyNodes(), s.access.where)
	for _, a := range n.aggs {
		if !a.agg.Mergeable() {
			return false
		}
		nodes = append(nodes, a.agg.Args...)
	}
	return !slices.ContainsFunc(nodes, func(n expr.Node) bool { return n != nil && volatile(n) })
}

// ofManyRows reports whether the groups are of whole rows, and of several, as
// those of a prefix are, and have keys of which equal ones are alike.
func (n *aggregateNode) ofManyRows(a *Access) bool {
	return !slices.ContainsFunc(n.keys, func(k groupKey) bool {
		c, plain := k.node.(*expr.Column)
		t := k.node.Type()
		return plain && c.Index == a.columns.K || !onlyColumns(k.node, a.rowColumn) ||
			t.Unknown || t.Kind != value.Bytes && t.Kind != value.Int
	})
}

// divide makes the parts: neighbouring partitions, so that the parts one after
// the other are the whole.
func (p *parallelGroups) divide(partitions []int) {
	n := 1
	if p.workers > 1 {
		n = min(len(partitions), partsEach*p.workers)
	}
	for i := range n {
		from, to := i*len(partitions)/n, (i+1)*len(partitions)/n
		p.parts = append(p.parts, p.newPart(partitions[from:to]))
	}
}

// newPart makes a part with a frame and a session's answers of its own.
func (p *parallelGroups) newPart(partitions []int) *part {
	outer := p.base.x
	x := &exec{}
	x.startIn(outer.run, len(outer.env.Row))
	copy(x.env.Row, outer.env.Row)
	out := &part{}
	if session := outer.env.Session; session != nil {
		own := *session
		if own.AddWarning != nil {
			own.AddWarning = func(code uint16, message string) { out.warnings = append(out.warnings, warning{code, message}) }
		}
		x.env.Session = &own
	}
	s := *p.base
	out.scan = &s
	s.x = x
	if s.tally != nil {
		s.tally = &tally{bytes: s.tally.bytes}
	}
	s.kv.Partitions, s.kv.Ordered, s.kv.Reverse = partitions, false, false
	out.hashGroups = p.g.aggregateNode.hash(x, out.scan)
	out.inMemory = true
	if p.byRow {
		out.rowAt = s.access.columns.K
	}
	return out
}

func (p *parallelGroups) env() *expr.Env { return p.g.env() }

func (p *parallelGroups) next() (bool, error) {
	if !p.ready {
		if err := p.run(); err != nil {
			return false, err
		}
		p.ready = true
	}
	if p.fellBack {
		return p.serial.next()
	}
	if p.given == len(p.groups) {
		return false, nil
	}
	g := p.groups[p.given]
	p.groups[p.given] = nil
	p.given++
	return true, p.g.emit(g.keys, g.first, g.states)
}

// run reads all parts.
func (p *parallelGroups) run() error {
	err := p.read()
	if errors.Is(err, errTooManyGroups) {
		p.fellBack = true
		return p.closeParts()
	}
	if err != nil {
		return err
	}
	for _, each := range p.parts {
		for _, w := range each.warnings {
			p.base.x.env.Session.AddWarning(w.code, w.message)
		}
	}
	return p.unite()
}

// read reads the parts one after the other, and from a certain row on the
// others at the same time.
func (p *parallelGroups) read() error {
	whole := p.base.x.c
	ctx, cancel := context.WithCancel(whole.Ctx)
	defer cancel()
	c := *whole
	c.Ctx = ctx
	for _, each := range p.parts {
		each.scan.x.c = &c
	}
	crew := crew{parts: p.parts, cancel: cancel}
	defer crew.wait.Wait()
	started := false
	rows := int64(0)
	crew.work(func(n int64) error {
		if rows += n; !started && rows > p.at {
			started = true
			return crew.start(p.workers - 1)
		}
		return nil
	})
	crew.wait.Wait()
	return p.firstError(whole.Ctx)
}

// firstError is that of the first part that did not only end because another
// one failed.
func (p *parallelGroups) firstError(ctx context.Context) error {
	var cancelled error
	for _, each := range p.parts {
		if each.err != nil && ctx.Err() == nil && errors.Is(each.err, context.Canceled) {
			cancelled = each.err
			continue
		}
		if each.err != nil {
			return each.err
		}
	}
	return cancelled
}

// crew are the goroutines that read parts.
type crew struct {
	parts  []*part
	taken  atomic.Int64
	wait   sync.WaitGroup
	cancel func()
}

// work reads parts until none is left; each is called with the number of rows
// that have been read since.
func (c *crew) work(each func(int64) error) {
	for {
		i := int(c.taken.Add(1)) - 1
		if i >= len(c.parts) {
			return
		}
		if c.parts[i].err = c.parts[i].readAll(each); c.parts[i].err != nil {
			c.cancel()
			return
		}
	}
}

// start lets more goroutines read the parts that nobody has taken yet. Their
// cursors are opened here: a transaction has one user at a time.
func (c *crew) start(more int) error {
	left := c.parts[min(int(c.taken.Load()), len(c.parts)):]
	for _, each := range left {
		if err := each.scan.openCursor(); err != nil {
			return err
		}
	}
	for range min(more, len(left)) {
		c.wait.Go(func() { c.work(func(int64) error { return nil }) })
	}
	return nil
}

// readAll aggregates the part.
func (p *part) readAll(each func(int64) error) error {
	for {
		before := p.scan.given
		ok, err := p.readRow()
		if !ok || err != nil {
			return err
		}
		if err := each(p.scan.given - before); err != nil {
			return err
		}
	}
}

// unite puts the groups of the parts together.
func (p *parallelGroups) unite() error {
	all := map[string]*group{}
	var key []byte
	for _, each := range p.parts {
		for _, g := range each.all {
			key = appendKey(key[:0], g.keys)
			known := all[string(key)]
			if known == nil {
				all[string(key)] = g
				p.g.memory.Grow(len(key) + groupOverhead)
				p.groups = append(p.groups, g)
				continue
			}
			for i, s := range known.states {
				if err := s.Merge(g.states[i]); err != nil {
					return err
				}
			}
		}
	}
	if p.byRow {
		slices.SortStableFunc(p.groups, func(a, b *group) int {
			if p.base.kv.Reverse {
				a, b = b, a
			}
			return bytes.Compare(a.row, b.row)
		})
	}
	if len(p.groups) == 0 && p.g.implicit {
		p.groups = []*group{{first: make([]value.Value, len(p.g.captured)), states: p.g.newStates()}}
	}
	return nil
}

func (p *parallelGroups) closeParts() error {
	var errs []error
	for _, each := range p.parts {
		errs = append(errs, each.close())
	}
	return firstError(errs...)
}

func (p *parallelGroups) close() error { return firstError(p.closeParts(), p.serial.close()) }

func (p *parallelGroups) step() *Step {
	if p.fellBack || !p.ready {
		return p.serial.step()
	}
	out := p.serial.step()
	out.detail("workers", strconv.Itoa(p.workers))
	under := out.Steps[0] // the base scan, which has read nothing itself
	for _, each := range p.parts {
		under.Rows += each.scan.given
		under.Stats = addStats(under.Stats, each.scan.stats())
	}
	return out
}
