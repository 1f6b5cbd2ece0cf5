package agg

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/grouping"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Rollup is an Aggregate that also combines groups with equal first keys into super groups: GROUP
// BY ... WITH ROLLUP. In the row of such a super group the remaining keys are NULL; the row follows
// those of its groups. The groups are in the order of their keys.
type Rollup struct {
	*Aggregate
	// Levels are the numbers of the keys, in the order of GROUP BY. A key may be repeated.
	Levels    []int
	Groupings []Grouping
}

// Grouping is a call of GROUPING(): its arguments' positions in Levels, and the frame's column for
// its result, which has a bit for each argument that is rolled up in a row.
type Grouping struct {
	Levels []int
	Slot   int
}

// rollup reads groups in memory and rows in the order of their keys, and has one open super group
// for each number of keys, from 0 on. For most aggregates, a complete group's state is added to the
// group above it; aggregates that remember their rows, or cannot be combined, add the rows
// themselves to each super group.
type rollup struct {
	*groups
	node   *Rollup
	below  op.Operator
	hash   *hashGroups // below, or its replacement; nil if rows are in order
	ready  bool
	tables []*grouping.Table    // the groups in memory
	all    []rowmem.KeyID       // in order
	rows   orderedRows          // of groups that are not, or only partly, in memory
	sortBy spill.Keys           // by the keys of groups
	supers [][]*aggregate.State // by the number of their keys
	opened int                  // number of open super groups
	last   spill.RowBuffer      // keys and captured columns of the previous group
	apart  []bool               // aggregates that add the rows to each super group
	given  int64
	firsts [2][]value.Value // of groups in memory that are being compared
}

func (n *Rollup) Open(x *op.Frame, _ op.Desired) (op.Operator, op.Provided, error) {
	agg, child, g, err := n.Aggregate.openRows(x, op.Desired{Order: n.orderOfRows()})
	if err != nil {
		return nil, op.Provided{}, err
	}
	r := &rollup{node: n, supers: make([][]*aggregate.State, len(n.Levels)), sortBy: rowmem.ByColumns(0, len(agg.Keys))}
	for _, a := range agg.Aggs {
		r.apart = append(r.apart, a.Agg.Grows() || !a.Agg.Includable())
	}
	if g.Ordered && n.orderOfRows() != nil {
		r.stream(agg.Stream(x, child))
	} else {
		r.gather(agg.hash(x, child))
	}
	return r, op.Provided{}, nil
}

// orderOfRows returns the order of the keys if the store may have it.
func (n *Rollup) orderOfRows() (order []ordering.Key) {
	plain := false
	for _, k := range n.Keys {
		_, column := k.Node.(*expr.Column)
		plain = plain || column
		order = append(order, ordering.Key{Expr: k.Node})
	}
	if !plain {
		return nil
	}
	return order
}

// stream reads rows that are in order, and keeps none.
func (r *rollup) stream(s *StreamGroups) {
	r.groups, r.below = &s.groups, s
	r.rows = &streamRows{groups: r.groups}
}

// gather makes groups first, to be sorted.
func (r *rollup) gather(h *hashGroups) {
	h.sorted = true
	h.full = slices.ContainsFunc(h.Aggs, func(a AggSlot) bool { return !a.Agg.Includable() })
	r.groups, r.hash = &h.groups, h
	r.below = h.share(op.Desired{})
}

func (r *rollup) Next(int) (*kernel.Batch, error) {
	if err := r.prepare(); err != nil {
		return nil, err
	}
	keys := r.ahead()
	if r.opened > r.keeps(keys) {
		r.opened--
		return op.Single(true, r.giveSuper(r.opened))
	}
	if keys == nil {
		return nil, nil
	}
	return op.Single(true, r.giveGroup(keys))
}

// prepare reads all rows that are not in order, once.
func (r *rollup) prepare() error {
	if r.ready {
		return nil
	}
	if r.hash != nil {
		if err := r.sortGroups(); err != nil {
			return err
		}
	}
	err := r.stepRows()
	r.ready = err == nil
	return err
}

// sortGroups sorts the groups in memory.
func (r *rollup) sortGroups() error {
	p, err := r.readGroups()
	if err != nil {
		return err
	}
	if p != nil {
		r.tables, r.all, p.groups = p.union.Tables, p.groups, nil
	} else {
		r.tables = []*grouping.Table{r.hash.table}
		for _, g := range r.hash.all {
			r.all = append(r.all, rowmem.KeyID{Number: g})
		}
		r.hash.all = nil
	}
	r.memory.Hold = false
	if r.hash.rest != nil {
		r.rows = &restRows{Overflow: r.hash.rest, Shape: r.hash.shape, env: r.hash.child.Env()}
	}
	m := cancelcheck.Meter{Ctx: r.x.Context.Ctx}
	return cancelcheck.Sort(&m, r.all, func(a, b rowmem.KeyID) int {
		return r.sortBy.Compare(r.keysOf(0, a), r.keysOf(1, b))
	})
}

// readGroups reads all rows. It returns the parallel aggregation that did, or nil if one goroutine
// did.
func (r *rollup) readGroups() (*parallelGroups, error) {
	if p, parts := r.below.(*parallelGroups); parts {
		if err := p.prepare(); err != nil || !p.fellBack {
			return p, err
		}
	}
	err := r.hash.prepare()
	return r.hash.shared.parts, err
}

