package exec

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// parallelTop finds the first rows of an order in a scan, or in pivots of it, that is
// read in parts on several goroutines. Those that are alike come in the order of the scan, as
// they do where one goroutine reads it.
type parallelTop struct {
	workers
	chain source
	base  *scan
	done  bool
}

// topPart is a part, and its first rows.
type topPart struct {
	*partRun
	rows  *project
	first topRows
}

// errTooManyRows ends a part whose rows do not fit into memory.
var errTooManyRows = errors.New("the rows do not fit into memory")

// inParallel makes the sort read a block's rows on several goroutines, where it
// keeps few of them and nobody can tell.
func (s *sorted) inParallel(b *Select, src source) {
	base := baseOf(src)
	if base == nil || !s.sorter.top() || base.x.lock != nil || base.empty() || base.kv.Reverse ||
		volatileAny(b.Projection.nodes, base.access.Where) {
		return
	}
	if base.kv.Ordered && !base.tables[0].Partitioning.Ordered() {
		return // the parts are not in that order
	}
	p := &parallelTop{workers: newWorkers(s.x.c), chain: src, base: base}
	if !p.wanted(base) {
		return
	}
	p.newPart = func(cells *kv.Scan) partReader {
		run, x := newPartRun(src, cells)
		return &topPart{
			partRun: run, rows: b.Projection.start(x, run.source),
			first: topRows{compare: s.sorter.keys.compare, most: s.sorter.first.most, account: s.sorter.space.Account()},
		}
	}
	s.parallel = p
}

func volatileAny(nodes []expr.Node, where expr.Node) bool {
	for _, n := range nodes {
		if expr.IsVolatile(n) {
			return true
		}
	}
	return where != nil && expr.IsVolatile(where)
}

// addTo adds the first rows to those of the sort. It reports false, and adds
// none, where they do not fit into memory.
func (p *parallelTop) addTo(to *sorter) (bool, error) {
	if ok, err := p.starts(p.chain); !ok || err != nil {
		return false, err
	}
	p.begin(&p.base.kv)
	err := p.read(p.base.x.c.Ctx)
	if errors.Is(err, errTooManyRows) {
		return false, p.workers.close()
	}
	if err != nil {
		return false, err
	}
	p.done = true
	p.warn(p.base.x)
	for _, each := range p.parts {
		part := each.(*topPart)
		part.first.byArrival()
		for _, row := range part.first.rows {
			if err := to.add(row.row); err != nil {
				return false, err
			}
		}
		part.first.release()
	}
	return true, nil
}

// readAll finds the part's first rows.
func (p *topPart) readAll() error {
	allInBatches(p.rows)
	return spill.Each(p.rows.next, func(row []value.Value) error {
		if p.first.add(row); p.first.account.Full() {
			return errTooManyRows
		}
		return nil
	})
}

func (p *topPart) close() error {
	p.first.release()
	return p.rows.close()
}
