package exec

import (
	"cmp"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// parallelRows reads the rows of a chain in parts on several goroutines, for those who
// look at all of them before they give one: sorts, windows and DISTINCT. What is kept
// of the parts is in the order of the scan, as it is where one goroutine reads it.
type parallelRows struct {
	workers
	done bool
	// pauses says that parts whose keepers are full are left to be read on; what they
	// warn of is told by others.
	pauses bool
}

// rowPart is a part, and what is kept of its rows.
type rowPart struct {
	*scan.PartRun
	next func() ([]value.Value, error)
	keep rowKeeper
	// pauses has it end where the keeper is full, which paused says then.
	pauses, paused bool
}

// errPaused ends the reading of a part that is read on later.
var errPaused = errors.New("the part is to be read on")

// rowKeeper keeps rows in memory.
type rowKeeper interface {
	// Keep takes a copy of what it keeps of a row, and reports whether there is no
	// memory for more.
	Keep(row []value.Value) (full bool, err error)
	// End comes behind the last row.
	End() error
	Close() error
}

// errTooMuch ends a part of which what is kept does not fit into memory.
var errTooMuch = errors.New("what is kept of the rows does not fit into memory")

// parallelRowsOf is nil where a chain's rows, with the values of some expressions, are
// not to be read on several goroutines, or somebody could tell.
func parallelRowsOf(x *op.Frame, chain op.Source, nodes []expr.Node) *parallelRows {
	if x.Context.Readers() == 1 {
		return nil
	}
	chains := branchesOf(chain)
	if len(chains) == 0 || !dividesChains(x.Context, chains) || slices.ContainsFunc(chains, ordersParts) {
		return nil
	}
	for _, chain := range chains {
		if base := scan.BaseOf(chain); base.X.Lock != nil || base.Empty() || base.Volatile() {
			return nil
		}
	}
	if slices.ContainsFunc(nodes, expr.IsVolatile) {
		return nil
	}
	return &parallelRows{workers: newWorkers(x.Context, chains)}
}

// keeping has each part keep rows: next gives those of a chain in a frame.
func (p *parallelRows) keeping(next func(op.Source, *op.Frame) func() ([]value.Value, error), keeper func() rowKeeper) {
	p.newPart = func(chain op.Source, cells *kv.Scan) partReader {
		run, x := scan.NewPartRun(chain, cells)
		return &rowPart{PartRun: run, next: next(run.Source, x), keep: keeper(), pauses: p.pauses}
	}
}

// bounded has nothing divided that is likely not to fit into memory, of which each row
// takes so much beside its bytes: it would all be read again.
func (p *parallelRows) bounded(each int64) {
	if c := scan.BaseOf(p.chains[0]).X.Context; c.Parallelism == 0 {
		p.divides = func() error {
			if !fitsChains(c, p.chains, each) {
				return errTooMuch
			}
			return nil
		}
	}
}

// readParts reads all rows. It reports false, and has kept none, where they do not fit
// into memory, or are few.
func (p *parallelRows) readParts() (bool, error) {
	if p == nil {
		return false, nil
	}
	x := scan.BaseOf(p.chains[0]).X
	if ok, err := p.starts(x); !ok || err != nil {
		return false, err
	}
	p.begin()
	if failed, err := p.read(x); failed || err != nil {
		return false, err
	}
	if p.done = true; p.pauses {
		p.parts[0].Run().Scan.Watch = nil // nothing is divided any more
	} else {
		p.warn(x)
	}
	return true, nil
}

// keptCell is about what a row takes beside its bytes where it is kept by a key, or in a
// list.
const keptCell = 128

// fitsChains reports whether the rows of chains, each with so much beside its bytes, are likely to
// fit into memory.
func fitsChains(c *op.Context, chains []op.Source, each int64) bool {
	if c.Spill.Memory == 0 {
		return true
	}
	e, ok := sizeOf(chains)
	return !ok || c.Limits().Fits(e, each)
}

// ReadAll keeps the part's rows.
func (p *rowPart) ReadAll(before partReader) error {
	if b, _ := before.(*rowPart); b != nil && !b.paused {
		p.TakeMemory(b.PartRun)
	}
	err := spill.Each(p.next, func(row []value.Value) error {
		full, err := p.keep.Keep(row)
		switch {
		case !full || err != nil:
			return err
		case p.pauses:
			return errPaused
		}
		return errTooMuch
	})
	if p.paused = err == errPaused; p.paused {
		err = nil
	}
	return cmp.Or(err, p.keep.End())
}

func (p *rowPart) Close() error { return cmp.Or(p.keep.Close(), p.Source.Close()) }

// describe says what the parts did; it may be asked of nil.
func (p *parallelRows) describe(out *explain.Step) {
	if p != nil && p.done {
		p.workers.describe(out)
	}
}

// describeAt is describe of what is read in parts itself.
func (p *parallelRows) describeAt(out, read *explain.Step) {
	if p != nil && p.done {
		p.workers.describeAt(out, read)
	}
}

func (p *parallelRows) Close() error {
	if p == nil {
		return nil
	}
	return p.workers.Close()
}
