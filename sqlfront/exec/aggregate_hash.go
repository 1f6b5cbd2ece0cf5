package exec

import (
	"bytes"
	"errors"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// hashGroups aggregates rows whose groups come in any order; it gives the
// groups in the order of their first rows.
//
// Where memory is used up it makes no more groups: the rows of others go to
// rest, whose first rows all come later. Rows of the groups in memory are added
// to them still, but for the states that remember each row: what these need
// goes to the backlog, and is added when the group is given.
type hashGroups struct {
	groups
	byKey   *groupTable
	all     []*group
	kept    spill.Arena
	bytes   int // of the groups, without what their states remember
	full    bool
	growing bool
	backlog *backlog
	rest    *restGroups
	ready   bool
	given   int
	batch   *hashBatches  // nil where rows are added one by one
	columns *groupBatches // nil where nobody reads batches of groups

	key []byte // of the present row
	// inMemory makes it an error where memory is used up.
	inMemory bool
	// rowAt is the frame's column of K where groups are to know that of their
	// first row, else -1.
	rowAt int
	// part is the number of that which the rows are of.
	part int
	// sorted is set where the groups are put together in the order of their keys: where
	// memory is used up, rest has the rows in that order.
	sorted bool
}

// errTooManyGroups ends a part whose groups do not fit into memory.
var errTooManyGroups = errors.New("the groups do not fit into memory")

// group is a group of rows while they are read.
type group struct {
	number int
	key    []byte        // of the rows, in the memory of the table
	row    []byte        // K of the first row, where it is asked for
	keys   []value.Value // nil where no column of the result has them
	first  []value.Value // of the captured columns
	states []expr.AggState
	part   int      // that of the first row
	place  int32    // among the groups of a batch, -1 for none
	alike  []*group // those of later parts with the same keys
}

func (n *Aggregate) hash(x *frame, child source) *hashGroups {
	h := &hashGroups{groups: n.newGroups(x, child), byKey: &groupTable{}, growing: n.grows(), rowAt: -1}
	h.memory.Hold = true
	return h
}

func (h *hashGroups) next() (bool, error) {
	if err := h.prepare(); err != nil {
		return false, err
	}
	if h.columns.next(h.out.Row) {
		return true, nil
	}
	if h.given < len(h.all) {
		return true, h.nextGroup()
	}
	if h.rest == nil {
		return false, nil
	}
	h.memory.Grow(-h.bytes)
	h.bytes, h.all, h.given, h.byKey, h.kept = 0, nil, 0, nil, spill.Arena{}
	return h.rest.next()
}

// prepare reads all rows, once.
func (h *hashGroups) prepare() error {
	if h.ready {
		return nil
	}
	err := h.readAll()
	if err == nil {
		err = h.endOfRows()
	}
	h.ready = err == nil
	return err
}

// nextGroup puts the next group in memory into the frame.
func (h *hashGroups) nextGroup() error {
	g := h.all[h.given]
	h.all[h.given] = nil
	h.given++
	if h.backlog != nil {
		if err := h.backlog.addTo(g, h.child.env()); err != nil {
			return err
		}
	}
	return h.emit(g.keys, g.first, g.states)
}

// readAll aggregates all rows.
func (h *hashGroups) readAll() error {
	h.startBatches()
	for {
		if err := h.readBatches(); err != nil {
			return err
		}
		if h.full && h.inMemory {
			return errTooManyGroups
		}
		if ok, err := h.readRow(); !ok || err != nil {
			return err
		}
	}
}

// readRow aggregates the next row and reports whether there is one.
func (h *hashGroups) readRow() (bool, error) {
	ok, err := h.child.next()
	if !ok || err != nil {
		return false, err
	}
	if err := h.x.tick(); err != nil {
		return false, err
	}
	if err := h.readKeys(); err != nil {
		return false, err
	}
	h.key = appendKey(h.key[:0], h.keys)
	for times := h.timesToAdd(); times > 0; times-- {
		if err := h.addRow(h.key); err != nil {
			return false, err
		}
	}
	return true, nil
}

// timesToAdd is how often to add the present row: where it may go to a file,
// once for each row that it stands for.
func (h *hashGroups) timesToAdd() int64 {
	if h.tally == nil || !h.full {
		return 1
	}
	times := h.tally.times
	h.tally.times = 1
	return times
}

// addRow adds the present row, whose grouping expressions have that key.
func (h *hashGroups) addRow(key []byte) error {
	g := h.known(key)
	switch {
	case h.full && h.inMemory:
		return errTooManyGroups
	case h.full && (g == nil || h.sorted && h.growing):
		if h.rest == nil {
			h.rest = h.newRest()
		}
		return h.rest.add(key)
	case g == nil:
		g = h.newGroup(key)
	case h.full && h.growing:
		if h.backlog == nil {
			h.backlog = newBacklog(h.x)
		}
		return h.backlog.add(g, h.Aggs, h.child.env())
	}
	if err := h.add(g.states); err != nil {
		return err
	}
	h.full = h.full || h.memory.Full()
	return nil
}

// known is the group of the present row, nil where there is none yet.
func (h *hashGroups) known(key []byte) *group {
	if len(h.keys) == 0 && len(h.all) == 1 {
		return h.all[0]
	}
	g := h.byKey.find(key)
	if g != nil && g.part > h.part {
		h.begin(g)
	}
	return g
}

// begin has the present row be the first of a group, which may be known of a later part.
func (h *hashGroups) begin(g *group) {
	g.part, g.first = h.part, h.kept.Clone(h.capturedNow())
	if h.givesKeys() {
		g.keys = h.kept.Clone(h.keys)
	}
	if h.rowAt >= 0 {
		g.row = bytes.Clone(h.child.env().Row[h.rowAt].Raw())
	}
	h.all = append(h.all, g)
}

// groupOverhead and stateOverhead are about what a group and each of its
// states take beside their values, in bytes.
const (
	groupOverhead = 160
	stateOverhead = 160
)

// newGroup starts a group with the present row.
func (h *hashGroups) newGroup(key []byte) *group {
	g, _ := h.byKey.findOrAdd(key)
	h.start(g)
	return g
}

// start is newGroup of one that the table has made.
func (h *hashGroups) start(g *group) {
	g.states = h.newStates()
	h.begin(g)
	size := groupOverhead + len(g.key) + len(g.row) + spill.Size(g.keys) + spill.Size(g.first) + stateOverhead*len(g.states)
	h.bytes += size
	h.memory.Grow(size)
}

// endOfRows prepares what is in temporary files. From now on there are the
// rows of one group at a time to remember.
func (h *hashGroups) endOfRows() error {
	h.memory.Hold = false
	if h.backlog != nil {
		if err := h.backlog.rows.Sort(); err != nil {
			return err
		}
	}
	if h.rest != nil {
		return h.rest.rows.Sort()
	}
	return nil
}

func (h *hashGroups) close() error {
	var errs []error
	for _, g := range h.all[h.given:] {
		errs = append(errs, closeStates(g.states))
	}
	if h.backlog != nil {
		errs = append(errs, h.backlog.rows.Close())
	}
	if h.rest != nil {
		errs = append(errs, h.rest.close())
	}
	return firstError(append(errs, h.groups.close())...)
}
