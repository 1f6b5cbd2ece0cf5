package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Rollup is an Aggregate that puts groups which agree in their first keys together again:
// GROUP BY ... WITH ROLLUP. The keys that such a super group leaves open are NULL in its
// row, which comes behind those that it is made of. The groups come in the order of their
// keys.
type Rollup struct {
	*Aggregate
	// Levels are the numbers of the keys, in the order of GROUP BY. A key may come again.
	Levels    []int
	Groupings []Grouping
}

// Grouping is a call of GROUPING(): its arguments' places in Levels, and the frame's column
// of its result, which has a bit for each argument that a row leaves open.
type Grouping struct {
	Levels []int
	Slot   int
}

// rollup reads the groups in the order of their keys, and has a super group open for each
// number of keys, from none on. Of most aggregates, what a group has come to is added to
// the one above it when it is complete; those that remember their rows, or cannot be put
// together, take the rows themselves in each.
type rollup struct {
	*groups
	node   *Rollup
	below  source
	hash   *hashGroups // below, or what it falls back to
	ready  bool
	tables []*groupTable     // the groups in memory
	all    []groupRef        // in order
	sortBy spill.Keys        // of the keys of groups
	rest   []value.Value     // the next row of the groups that are not in memory, or nil
	supers [][]expr.AggState // by how many keys they have
	opened int               // how many of them are open
	last   spill.RowBuffer   // keys and captured columns of the group before
	apart  []bool            // of aggregates that take the rows in each super group
	given  int64
}

func (n *Rollup) open(x *frame, _ request) (source, grant, error) {
	agg, child, _, err := n.Aggregate.openRows(x, request{})
	if err != nil {
		return nil, grant{}, err
	}
	h := agg.hash(x, child)
	h.sorted = true
	r := &rollup{groups: &h.groups, node: n, hash: h, supers: make([][]expr.AggState, len(n.Levels)),
		sortBy: keysFrom(0, len(agg.Keys))}
	for _, a := range agg.Aggs {
		h.full = h.full || !a.Agg.Includable()
		r.apart = append(r.apart, a.Agg.Grows() || !a.Agg.Includable())
	}
	r.below = agg.parallel(x, h, &h.groups, request{})
	return r, grant{}, nil
}

func (r *rollup) next() (bool, error) {
	if err := r.prepare(); err != nil {
		return false, err
	}
	keys := r.ahead()
	if r.opened > r.keeps(keys) {
		r.opened--
		return true, r.giveSuper(r.opened)
	}
	if keys == nil {
		return false, nil
	}
	return true, r.giveGroup(keys)
}

// prepare reads all rows, once.
func (r *rollup) prepare() error {
	if r.ready {
		return nil
	}
	p, parts := r.below.(*parallelGroups)
	if parts {
		if err := p.prepare(); err != nil {
			return err
		}
	}
	if parts && !p.fellBack {
		r.tables, r.all, p.groups = p.tables, p.groups, nil
	} else {
		if err := r.hash.prepare(); err != nil {
			return err
		}
		r.tables = []*groupTable{r.hash.table}
		for _, g := range r.hash.all {
			r.all = append(r.all, groupRef{group: g})
		}
		r.hash.all = nil
	}
	m := steps.Meter{Ctx: r.x.c.Ctx}
	err := steps.Sort(&m, r.all, func(a, b groupRef) int { return r.sortBy.Compare(r.keysOf(a), r.keysOf(b)) })
	err = firstError(err, r.stepRest())
	r.memory.Hold, r.ready = false, err == nil
	return err
}

// firstOf is what a group in memory keeps of its first row.
func (r *rollup) firstOf(g groupRef) []value.Value { return r.tables[g.table].first(g.group) }

func (r *rollup) keysOf(g groupRef) []value.Value { return r.firstOf(g)[len(r.Captured):] }

// stepRest goes on to the next row of the groups that are not in memory.
func (r *rollup) stepRest() (err error) {
	if r.hash.rest != nil {
		r.rest, err = r.hash.rest.rows.Next()
	}
	return firstError(err, r.x.tick())
}

