package pipeline

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

// Rows reads the rows of a pipeline in parts on several goroutines, for operators that read all of them
// before they return one: sorts, windows and DISTINCT. The kept rows are in the order of the scan, as
// with one goroutine.
type Rows struct {
	Exchange
	Done bool
	// pauses says that a part whose keeper is full stops, and is continued later; its reader reports its
	// warnings.
	pauses bool
}

// RowPart is a part, and what is kept of its rows.
type RowPart struct {
	*scan.PartRun
	Next func() ([]value.Value, error)
	Keep Keeper
	// pauses makes it stop if the keeper is full; paused is then set.
	pauses, paused bool
}

// errPaused stops the reading of a part that is continued later.
var errPaused = errors.New("the part is to be read on")

// Keeper keeps rows in memory.
type Keeper interface {
	// Keep keeps a copy of what it needs of a row, and reports whether there is no memory for more.
	Keep(row []value.Value) (full bool, err error)
	// End is called after the last row.
	End() error
	Close() error
}

// ErrTooMuch ends a part whose kept rows do not fit in memory.
var ErrTooMuch = errors.New("what is kept of the rows does not fit into memory")

// RowsOf returns nil if a pipeline's rows, and the values of some expressions, must not be read on
// several goroutines, or the result could differ.
func RowsOf(x *op.Frame, pipeline op.Operator, nodes []expr.Node) *Rows {
	if x.Context.Readers == 1 {
		return nil
	}
	pipelines := BranchesOf(pipeline)
	if len(pipelines) == 0 || !DividesPipelines(x.Context, pipelines) || slices.ContainsFunc(pipelines, OrdersParts) {
		return nil
	}
	for _, pipeline := range pipelines {
		if base := scan.BaseOf(pipeline); base.X.Lock != nil || base.Empty() || base.Volatile() {
			return nil
		}
	}
	if slices.ContainsFunc(nodes, expr.IsVolatile) {
		return nil
	}
	return &Rows{Exchange: NewExchange(x.Context, pipelines)}
}

// Keeping makes each part keep rows: next returns a function for the rows of a pipeline in a frame.
func (p *Rows) Keeping(next func(op.Operator, *op.Frame) func() ([]value.Value, error), keeper func() Keeper) {
	p.NewPart = func(pipeline op.Operator, cells *kv.Scan) Part {
		run, x := scan.NewPartRun(pipeline, cells)
		return &RowPart{PartRun: run, Next: next(run.Source, x), Keep: keeper(), pauses: p.pauses}
	}
}

// Bounded avoids dividing what is not likely to fit in memory, if each row takes so many bytes in
// addition to its own: everything would have to be read again.
func (p *Rows) Bounded(each int64) {
	if c := scan.BaseOf(p.pipelines[0]).X.Context; c.Parallelism == 0 {
		p.divides = func() error {
			if !fitsPipelines(c, p.pipelines, each) {
				return ErrTooMuch
			}
			return nil
		}
	}
}

// ReadParts reads all rows. It returns false, and has kept none, if they do not fit in memory, or are
// few. Errors are those of the parts' operators, and of the keepers.
func (p *Rows) ReadParts() (bool, error) {
	if p == nil {
		return false, nil
	}
	x := scan.BaseOf(p.pipelines[0]).X
	if ok, err := p.Starts(x); !ok || err != nil {
		return false, err
	}
	p.Begin()
	if failed, err := p.Read(x); failed || err != nil {
		return false, err
	}
	if p.Done = true; p.pauses {
		p.Parts[0].Run().Scan.Watch = nil // nothing is divided any more
	} else {
		p.Warn(x)
	}
	return true, nil
}

// KeptCell is about what a row takes besides its bytes if it is kept by a key, or in a list.
const KeptCell = 128

// fitsPipelines reports whether the rows of pipelines, each with so many bytes in addition to its own,
// are likely to fit in memory.
func fitsPipelines(c *op.Context, pipelines []op.Operator, each int64) bool {
	if c.Spill.Memory == 0 {
		return true
	}
	e, ok := sizeOf(pipelines)
	return !ok || c.Limits().Fits(e, each)
}

// ReadAll keeps the part's rows.
func (p *RowPart) ReadAll(before Part) error {
	if b, _ := before.(*RowPart); b != nil && !b.paused {
		p.TakeMemory(b.PartRun)
	}
	err := spill.Each(p.Next, func(row []value.Value) error {
		full, err := p.Keep.Keep(row)
		switch {
		case !full || err != nil:
			return err
		case p.pauses:
			return errPaused
		}
		return ErrTooMuch
	})
	if p.paused = err == errPaused; p.paused {
		err = nil
	}
	return cmp.Or(err, p.Keep.End())
}

func (p *RowPart) Close() error { return cmp.Or(p.Keep.Close(), p.Source.Close()) }

// Describe adds what the parts did to a step; p may be nil.
func (p *Rows) Describe(out *explain.Step) {
	if p != nil && p.Done {
		p.Exchange.Describe(out)
	}
}

// DescribeAt is Describe with the step that was read in parts.
func (p *Rows) DescribeAt(out, read *explain.Step) {
	if p != nil && p.Done {
		p.Exchange.describeAt(out, read)
	}
}

func (p *Rows) Close() error {
	if p == nil {
		return nil
	}
	return p.Exchange.Close()
}

// OrdersParts reports whether a pipeline's rows are in an order that its parts, read one after the
// other, do not have.
func OrdersParts(pipeline op.Operator) bool {
	base := scan.BaseOf(pipeline)
	return base.StoreScan.Reverse || base.StoreScan.Ordered && !base.Tables[0].Partitioning.Ordered()
}
