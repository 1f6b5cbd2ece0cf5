package declare

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// looks reports whether it depends on the rows that are there whether the alteration can be made.
func (a *alteration) looks() bool { return len(a.retyped) > 0 || a.zero != nil || len(a.bound) > 0 }

// look is the error of the first row that cannot be what the table is to become: 1138, 1264, 1265,
// 1366, 1406 and so on; 1235 for a cell that would have to be written anew. The cursor is over the
// newest versions of all cells of the table.
func (a *alteration) look(cursor kv.Cursor) error {
	n := len(a.from.Columns)
	l := looking{alteration: a, face: a.from, cells: make([][]byte, n), has: make([]bool, n), writing: a.writing()}
	l.env.Env = *l.writing.Env
	for _, c := range a.retyped {
		l.converters = append(l.converters, a.to.Columns[c.is].Converter())
	}
	for cursor.Next() {
		v, err := cursor.Value()
		if err == nil {
			err = l.cell(cursor.Cell(), v)
		}
		if err != nil {
			return err
		}
	}
	if err := cursor.Err(); err != nil {
		return err
	}
	return l.row()
}

// writing converts values as a strict session does.
func (d *Declaration) writing() *coltype.Writing {
	env := &function.Env{Ctx: d.Ctx, Strict: true, Session: &function.Session{Now: d.Now}}
	return &coltype.Writing{Env: env, Row: 1}
}

// looking goes through the rows of a table.
type looking struct {
	*alteration
	face       *typed.Table
	key        []byte
	there      bool
	cells      [][]byte
	has        []bool
	converters []coltype.Column // of the columns that change
	writing    *coltype.Writing
	env        expr.Env
}

// cell takes the next cell, which may be the first of a row.
func (l *looking) cell(c *kv.Cell, v []byte) error {
	if !bytes.Equal(c.Row, l.key) {
		if err := l.row(); err != nil {
			return err
		}
		l.key = append(l.key[:0], c.Row...)
		l.there = false
		clear(l.cells)
		clear(l.has)
	}
	if l.face.IsMarker(c.Qualifier) {
		l.there = v != nil
	} else if i := l.face.OfCell(c.Family, c.Qualifier); i >= 0 {
		l.has[i] = true
		l.there = l.there || l.face.Mapped && v != nil
		if v != nil {
			l.cells[i] = append([]byte{}, v...)
		}
	}
	return nil
}

// row looks at the row whose cells have all been taken.
func (l *looking) row() error {
	if !l.there {
		return nil
	}
	l.face.FillAbsent(l.cells, l.has)
	stored, err := l.face.Stored(l.key, l.cells)
	if err != nil {
		return nil // a key that is none of the table's is no row
	}
	if l.zero != nil {
		return l.zero
	}
	for i, c := range l.retyped {
		if err := l.fits(c, &l.converters[i], l.face.Shown(&l.env, c.was, stored[c.was])); err != nil {
			return err
		}
	}
	l.writing.Row++
	return l.keeps(stored)
}

// keeps is 3819 where the row is none of those that the constraints allow that are added.
func (l *looking) keeps(stored []value.Value) error {
	if len(l.bound) == 0 {
		return nil
	}
	l.env.Row = make([]value.Value, len(l.columns))
	for i, c := range l.columns {
		if c.was < 0 {
			l.env.Row[i], _ = l.absent(i)
			continue
		}
		l.env.Row[i] = stored[c.was]
		if cell := l.cells[c.was]; cell != nil && l.to.HasCell(i) {
			l.env.Row[i], _ = l.to.ReadCell(i, cell)
		}
		l.env.Row[i] = l.to.Shown(&l.env, i, l.env.Row[i])
	}
	for _, g := range l.generated {
		if !l.to.IsVirtual(g.Column) {
			continue
		}
		var err error
		if l.env.Row[g.Column], err = l.to.VirtualOf(g.Node, g.Column).Eval(&l.env); err != nil {
			return err
		}
	}
	for i := range l.bound {
		if err := l.bound[i].Keep(&l.env); err != nil {
			return err
		}
	}
	return nil
}

// absent is what a new column is in a row that is there.
func (l *looking) absent(column int) (value.Value, bool) {
	if !l.to.TellsAbsent(column) {
		return value.Value{}, false
	}
	v, ok := l.to.ReadCell(column, l.to.Columns[column].Absent)
	return l.to.Shown(&l.env, column, v), ok
}

// fits looks at one value of a row.
func (l *looking) fits(c retyped, converter *coltype.Column, v value.Value) error {
	if v.IsNull() {
		if converter.NotNull {
			return mysqlerr.New(mysqlerr.InvalidUseOfNull, "Invalid use of NULL value: column '%s' at row %d",
				converter.Name, l.writing.Row)
		}
		return nil
	}
	next, err := converter.Convert(l.writing, v)
	if err != nil || !l.to.HasCell(c.is) {
		return err
	}
	if read, ok := l.to.ReadCell(c.is, l.cells[c.was]); ok && l.same(c.is, next, read) {
		return nil
	}
	return mysqlerr.Unsupported("changing column '" + converter.Name + "' from " + l.face.Columns[c.was].Type.String() + " to " +
		converter.Type.String() + " where values must be stored anew: add a column, UPDATE it, drop the old one and rename")
}

// same compares two values of a column by their cells.
func (l *looking) same(column int, a, b value.Value) bool {
	one, err := l.to.AppendCell(nil, column, a)
	if err != nil {
		return false
	}
	other, err := l.to.AppendCell(nil, column, b)
	return err == nil && bytes.Equal(one, other)
}