// ahead are the keys of the next group, nil behind the last.
func (r *rollup) ahead() []value.Value {
	var keys []value.Value
	if len(r.all) > 0 {
		keys = r.keysOf(r.all[0])
	}
	if r.rest == nil || keys != nil && r.sortBy.Compare(keys, r.restKeys()) <= 0 {
		return keys
	}
	return r.restKeys()
}

func (r *rollup) restKeys() []value.Value { return r.rest[restKeys : restKeys+len(r.keys)] }

// keeps is how many super groups the next group is of, too.
func (r *rollup) keeps(keys []value.Value) int {
	if keys == nil || r.opened == 0 {
		return 0
	}
	return 1 + slices.IndexFunc(r.node.Levels, func(k int) bool { return value.Order(keys[k], r.last.Row[k]) != 0 })
}

// giveGroup puts the next group into the frame, and adds it to what is open.
func (r *rollup) giveGroup(keys []value.Value) error {
	for ; r.opened < len(r.supers); r.opened++ {
		r.supers[r.opened] = r.newStates()
	}
	states, err := r.take(keys)
	if err = firstError(err, r.x.tick()); err != nil {
		return err
	}
	return r.give(len(r.node.Levels), states)
}

// take takes the next group out of memory and the rest of it out of files.
func (r *rollup) take(keys []value.Value) (states []expr.AggState, err error) {
	if len(r.all) > 0 && r.sortBy.Compare(r.keysOf(r.all[0]), keys) == 0 {
		g := r.all[0]
		r.all = r.all[1:]
		r.note(r.keysOf(g), r.firstOf(g)[:len(r.Captured)])
		states = r.tables[g.table].statesOf(g.group)
		err = r.includeApart(states)
	} else {
		r.note(keys, r.rest[restKeys+len(keys):][:len(r.Captured)])
		states = r.newStates()
	}
	for err == nil && r.rest != nil && r.sortBy.Compare(r.last.Row, r.restKeys()) == 0 {
		if err = r.addRow(states); err == nil {
			err = r.stepRest()
		}
	}
	return states, err
}

// note keeps what is to be known of a group while the next one is read.
func (r *rollup) note(keys, first []value.Value) {
	r.last.Set(append(slices.Clip(keys), first...))
}

// includeApart adds a group in memory to all super groups, of aggregates that take rows in
// each.
func (r *rollup) includeApart(states []expr.AggState) error {
	for i, s := range states {
		if err := r.addApart(i, func(super expr.AggState) error { return super.Include(s) }); err != nil {
			return err
		}
	}
	return nil
}

// addApart adds to all super groups, where the aggregate takes rows in each.
func (r *rollup) addApart(i int, add func(super expr.AggState) error) error {
	if !r.apart[i] {
		return nil
	}
	for _, super := range r.supers {
		if err := add(super[i]); err != nil {
			return err
		}
	}
	return nil
}

// addRow adds a row of files to its group, and where it is taken in each to all super groups.
func (r *rollup) addRow(states []expr.AggState) error {
	env := r.child.env()
	return r.hash.rest.eachArgs(r.rest, func(i int, args []value.Value) error {
		if err := states[i].AddArgs(env, args); err != nil {
			return err
		}
		return r.addApart(i, func(super expr.AggState) error { return super.AddArgs(env, args) })
	})
}

// giveSuper puts the super group of so many keys into the frame.
func (r *rollup) giveSuper(keys int) error {
	states := r.supers[keys]
	r.supers[keys] = nil
	return r.give(keys, states)
}

// give adds a complete group to the super group above it and puts it into the frame.
func (r *rollup) give(level int, states []expr.AggState) error {
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

// leaveOpen makes the keys NULL that a row leaves open, and says so.
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

func (r *rollup) close() (err error) {
	for _, g := range r.all {
		err = firstError(err, r.tables[g.table].close(g.group))
	}
	for _, states := range r.supers {
		err = firstError(err, closeStates(states))
	}
	return firstError(err, r.below.close())
}

func (r *rollup) step() *Step {
	out := NewStep("Rollup", r.below.step())
	out.Filesort, out.Rows = true, r.given
	return out
}
