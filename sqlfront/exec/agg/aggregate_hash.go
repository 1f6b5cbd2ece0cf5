package agg

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/grouping"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// hashGroups aggregates rows in any order, and returns the groups in the order of their first rows.
//
// When memory is used up it makes no more groups: the rows of others go to rest, and their first
// rows all come later. Rows of the groups in memory are still added to them, except that arguments
// for states that remember each row go to the backlog, and are added when the group is returned.
type hashGroups struct {
	groups
	shape   *grouping.Shape
	table   *grouping.Table
	all     []int32 // in the order of their first rows
	bytes   int     // of the groups, without the rows that their states remember
	full    bool
	growing bool
	backlog *grouping.Backlog
	rest    *grouping.Overflow
	late    *grouping.Late // of rest
	ready   bool
	given   int
	batch   *hashBatches  // nil if rows are added one by one
	columns *groupBatches // nil unless batches of groups are read

	key []byte // of the current row
	// inMemory makes it an error if memory is used up.
	inMemory bool
	// rowAt is the frame's column of K if groups keep that of their first row, otherwise -1.
	rowAt int
	// part is the number of the part to which the rows belong.
	part  int32
	count int64 // number of the part's rows that have places
	// sorted is set if the groups are needed in the order of their keys: if memory is used up, rest
	// has the rows in that order.
	sorted bool
	shared sharing
}

func (n *Aggregate) hash(x *op.Frame, child op.Operator) *hashGroups {
	h := &hashGroups{}
	h.readFrom(n, x, child)
	return h
}

// readFrom prepares the grouping of a child's rows.
func (h *hashGroups) readFrom(n *Aggregate, x *op.Frame, child op.Operator) {
	h.groups, h.growing, h.rowAt = n.newGroups(x, child), n.of().grows, -1
	h.memory.Hold = true
	h.shape = n.of().shape
	h.table = grouping.NewTable(h.shape, &h.memory)
}

func (h *hashGroups) Next(want int) (*kernel.Batch, error) {
	if err := h.prepare(); err != nil {
		return nil, err
	}
	if h.shared.parts != nil {
		return h.shared.parts.Next(want)
	}
	if want > 1 {
		if b, err := h.nextBatch(); b != nil || err != nil {
			return b, err
		}
	}
	if h.columns.Next(h.out.Row) {
		return op.OneRow, nil
	}
	if h.given < len(h.all) {
		return op.Single(true, h.nextGroup())
	}
	if h.rest == nil {
		return nil, nil
	}
	return op.Single(h.nextLate())
}

// nextBatch returns groups in memory, or nil if they must be read one by one.
func (h *hashGroups) nextBatch() (*kernel.Batch, error) {
	if h.columns == nil {
		h.columns = groupColumns(h)
	}
	return h.columns.read(h.out.Row, min(len(h.all)-h.given, h.x.Context.BatchSize()), h.nextGroup)
}

// nextLate copies the next group with rows in files into the frame.
func (h *hashGroups) nextLate() (ok bool, err error) {
	if h.late == nil {
		h.memory.Grow(-h.bytes)
		h.bytes, h.all, h.given, h.table = 0, nil, 0, nil
		if h.late, err = h.makeLate(grouping.NewUnion(nil), h.rest); err != nil {
			return false, err
		}
	}
	g, ok, err := h.late.Next()
	if ok {
		h.emitLate(g)
	}
	return ok, err
}

// makeLate makes groups of rows in files, on all processors.
func (g *groups) makeLate(known *grouping.Union, rests ...*grouping.Overflow) (*grouping.Late, error) {
	return grouping.NewLate(&g.x.Stmt.Space, g.x.Context.Readers, &g.x.Env, known, rests...)
}

// prepare reads all rows, once.
func (h *hashGroups) prepare() error {
	if h.ready {
		return nil
	}
	err := h.readShared()
	if err == nil && h.shared.parts == nil {
		err = h.endOfRows()
	}
	h.ready = err == nil
	return err
}

// nextGroup copies the next group in memory into the frame.
func (h *hashGroups) nextGroup() error {
	g := h.all[h.given]
	h.given++
	if h.backlog != nil {
		if err := h.backlog.AddTo(h.child.Env(), g); err != nil {
			return err
		}
	}
	return h.emitOf(h.table, g)
}

// readAll aggregates all rows.
func (h *hashGroups) readAll() error {
	h.child.ReadFor(h)
	for {
		if err := h.readBatches(); err != nil {
			return err
		}
		if h.full && h.inMemory {
			return pipeline.ErrTooMuch
		}
		if ok, err := h.readRow(); !ok || err != nil {
			return err
		}
	}
}

// readRow aggregates the next row and reports whether there is one.
func (h *hashGroups) readRow() (bool, error) {
	ok, err := h.child.Row(op.AllRows)
	if !ok || err != nil {
		return false, err
	}
	if err := h.x.Tick(); err != nil {
		return false, err
	}
	held := h.child.Env().Held
	mark := held.Mark()
	err = h.takeRow()
	held.Release(mark)
	return err == nil, err
}

// takeRow aggregates the current row.
func (h *hashGroups) takeRow() error {
	if err := h.readKeys(); err != nil {
		return err
	}
	h.key = value.AppendKeys(h.key[:0], h.keys)
	for times := h.timesToAdd(); times > 0; times-- {
		if err := h.addRow(h.key); err != nil {
			return err
		}
	}
	return nil
}

