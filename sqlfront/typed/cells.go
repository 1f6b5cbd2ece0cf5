package typed

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/rowcodec"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// codec reads and writes the cells of a column, some of which may be in the forms of its earlier types.
type codec struct {
	rowcodec.Cell
	name      []byte // the qualifier
	earlier   []rowcodec.Cell
	converter coltype.Column
	members   *value.Members // for ENUM and SET
}

func codecOf(c *Column) (out codec, err error) {
	out.converter, out.name = c.Converter(), []byte(c.CellQualifier())
	for _, t := range c.Earlier {
		cell, err := rowcodec.NewCell(c.Name, t, c.encoding)
		if err != nil {
			return out, err
		}
		out.earlier = append(out.earlier, cell)
	}
	if c.Type.Base.HasMembers() {
		out.members = &value.Members{Ordinal: c.Type.Ordinal}
	}
	if c.Type.Base == coltype.Set {
		out.members.Names = c.Type.Members
	}
	out.Cell, err = rowcodec.NewCell(c.Name, c.Type, c.encoding)
	return out, err
}

// Read is the value of a cell; ok is false if the bytes are not a value.
func (c *codec) Read(b []byte) (v value.Value, ok bool) {
	if v, ok = c.Cell.Read(b); ok || len(c.earlier) == 0 {
		return v, ok
	}
	return c.readEarlier(b)
}

func (c *codec) readEarlier(b []byte) (value.Value, bool) {
	session := &function.Session{Now: time.Unix(0, 0).UTC()}
	strict := coltype.Writing{Env: &function.Env{Strict: true, Session: session}, Row: 1}
	for i := range c.earlier {
		v, ok := c.earlier[i].Read(b)
		if !ok {
			continue
		}
		v, err := c.converter.Convert(&strict, v)
		return v, err == nil
	}
	return value.Value{}, false
}

// TellsAbsent reports whether a row without a cell of the column differs from one with a cell of NULL.
func (t *Table) TellsAbsent(column int) bool { return t.Columns[column].Absent != nil }

// FillAbsent adds the cells that absent ones are read as; has says which exist.
func (t *Table) FillAbsent(cells [][]byte, has []bool) {
	for i := range cells {
		if !has[i] {
			cells[i] = t.Columns[i].Absent
		}
	}
}

// Renewed is a column's cell in the form of its current type, which may be stored in that of an earlier one.
// It refers to b, or is newly allocated.
func (t *Table) Renewed(column int, b []byte) []byte {
	if len(t.Columns[column].Earlier) == 0 || b == nil {
		return b
	}
	if v, ok := t.cells[column].Read(b); ok {
		if renewed, err := t.cells[column].Append([]byte{}, v); err == nil {
			return renewed
		}
	}
	return b
}

// ReadCell is the value of a column's cell, false if the bytes are not a value.
func (t *Table) ReadCell(column int, b []byte) (value.Value, bool) { return t.cells[column].Read(b) }

// Check is the index of the constraint of that name, ignoring case; -1 if there is none.
func (t *Table) Check(name string) int {
	return slices.IndexFunc(t.Checks, func(c Check) bool { return strings.EqualFold(c.Name, name) })
}

// IsRetired reports whether a qualifier belongs to a column that was dropped.
func (t *Table) IsRetired(qualifier []byte) bool {
	return slices.ContainsFunc(t.Retired, func(q string) bool { return q == string(qualifier) })
}

// FreeQualifier is a qualifier for a new column of that name, which no column has or had.
func (t *Table) FreeQualifier(name string) string {
	taken := func(q string) bool {
		return slices.Contains(t.Retired, q) ||
			slices.ContainsFunc(t.Columns, func(c Column) bool { return c.CellQualifier() == q })
	}
	out := name
	for n := 2; taken(out); n++ {
		out = name + "~" + strconv.Itoa(n)
	}
	return out
}
