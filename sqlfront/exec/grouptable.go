package exec

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// groupTable is groups by the keys of their rows. All that they have is in columns, by the
// groups' numbers.
type groupTable struct {
	memory *expr.Memory
	keys   spill.KeyTable
	places []place // of their first rows
	// firsts are what is kept of their first rows: the captured columns, and behind them the
	// keys, where a column of the result has them. width is how many these are.
	firsts spill.Grid
	width  int
	// rows are the K of their first rows, where they are asked for.
	rows   [][]byte
	states []expr.AggColumn
	size   int // of a group, but for what differs
}

// groupOverhead is about what a group takes beside its key, its values and its states, in
// bytes.
const groupOverhead = 80

func (n *Aggregate) newTable(m *expr.Memory) *groupTable {
	t := &groupTable{memory: m, width: n.keptWidth(), size: groupOverhead}
	for _, a := range n.Aggs {
		c := a.Agg.NewColumn(m)
		t.states, t.size = append(t.states, c), t.size+c.Size()
	}
	return t
}

// place is that of a row in the order of the scan: its part, and how many have begun groups in
// that or have gone to files before.
type place int64

const placeBits = 40

func placeIn(part int32, count int64) place { return place(int64(part)<<placeBits | count) }

func (p place) part() int32 { return int32(p >> placeBits) }

// add makes a group of a key that has just been added, which begins with a row.
func (t *groupTable) add(key []byte, first []value.Value, row []byte, at place) (size int) {
	t.places = append(t.places, at)
	t.firsts.Add(first)
	size = t.size + len(key)
	if len(first) > 0 {
		size += spill.Size(first)
	}
	if row != nil {
		t.rows = append(t.rows, bytes.Clone(row))
		size += len(row)
	}
	for _, c := range t.states {
		c.Grow()
	}
	t.memory.Grow(size)
	return size
}

// begin has a group begin with another row, an earlier one.
func (t *groupTable) begin(group int32, first []value.Value, row []byte, at place) {
	t.places[group] = at
	t.firsts.Set(int(group), first)
	if row != nil {
		t.rows[group] = bytes.Clone(row)
	}
}

// first is what is kept of a group's first row.
func (t *groupTable) first(group int32) []value.Value { return t.firsts.Row(int(group), t.width) }

// combine takes the rows of a group of another table.
func (t *groupTable) combine(group int32, other *groupTable, of int32) error {
	for i, c := range t.states {
		if err := c.Combine(group, other.states[i], of); err != nil {
			return err
		}
	}
	return nil
}

// statesOf are those of a group, by themselves.
func (t *groupTable) statesOf(group int32) []expr.AggState {
	out := make([]expr.AggState, len(t.states))
	for i, c := range t.states {
		out[i] = c.State(group)
	}
	return out
}

// close gives up what a group remembers.
func (t *groupTable) close(group int32) (first error) {
	for _, c := range t.states {
		first = firstError(first, c.Close(group))
	}
	return first
}

// emitOf puts a group of a table into the frame. Its states are over then.
func (g *groups) emitOf(t *groupTable, group int32) error {
	first := t.first(group)
	g.place(first[len(g.Captured):], first)
	for i, a := range g.Aggs {
		v, err := t.states[i].Result(group)
		if err != nil {
			return err
		}
		g.out.Row[a.Slot] = v
	}
	return nil
}