// timesToAdd returns how often to add the current row: if it may go to a file, once for each cell
// for which it counts.
func (h *hashGroups) timesToAdd() int64 {
	if h.runCount == nil || !h.full {
		return 1
	}
	times := h.runCount.Times
	h.runCount.Times = 1
	return times
}

// addRow adds the current row, whose grouping expressions have that key.
func (h *hashGroups) addRow(key []byte) error {
	g := h.known(key)
	switch {
	case h.full && h.inMemory:
		return pipeline.ErrTooMuch
	case h.full && (g == grouping.NoGroup || h.sorted && h.growing):
		return h.toRest(key)
	case g == grouping.NoGroup:
		number, _ := h.table.Keys.Add(key)
		g = int32(number)
		h.start(g, h.firstNow(), h.rowNow())
	case h.full && h.growing:
		if h.backlog == nil {
			h.backlog = grouping.NewBacklog(&h.x.Stmt.Space, h.table)
		}
		return h.backlog.Add(h.child.Env(), g)
	}
	if err := h.addTo(g); err != nil {
		return err
	}
	h.full = h.full || h.table.Memory.Full()
	return nil
}

// toRest adds the current row, whose grouping expressions have that key, to the rest.
func (h *hashGroups) toRest(key []byte) error {
	if h.rest == nil {
		h.rest = h.newRest()
	}
	return h.rest.Add(h.child.Env(), key, h.keys, h.capturedNow(), h.placeNow())
}

func (h *hashGroups) newRest() *grouping.Overflow {
	if h.sorted {
		return grouping.NewSortedOverflow(&h.x.Stmt.Space, h.shape)
	}
	return grouping.NewOverflow(&h.x.Stmt.Space, h.shape)
}

// addTo adds the current row to a group.
func (h *hashGroups) addTo(g int32) (err error) {
	env := h.child.Env()
	for _, c := range h.table.States {
		if h.runCount != nil {
			err = c.AddTimes(env, g, h.runCount.Times)
		} else {
			err = c.Add(env, g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// known returns the group of the current row. If only later parts have had the group, the row
// becomes its first.
func (h *hashGroups) known(key []byte) int32 {
	if len(h.keys) == 0 && len(h.all) == 1 {
		return h.all[0]
	}
	g := h.table.Find(key)
	if g != grouping.NoGroup && h.table.Places[g].Part() > h.part {
		h.Begin(g, h.firstNow(), h.rowNow())
	}
	return g
}

// firstNow returns what a group keeps of the current row, valid until the next call.
func (h *hashGroups) firstNow() []value.Value {
	first := h.capturedNow()
	if h.shape.KeepsKeys {
		first = append(first, h.keys...)
	}
	h.captured = first
	return first
}

// rowNow returns K of the current row, or nil if it is not needed.
func (h *hashGroups) rowNow() []byte {
	if h.rowAt < 0 {
		return nil
	}
	row := h.child.Env().Row[h.rowAt].Raw()
	if row == nil {
		return []byte{} // an empty row key
	}
	return row
}

// placeNow returns the place of the current row.
func (h *hashGroups) placeNow() grouping.Place {
	h.count++
	return grouping.PlaceIn(h.part, h.count)
}

// start starts a new group, and stores what it keeps of its first row.
func (h *hashGroups) start(g int32, first []value.Value, row []byte) {
	h.bytes += h.table.Add(h.table.Keys.Key(int(g)), first, row, h.placeNow())
	h.all = append(h.all, g)
}

// Begin replaces the first row of a group that a later part has begun.
func (h *hashGroups) Begin(g int32, first []value.Value, row []byte) {
	h.table.Begin(g, first, row, h.placeNow())
	h.all = append(h.all, g)
}

// endOfRows prepares what is in temporary files. From now on, only one group at a time has rows to
// remember.
func (h *hashGroups) endOfRows() error {
	h.table.Memory.Hold = false
	if h.backlog != nil {
		if err := h.backlog.End(); err != nil {
			return err
		}
	}
	if h.rest != nil {
		return h.rest.End()
	}
	return nil
}

// closeGroups closes the groups. A table to which several parts add is closed by the part that made
// it, whose memory it uses.
func (h *hashGroups) closeGroups() error {
	if h.table == nil || h.table.Memory != &h.memory {
		return nil
	}
	return h.table.Close()
}

func (h *hashGroups) Close() error {
	if h.shared.parts != nil { // h is one of the parts
		return h.shared.parts.closeParts()
	}
	return h.giveUp()
}

// giveUp closes what it has read and what it reads.
func (h *hashGroups) giveUp() error {
	errs := []error{h.closeGroups()}
	if h.backlog != nil {
		errs = append(errs, h.backlog.Close())
	}
	if h.rest != nil {
		errs = append(errs, h.rest.Close())
	}
	if h.late != nil {
		errs = append(errs, h.late.Close())
	}
	return cmp.Or(append(errs, h.groups.Close())...)
}

func (h *hashGroups) Step() *explain.Step {
	out := h.describe("in memory", h.child.Step())
	if h.rest != nil || h.backlog != nil {
		out.AddSpilled()
	}
	out.Temporary, out.Memory = true, h.memory.Peak()
	if h.shared.parts != nil {
		h.shared.parts.describe(out)
	}
	return out
}
