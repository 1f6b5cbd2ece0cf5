package grouping

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Table is groups by the keys of their rows. All that they have is in columns, by the
// groups' numbers.
type Table struct {
	// Memory is where the groups' states remember rows; the groups are counted in it.
	Memory *aggregate.Memory
	Keys   rowmem.KeyTable
	// Places are those of the groups' first rows.
	Places []Place
	States []aggregate.Column

	shape *Shape
	// firsts are the captured values of the first rows, where these cannot be restored from keys;
	// told says from which keys they can.
	firsts rowmem.Grid
	told   []int
	// rows are the K of their first rows, where they are asked for.
	rows [][]byte
	size int // of a group, but for what differs
}

// NoGroup is the number of a group that is not known.
const NoGroup = rowmem.NoKey

// groupOverhead is about what a group takes beside its key, its values and its states, in
// bytes.
const groupOverhead = 64

// NewTable is a table of no groups.
func NewTable(s *Shape, m *aggregate.Memory) *Table {
	t := &Table{Memory: m, shape: s, told: s.told, size: groupOverhead}
	for _, a := range s.Aggs {
		c := aggregate.NewColumn(a, m)
		t.States, t.size = append(t.States, c), t.size+c.Size()
	}
	return t
}

// Find is the group of a key, NoGroup where there is none.
func (t *Table) Find(key []byte) int32 { return int32(t.Keys.Find(key)) }

// Add makes a group of the key that has just been added to Keys, and gives what it takes in
// bytes. It begins with a row of which first is kept, and where it is not nil row, its K: the
// table copies both.
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

// Begin has a group begin with another row, an earlier one.
func (t *Table) Begin(group int32, first []value.Value, row []byte, at Place) {
	if t.Places[group] = at; !t.tells(first) {
		t.firsts.Set(int(group), first)
	}
	if row != nil {
		t.rows[group] = bytes.Clone(row)
	}
}

// tells reports whether the captured values of a group's first row can be restored from its key.
// Once a value is of another kind than its column, all values are kept from then on.
func (t *Table) tells(first []value.Value) bool {
	for i, at := range t.told {
		if v := &first[i]; !v.IsNull() && v.Kind() != t.shape.kinds[at] {
			t.keepAll()
			break
		}
	}
	return t.told != nil || len(first) == 0
}

// keepAll has what the keys tell be kept.
func (t *Table) keepAll() {
	var rows []value.Value
	for group := range t.Places {
		rows = t.First(rows[:0], int32(group))
		t.firsts.Add(rows)
	}
	t.told = nil
}

// First appends what is kept of a group's first row.
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

// RowOf is K of a group's first row.
func (t *Table) RowOf(group int32) []byte { return t.rows[group] }

// StatesOf are those of a group, by themselves.
func (t *Table) StatesOf(group int32) []*aggregate.State {
	out := make([]*aggregate.State, len(t.States))
	for i, c := range t.States {
		out[i] = c.State(group)
	}
	return out
}

// combine takes the rows of a group of another table.
func (t *Table) combine(group int32, other *Table, of int32) error {
	for i, c := range t.States {
		if err := c.Combine(group, other.States[i], of); err != nil {
			return err
		}
	}
	return nil
}

// CloseGroup gives up what a group remembers. The error is one of package spill.
func (t *Table) CloseGroup(group int32) (err error) {
	for _, c := range t.States {
		err = cmp.Or(err, c.Close(group))
	}
	return err
}

// Close gives up what all groups remember, those whose results have been asked for too. The error is
// one of package spill.
func (t *Table) Close() (err error) {
	for group := range t.Places {
		err = cmp.Or(err, t.CloseGroup(int32(group)))
	}
	return err
}