// firstOf returns what a group in memory keeps of its first row, in one of two buffers.
func (r *rollup) firstOf(which int, g rowmem.KeyID) []value.Value {
	r.firsts[which] = r.tables[g.Table].First(r.firsts[which][:0], g.Number)
	return r.firsts[which]
}

func (r *rollup) keysOf(which int, g rowmem.KeyID) []value.Value {
	return r.firstOf(which, g)[len(r.Captured):]
}

// stepRows moves to the next row of groups that are not in memory.
func (r *rollup) stepRows() error {
	if r.rows == nil {
		return nil
	}
	return cmp.Or(r.rows.Step(), r.x.Tick())
}

// rowKeys returns the keys of the next row, or nil after the last.
func (r *rollup) rowKeys() []value.Value {
	if r.rows == nil {
		return nil
	}
	return r.rows.present()
}

// ahead returns the keys of the next group, or nil after the last.
func (r *rollup) ahead() []value.Value {
	keys := r.rowKeys()
	if len(r.all) == 0 {
		return keys
	}
	if first := r.keysOf(0, r.all[0]); keys == nil || r.sortBy.Compare(first, keys) <= 0 {
		return first
	}
	return keys
}

// keeps returns the number of open super groups to which the next group belongs.
func (r *rollup) keeps(keys []value.Value) int {
	if keys == nil || r.opened == 0 {
		return 0
	}
	return 1 + slices.IndexFunc(r.node.Levels, func(k int) bool { return value.Order(keys[k], r.last.Row[k]) != 0 })
}

// giveGroup copies the next group into the frame, and adds it to the open super groups.
func (r *rollup) giveGroup(keys []value.Value) error {
	for ; r.opened < len(r.supers); r.opened++ {
		r.supers[r.opened] = r.newStates()
	}
	states, err := r.take(keys)
	if err = cmp.Or(err, r.x.Tick()); err != nil {
		return err
	}
	return r.give(len(r.node.Levels), states)
}

// take takes the next group from memory, and adds its following rows.
func (r *rollup) take(keys []value.Value) (states []*aggregate.State, err error) {
	if len(r.all) > 0 && r.sortBy.Compare(r.keysOf(0, r.all[0]), keys) == 0 {
		g := r.all[0]
		r.all = r.all[1:]
		first := r.firstOf(0, g)
		r.note(first[len(r.Captured):], first[:len(r.Captured)])
		states = r.tables[g.Table].StatesOf(g.Number)
		err = r.includeApart(states)
	} else {
		r.note(keys, r.rows.captured())
		states = r.newStates()
	}
	for err == nil && r.isOfLast(r.rowKeys()) {
		if err = r.addRow(states); err == nil {
			err = r.stepRows()
		}
	}
	return states, err
}

// isOfLast reports whether a row belongs to the group noted last.
func (r *rollup) isOfLast(keys []value.Value) bool {
	return keys != nil && r.sortBy.Compare(r.last.Row, keys) == 0
}

// note keeps what must be known of a group while the next one is read.
func (r *rollup) note(keys, first []value.Value) {
	r.last.Set(append(slices.Clip(keys), first...))
}

// includeApart adds a group in memory to all super groups, for aggregates that are apart.
func (r *rollup) includeApart(states []*aggregate.State) error {
	for _, super := range r.supers {
		for i, s := range states {
			if !r.apart[i] {
				continue
			}
			if err := super[i].Include(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// addRow adds a row to its group, and for aggregates that are apart to all super groups.
func (r *rollup) addRow(states []*aggregate.State) error {
	if err := r.rows.add(states, nil); err != nil || !slices.Contains(r.apart, true) {
		return err
	}
	for _, super := range r.supers {
		if err := r.rows.add(super, r.apart); err != nil {
			return err
		}
	}
	return nil
}

// giveSuper copies the super group with so many keys into the frame.
func (r *rollup) giveSuper(keys int) error {
	states := r.supers[keys]
	r.supers[keys] = nil
	return r.give(keys, states)
}

// give adds a complete group to the super group above it, and copies it into the frame.
func (r *rollup) give(level int, states []*aggregate.State) error {
	for i, s := range states {
		if level > 0 && !r.apart[i] {
			if err := r.supers[level-1][i].Include(s); err != nil {
				return err
			}
		}
	}
	n := len(r.keys)
	if err := r.emit(r.last.Row[:n], r.last.Row[n:], states); err != nil {
		return err
	}
	r.leaveOpen(level)
	r.given++
	return nil
}

// leaveOpen sets the keys that are rolled up to NULL, and the results of GROUPING().
func (r *rollup) leaveOpen(level int) {
	row := r.out.Row
	for i, k := range r.groups.Keys {
		if slices.Index(r.node.Levels, i) >= level {
			row[k.Slot] = value.Value{}
		}
	}
	for _, g := range r.node.Groupings {
		bits := uint64(0)
		for _, of := range g.Levels {
			bits <<= 1
			if of >= level {
				bits |= 1
			}
		}
		row[g.Slot] = value.NewInt(int64(bits))
	}
}

func (r *rollup) Close() (err error) {
	for _, g := range r.all {
		err = cmp.Or(err, r.tables[g.Table].CloseGroup(g.Number))
	}
	for _, states := range r.supers {
		err = cmp.Or(err, closeStates(states))
	}
	return cmp.Or(err, r.below.Close())
}

func (r *rollup) Step() *explain.Step {
	out := explain.NewStep("Rollup", r.below.Step())
	out.Filesort, out.Rows = r.hash != nil, r.given
	return out
}
