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

// codec reads and writes the cells of a column, of which some may be in the forms of types that it
// had.
type codec struct {
	rowcodec.Cell
	name      []byte // the qualifier
	earlier   []rowcodec.Cell
	converter coltype.Column
	members   *value.Members // of ENUM and SET
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
	out.Cell, err = rowcodec.NewCell(c.Name, c.Type, c.encoding)
	return out, err
}

// Read is the value of a cell; ok is false where the bytes are those of none.
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

// TellsAbsent reports whether a row without a cell of the column reads otherwise than one with a
// cell of NULL.
func (t *Table) TellsAbsent(column int) bool { return t.Columns[column].Absent != nil }

// FillAbsent gives a row the cells that it reads as having; has tells which there are.
func (t *Table) FillAbsent(cells [][]byte, has []bool) {
	for i := range cells {
		if !has[i] {
			cells[i] = t.Columns[i].Absent
		}
	}
}

// Renewed is a column's cell in the form of its type, which it may have in that of an earlier one.
// It refers to b, or is newly made.
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

// ReadCell is the value of a column's cell, false where the bytes are those of none.
func (t *Table) ReadCell(column int, b []byte) (value.Value, bool) { return t.cells[column].Read(b) }

// Check is the place of the constraint of that name, in any case; -1 where there is none.
func (t *Table) Check(name string) int {
	return slices.IndexFunc(t.Checks, func(c Check) bool { return strings.EqualFold(c.Name, name) })
}

// IsRetired reports whether cells of a qualifier are those of a column that was dropped.
func (t *Table) IsRetired(qualifier []byte) bool {
	return slices.ContainsFunc(t.Retired, func(q string) bool { return q == string(qualifier) })
}

// FreeQualifier is one for a new column of that name, which no column has or had.
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
