package grouping

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Table has groups, found by the keys of their rows. It stores them in columns, indexed by the
// numbers of the groups.
type Table struct {
	// Memory accounts for the groups and for the rows that their states remember.
	Memory *aggregate.Memory
	Keys   rowmem.KeyTable
	// Places are those of the groups' first rows.
	Places []Place
	States []aggregate.Column

	shape *Shape
	// firsts are the captured values of the first rows, if these cannot be restored from the keys;
	// told are the keys from which they can.
	firsts rowmem.Grid
	told   []int
	// rows are the K of their first rows, if requested.
	rows [][]byte
	size int // estimated bytes of a group, without the variable parts
}

// NoGroup is returned instead of a group's number if there is no such group.
const NoGroup = rowmem.NoKey

// groupOverhead is about what a group takes besides its key, its values and its states, in bytes.
const groupOverhead = 64

// NewTable returns a table without groups.
func NewTable(s *Shape, m *aggregate.Memory) *Table {
	t := &Table{Memory: m, shape: s, told: s.told, size: groupOverhead}
	for _, a := range s.Aggs {
		c := aggregate.NewColumn(a, m)
		t.States, t.size = append(t.States, c), t.size+c.Size()
	}
	return t
}

// Find returns the group of a key, or NoGroup.
func (t *Table) Find(key []byte) int32 { return int32(t.Keys.Find(key)) }

// Add makes a group for the key that has just been added to Keys, and returns its size in bytes.
// first is what is kept of its first row, and row that row's K, or nil: the table copies both.
func (t *Table) Add(key []byte, first []value.Value, row []byte, at Place) (size int) {
	if size = t.size + len(key); !t.tells(first) {
		t.firsts.Add(first)
		size += spill.Size(first)
	}
	t.Places = append(t.Places, at)
	if row != nil {
		t.rows = append(t.rows, bytes.Clone(row))
		size += len(row)
	}
	for _, c := range t.States {
		c.Grow()
	}
	t.Memory.Grow(size)
	return size
}

// Begin replaces the first row of a group by an earlier one.
func (t *Table) Begin(group int32, first []value.Value, row []byte, at Place) {
	if t.Places[group] = at; !t.tells(first) {
		t.firsts.Set(int(group), first)
	}
	if row != nil {
		t.rows[group] = bytes.Clone(row)
	}
}

// tells reports whether the captured values of a group's first row can be restored from its key.
// Once a value's kind differs from its column's, all values are kept.
func (t *Table) tells(first []value.Value) bool {
	for i, at := range t.told {
		if v := &first[i]; !v.IsNull() && v.Kind() != t.shape.kinds[at] {
			t.keepAll()
			break
		}
	}
	return t.told != nil || len(first) == 0
}

// keepAll stores the values that the keys told, and all values from then on.
func (t *Table) keepAll() {
	var rows []value.Value
	for group := range t.Places {
		rows = t.First(rows[:0], int32(group))
		t.firsts.Add(rows)
	}
	t.told = nil
}

// First appends the values kept of a group's first row.
func (t *Table) First(dst []value.Value, group int32) []value.Value {
	if t.told == nil {
		return append(dst, t.firsts.Row(int(group), t.shape.Width())...)
	}
	var few [4]value.Value
	keys, text := few[:0], t.Keys.Key(int(group))
	for len(text) > 0 {
		var v value.Value
		v, text = value.ReadKey(text)
		keys = append(keys, v)
	}
	for _, at := range t.told {
		dst = append(dst, keys[at])
	}
	return dst
}

// RowOf returns K of a group's first row, which the caller must not change.
func (t *Table) RowOf(group int32) []byte { return t.rows[group] }

// StatesOf returns a group's states as separate ones.
func (t *Table) StatesOf(group int32) []*aggregate.State {
	out := make([]*aggregate.State, len(t.States))
	for i, c := range t.States {
		out[i] = c.State(group)
	}
	return out
}

// combine adds the rows of another table's group to a group.
func (t *Table) combine(group int32, other *Table, of int32) error {
	for i, c := range t.States {
		if err := c.Combine(group, other.States[i], of); err != nil {
			return err
		}
	}
	return nil
}

// CloseGroup frees what a group remembers. The error is one of package spill.
func (t *Table) CloseGroup(group int32) (err error) {
	for _, c := range t.States {
		err = cmp.Or(err, c.Close(group))
	}
	return err
}

// Close frees what all groups remember, including those whose results have been read. The error is
// one of package spill.
func (t *Table) Close() (err error) {
	for group := range t.Places {
		err = cmp.Or(err, t.CloseGroup(int32(group)))
	}
	return err
}
