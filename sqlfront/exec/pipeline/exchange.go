package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/caught"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Exchange reads a pipeline on several goroutines. The caller's goroutine begins with the whole
// scan; after some cells, the rest is divided into parts, which all goroutines take in turn. The
// branches of a union are divided before anything is read.
type Exchange struct {
	pipelines []op.Operator // one, or the branches of a union
	// NewPart makes the reader of a part: cells of a pipeline's scan.
	NewPart func(pipeline op.Operator, cells *kv.Scan) Part
	// AnyOrder says that the cells of a part may be read in any order.
	AnyOrder bool
	// divides, if not nil, is called before the scan is divided; its error ends the reading.
	divides func() error
	Count   int
	at      int64 // cells after which the other goroutines begin
	looked  int64
	// Parts are in the order of the scan, order is the one in which they are taken.
	Parts  []Part
	order  []Part
	taken  atomic.Int64
	wait   sync.WaitGroup
	within *op.Context // for the parts
	cancel func()
	// ahead are the warnings of the pipeline's joins from before it was divided, built those that
	// the first part reports.
	ahead, built []op.Warning
}

// Part reads a part and processes its rows.
type Part interface {
	// ReadAll reads the part. before is the part that the same goroutine has read before, or nil.
	ReadAll(before Part) error
	Run() *scan.PartRun
	Close() error
}

const (
	// SmallScan is the number of cells after which dividing the rest pays off.
	SmallScan = 16 << 10
	// partsEach is the average number of parts for each goroutine, so that none waits long for the
	// last one.
	partsEach = 4
)

func NewExchange(c *op.Context, pipelines []op.Operator) Exchange {
	if c.Parallelism > 0 {
		return Exchange{pipelines: pipelines, Count: c.Readers}
	}
	return Exchange{pipelines: pipelines, Count: c.Readers, at: SmallScan}
}

// DividesPipelines reports whether several goroutines may read pipelines: lookups of rows are too
// small for that.
func DividesPipelines(c *op.Context, pipelines []op.Operator) bool {
	return c.Readers > 1 && (c.Parallelism > 0 || !slices.ContainsFunc(pipelines, looksUp))
}

func looksUp(pipeline op.Operator) bool { return scan.BaseOf(pipeline).LooksUp() }

// Starts reports whether reading the pipelines in parts pays off. Pipelines with joins, whose parts
// are the same rows of several tables, are divided before anything is read, as branches are.
func (c *Exchange) Starts(x *op.Frame) (bool, error) {
	s := c.pipelines[0]
	if len(c.pipelines) > 1 {
		e, known := sizeOf(c.pipelines)
		large := c.at == 0 || known && e.Stored >= c.at
		c.at = 0
		return large, nil
	}
	if !HasJoin(s) {
		return true, nil
	}
	if c.at > 0 && !even(s, c.at) {
		return false, nil
	}
	c.at = 0
	chained := false
	var err error
	c.ahead, err = x.Apart(func() (err error) {
		c.built, chained, err = chainedJoins(s)
		return err
	})
	if !chained || err != nil { // what has been read is not read again
		x.Tell(c.ahead)
	}
	return chained, err
}

// Begin makes the first part, which is all of the first pipeline's scan until it is divided.
func (c *Exchange) Begin() {
	c.Parts = nil
	c.addAll(c.pipelines[0]).Warnings = c.built
	c.order = c.Parts
}

// addAll adds a part that is a whole pipeline's scan.
func (c *Exchange) addAll(pipeline op.Operator) *scan.PartRun {
	all := scan.BaseOf(pipeline).StoreScan
	all.Parallel = 0
	if c.AnyOrder {
		all.Ordered, all.Reverse = false, false
	}
	return c.add(pipeline, &all)
}

func (c *Exchange) add(pipeline op.Operator, cells *kv.Scan) *scan.PartRun {
	part := c.NewPart(pipeline, cells)
	c.Parts = append(c.Parts, part)
	return part.Run()
}

// Read reads all parts. If a part keeps too much or one of its rows fails, failed is true: one
// goroutine must then read all rows again, to find the first row that fails, and to report the
// warnings of the rows before it.
func (c *Exchange) Read(x *op.Frame) (failed bool, err error) {
	return c.settle(x, c.readParts(x.Context.Ctx))
}

// settle closes the parts if all rows must be read again.
func (c *Exchange) settle(x *op.Frame, err error) (failed bool, _ error) {
	if err == nil || !mysqlerr.IsOne(err) && !errors.Is(err, ErrTooMuch) {
		return false, err
	}
	x.Tell(c.ahead)
	return true, c.Close()
}

func (c *Exchange) readParts(ctx context.Context) error {
	defer c.wait.Wait()
	first := c.Parts[0].Run()
	c.begin(first.Scan.X.Context, ctx)
	first.Within(c.within)
	if c.at == 0 {
		if err := c.divide(); err != nil {
			return err
		}
	}
	first.Scan.Watch = c.watch
	c.work()
	return c.end(ctx)
}

// begin makes the context of the parts, for use until Close.
func (c *Exchange) begin(like *op.Context, ctx context.Context) {
	own := *like
	own.Ctx, c.cancel = context.WithCancel(ctx)
	c.within = &own
}

// end waits for the other goroutines.
func (c *Exchange) end(ctx context.Context) error {
	c.wait.Wait()
	c.order = nil // and with it what parts have kept
	return c.firstError(ctx)
}

// Attach divides the rest of a part that is being read, and starts the other goroutines with it. It
// returns false, and has no effect, if there is nothing to divide. Errors are those of the store,
// and cancellation.
func (c *Exchange) Attach(reading Part) (bool, error) {
	c.Parts = []Part{reading}
	s := reading.Run().Scan
	c.begin(s.X.Context, s.X.Context.Ctx)
	c.taken.Store(1)
	if err := c.divide(); err != nil {
		return true, err
	}
	if len(c.Parts) == 1 {
		c.cancel()
		return false, nil
	}
	s.Watch = func(int64) error { return c.within.Ctx.Err() } // another part's error ends this one
	return true, nil
}

// Finish helps to read what Attach has divided, after the part that was being read has ended with
// this error. Its results are those of Read.
func (c *Exchange) Finish(x *op.Frame, ended error) (failed bool, err error) {
	c.Parts[0].Run().Err = ended
	if ended == nil {
		c.workBehind(c.Parts[0])
	} else {
		c.cancel()
	}
	return c.settle(x, c.end(x.Context.Ctx))
}

// watch counts the cells that the first part reads, and divides the rest once there are many.
func (c *Exchange) watch(cells int64) error {
	if c.looked += cells; len(c.Parts) > 1 || c.at == 0 || c.looked < c.at {
		return nil
	}
	c.at = 2 * c.looked // if there was nothing to divide
	return c.divide()
}

// divide makes parts of the rest of the first one, and of the other pipelines, and starts the other
// goroutines. Cursors are opened here, because a transaction is not safe for concurrent use.
func (c *Exchange) divide() error {
	if c.divides != nil && c.Count > 1 {
		if err := c.divides(); err != nil {
			return err
		}
	}
	first := c.Parts[0].Run()
	if err := c.dividePart(c.pipelines[0], first); err != nil {
		return err
	}
	for _, pipeline := range c.pipelines[1:] {
		all := c.addAll(pipeline)
		all.Within(c.within)
		if err := c.dividePart(pipeline, all); err != nil {
			return err
		}
	}
	c.order = inSizeOrder(c.Parts)
	for range min(c.Count, len(c.Parts)) - 1 {
		c.wait.Go(c.work)
	}
	return nil
}

// dividePart makes parts of the rest of one.
func (c *Exchange) dividePart(pipeline op.Operator, of *scan.PartRun) error {
	parts := 1
	if c.Count > 1 {
		parts = max(2, partsEach*c.Count/len(c.pipelines))
	}
	scans, err := of.Scan.Divide(parts)
	if err != nil {
		return err
	}
	if len(scans) > 0 {
		for _, s := range of.Others {
			s.Tables = nil // nothing is left of a pipeline that has not been read
		}
	}
	for i := range scans {
		part := c.add(pipeline, &scans[i])
		part.Within(c.within)
		if err := part.OpenCursors(); err != nil {
			return err
		}
	}
	return nil
}

// inSizeOrder returns the first part, which is being read, followed by the others, the largest
// first, so that no goroutine waits long for the last.
func inSizeOrder(parts []Part) []Part {
	parts = slices.Clone(parts)
	size := func(p Part) uint64 { return p.Run().Cells.Size }
	slices.SortStableFunc(parts[1:], func(a, b Part) int { return cmp.Compare(size(b), size(a)) })
	return parts
}

// work reads parts until none is left.
func (c *Exchange) work() { c.workBehind(nil) }

// workBehind is work for a goroutine that has read a part before.
func (c *Exchange) workBehind(before Part) {
	for {
		i := int(c.taken.Add(1)) - 1
		if i >= len(c.order) {
			return
		}
		part := c.order[i]
		run := part.Run()
		if run.Err = caught.Do(func() error { return part.ReadAll(before) }); run.Err != nil {
			c.cancel()
			return
		}
		before = part
	}
}

// firstError returns the error of the first part that did not end only because another one failed.
func (c *Exchange) firstError(ctx context.Context) error {
	var cancelled error
	for _, each := range c.Parts {
		err := each.Run().Err
		if err != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
			cancelled = err
			continue
		}
		if err != nil {
			return err
		}
	}
	return cancelled
}

// Warn reports the warnings of all parts.
func (c *Exchange) Warn(x *op.Frame) {
	for _, each := range c.Parts {
		run := each.Run()
		run.Told = true
		x.Tell(run.Warnings)
	}
	if len(c.Parts[0].Run().Late) > 0 {
		c.warnLate(x)
	}
}

// warnLate reports the warnings of the right sides of joins.
func (c *Exchange) warnLate(x *op.Frame) {
	for i := range c.Parts[0].Run().Late {
		for _, each := range c.Parts {
			x.Tell(*each.Run().Late[i])
		}
	}
}

func (c *Exchange) Close() error {
	if c.cancel != nil {
		c.cancel()
		c.wait.Wait()
	}
	return op.CloseAll(c.Parts)
}

// Describe adds what the parts did to a step, whose first child was read in parts.
func (c *Exchange) Describe(out *explain.Step) { c.describeAt(out, out.Steps[0]) }

// describeAt is Describe with the step that was read in parts.
func (c *Exchange) describeAt(out, read *explain.Step) {
	out.Add("workers", strconv.Itoa(c.Count))
	for _, each := range c.Parts {
		if source := each.Run().Source; source != nil {
			scan.AddWork(read, source)
		}
	}
}

// Large reports whether pipelines have so many cells that reading them in batches or on several
// goroutines pays off. Preparing these costs more than reading a few rows.
func Large(c *op.Context, pipelines []op.Operator) bool {
	switch {
	case len(pipelines) == 0:
		return false
	case c.Parallelism > 0:
		return true
	case slices.ContainsFunc(pipelines, looksUp):
		return false
	}
	e, known := sizeOf(pipelines)
	return known && e.Stored >= SmallScan
}
