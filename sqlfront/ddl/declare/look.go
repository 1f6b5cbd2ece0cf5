package declare

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// looks reports whether existing rows decide if the alteration is possible.
func (a *alteration) looks() bool {
	return len(a.retyped) > 0 || a.zero != nil || len(a.bound) > 0 || len(a.computes) > 0
}

// look is the error for the first row that does not fit the altered table: 1138, 1264, 1265, 1366, 1406 and
// so on; unwritten, or 1235 for a mapped table, for a cell that would have to be rewritten. The cursor is
// over the newest versions of all cells of the table.
func (a *alteration) look(cursor kv.Cursor) error {
	l := a.looking(a.storing(a.warn))
	if err := l.rows(cursor); err != nil {
		return err
	}
	return l.later
}

// looking returns what checks the rows; storing converts the values of columns that are not in the key.
func (a *alteration) looking(storing *coltype.Writing) *looking {
	n := len(a.from.Columns)
	l := &looking{alteration: a, face: a.from, cells: make([][]byte, n), has: make([]bool, n), fresh: make([][]byte, n),
		hasFresh: make([]bool, n), made: make([][]byte, len(a.computes)), writing: a.writing(), storing: storing}
	l.env.Env = *l.writing.Env
	for _, c := range a.retyped {
		l.converters, l.conversions = append(l.converters, a.to.Columns[c.is].Converter()), append(l.conversions, a.conversion(c))
	}
	return l
}

// rows checks the rows of a cursor.
func (l *looking) rows(cursor kv.Cursor) error {
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

// storing converts stored values as the session converts those that it inserts.
func (a *alteration) storing(warn func(uint16, string)) *coltype.Writing {
	w := a.writing()
	if a.Warn != nil {
		w.Env.Strict, w.Env.Session.AddWarning = false, warn
	}
	return w
}

// mostWarnings is the largest max_error_count.
const mostWarnings = 65535

// warn keeps a warning until the table has been altered, or counts it if it can no longer be shown.
func (a *alteration) warn(code uint16, message string) {
	if len(a.warnings) == mostWarnings {
		a.unshown++
		return
	}
	a.warnings = append(a.warnings, warning{code, message})
}

// looking checks the rows of a table.
type looking struct {
	*alteration
	face     *typed.Table
	key      []byte
	there    bool
	cells    [][]byte
	has      []bool
	fresh    [][]byte // the cells of columns that have been rewritten; hasFresh says which exist
	hasFresh []bool
	// converters and conversions are those of the changed columns, for their values and their cells.
	converters  []coltype.Column
	conversions []func(cell []byte) ([]byte, bool)
	later       error // of a column that has to be rewritten, if there is no other error
	// made are the row's new cells of the columns that are computed, and newest is the row's newest timestamp. emit,
	// if not nil, takes the cells that should be there in place of comparing them.
	made   [][]byte
	newest int64
	emit   func(column int, cell []byte) error
	// writing converts values of the key, which are never cut, and storing others.
	writing, storing *coltype.Writing
	env              expr.Env
}

// cell adds the next cell, which may be the first of a row.
func (l *looking) cell(c *kv.Cell, v []byte) error {
	if !bytes.Equal(c.Row, l.key) {
		if err := l.row(); err != nil {
			return err
		}
		l.key = append(l.key[:0], c.Row...)
		l.there, l.newest = false, c.Timestamp
		clear(l.made)
		clear(l.cells)
		clear(l.has)
		clear(l.fresh)
		clear(l.hasFresh)
	}
	l.newest = max(l.newest, c.Timestamp)
	if l.face.IsMarker(c.Qualifier) {
		l.there = v != nil
	} else if i := l.face.OfCell(c.Family, c.Qualifier); i >= 0 {
		l.has[i] = true
		l.there = l.there || l.face.Mapped && v != nil
		if v != nil {
			l.cells[i] = append([]byte{}, v...)
		}
	} else {
		l.takeFresh(c.Qualifier, v)
	}
	return nil
}

// row checks the row whose cells have been collected.
func (l *looking) row() error {
	if !l.there {
		return nil
	}
	l.face.FillAbsent(l.cells, l.has)
	stored, err := l.face.Stored(l.key, l.cells)
	if err != nil {
		return nil // a row with an invalid key does not exist
	}
	if l.zero != nil {
		return l.zero
	}
	pending := false
	for i, c := range l.retyped {
		err := l.fits(c, &l.converters[i], l.given(c, l.face.Shown(&l.env, c.was, stored[c.was])))
		if err == nil && l.reserved(c.is) != "" {
			err = l.isRewritten(i)
		}
		postponed := l.isPostponed(err)
		if err != nil && !postponed {
			return err
		}
		pending = pending || postponed
	}
	l.writing.Row, l.storing.Row = l.writing.Row+1, l.storing.Row+1
	if pending {
		return nil // expressions would read cells that mean other values
	}
	return l.keeps(stored)
}

// keeps computes the row's values that are stored, and is error 3819 if it violates an added constraint.
func (l *looking) keeps(stored []value.Value) error {
	if len(l.bound) == 0 && len(l.computes) == 0 {
		return nil
	}
	l.env.Row = make([]value.Value, len(l.columns))
	for i, c := range l.columns {
		if c.was < 0 {
			l.env.Row[i], _ = l.absent(i)
			continue
		}
		l.env.Row[i] = stored[c.was]
		cell := l.cells[c.was]
		if l.hasFresh[c.was] {
			cell = l.fresh[c.was]
		}
		if cell != nil && l.to.HasCell(i) {
			l.env.Row[i], _ = l.to.ReadCell(i, cell)
		}
		l.env.Row[i] = l.to.Shown(&l.env, i, l.env.Row[i])
	}
	for _, g := range l.generated {
		if err := l.generate(g); err != nil {
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

// absent is the value of a new column in an existing row.
func (l *looking) absent(column int) (value.Value, bool) {
	if !l.to.TellsAbsent(column) {
		return value.Value{}, false
	}
	v, ok := l.to.ReadCell(column, l.to.Columns[column].Absent)
	return l.to.Shown(&l.env, column, v), ok
}

// fits checks one value of a row.
func (l *looking) fits(c retyped, converter *coltype.Column, v value.Value) error {
	if v.IsNull() {
		if converter.NotNull {
			return mysqlerr.New(mysqlerr.InvalidUseOfNull, "Invalid use of NULL value: column '%s' at row %d",
				converter.Name, l.writing.Row)
		}
		return nil
	}
	if !l.to.HasCell(c.is) || !l.from.HasCell(c.was) {
		_, err := converter.Convert(l.writing, v)
		return err
	}
	next, err := converter.Convert(l.storing, v)
	if err != nil || l.reserved(c.is) != "" {
		return err
	}
	if read, ok := l.to.ReadCell(c.is, l.cells[c.was]); ok && l.same(c.is, next, read) {
		return nil
	}
	return l.mustRewrite(c, converter.Name, converter.Type.String())
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

// Rewritten maps the names of columns for which an ALTER TABLE has written cells, because the old ones would mean
// other values in the new type, or because the values are computed, to the qualifiers of these cells. Qualifiers are
// retired before cells are written, so that no column ever has the cells that an unfinished ALTER TABLE leaves.
type Rewritten map[string]string

// unwritten is the error for a column whose cells have to be written before the table can be altered.
type unwritten struct{ column retyped }

func (*unwritten) Error() string { return "a column must be rewritten" }

// conversion converts a column's cells into those of its new type; the function returns false if that is
// impossible. A nil cell is NULL.
func (a *alteration) conversion(c retyped) func(cell []byte) ([]byte, bool) {
	converter, writing := a.to.Columns[c.is].Converter(), a.storing(nil)
	env := &expr.Env{Env: *writing.Env}
	return func(cell []byte) ([]byte, bool) {
		if cell == nil {
			return nil, true
		}
		v, ok := a.from.ReadCell(c.was, cell)
		if !ok {
			return nil, true // it is read as NULL
		}
		next, err := converter.Convert(writing, a.given(c, a.from.Shown(env, c.was, v)))
		if err != nil {
			return nil, false
		}
		out, err := a.to.AppendCell([]byte{}, c.is, next)
		return out, err == nil
	}
}

// given is a value of a column as it is converted to the new type: for ENUM and SET to a number or BIT, the
// number of the members; for BIT to a string, its bytes.
func (a *alteration) given(c retyped, v value.Value) value.Value {
	from, to := a.from.Columns[c.was].Type, a.to.Columns[c.is].Type.Base
	switch {
	case v.IsNull():
	case from.Base.HasMembers() && (to.IsNumber() || to == coltype.Bit):
		return value.NewUint(from.Ordinal(v))
	case from.Base == coltype.Bit && (to.IsText() || to.IsBytes()):
		return value.NewBytes(value.AppendBits(nil, from.Length, v.Uint()))
	}
	return v
}

// reserved is the qualifier of the cells that have been written for a column of the altered table, empty for any other
// column.
func (a *alteration) reserved(column int) string {
	fresh := a.rewritten[a.columns[column].Name]
	if !a.from.IsRetired([]byte(fresh)) {
		return "" // cells of another column have it meanwhile
	}
	return fresh
}

// takeRewritten switches a column that has been rewritten to its new cells, and retires the old ones.
func (a *alteration) takeRewritten(to *typed.Table, c *typed.Column, at int) {
	fresh := a.reserved(at)
	if fresh == "" {
		return
	}
	to.Retired = slices.DeleteFunc(slices.Clone(to.Retired), func(q string) bool { return q == fresh })
	if a.columns[at].was >= 0 {
		to.Retired = append(to.Retired, c.CellQualifier())
	}
	c.Qualifier = fresh
}

// takeFresh keeps a cell of a column that has been rewritten.
func (l *looking) takeFresh(qualifier, v []byte) {
	for i, at := range l.computes {
		if string(qualifier) == l.reserved(at) && v != nil {
			l.made[i] = append([]byte{}, v...)
		}
	}
	for _, c := range l.retyped {
		if string(qualifier) == l.reserved(c.is) {
			if l.hasFresh[c.was] = true; v != nil {
				l.fresh[c.was] = append([]byte{}, v...)
			}
		}
	}
}

// isRewritten checks that the new cell of a changed column is the old one in the new type.
func (l *looking) isRewritten(i int) error {
	c := l.retyped[i]
	cell, there := l.fresh[c.was], l.hasFresh[c.was]
	same := !there
	if l.has[c.was] {
		want, ok := l.conversions[i](l.cells[c.was])
		same = there && ok && (want == nil) == (cell == nil) && bytes.Equal(want, cell)
	}
	if !same {
		return &unwritten{c}
	}
	return nil
}

// isPostponed postpones the error that a column has to be rewritten: other rows may not fit the altered table.
func (l *looking) isPostponed(err error) bool {
	if _, ok := err.(*unwritten); !ok {
		return false
	}
	l.later = cmp.Or(l.later, err)
	return true
}

// mustRewrite is the error that a column must be rewritten. It is 1235 for a mapped table, whose cells
// others use too, and if a unique index must be built, which may fail.
func (l *looking) mustRewrite(c retyped, name, to string) error {
	what := "changing column '" + name + "' from " + l.face.Columns[c.was].Type.String() + " to " + to + ", which rewrites its values"
	if err := l.distinct(c.is, what); err != nil {
		return err
	}
	if l.face.Mapped {
		return mysqlerr.Unsupported(what + ": add a column, UPDATE it, drop the old one and rename")
	}
	return &unwritten{c}
}

// distinct is error 1235 if storing a column's values requires that a unique index is built, which may fail when the
// table has been altered.
func (l *looking) distinct(column int, what string) error {
	for i := range l.to.Indexes {
		index := &l.to.Indexes[i]
		of := func(p typed.IndexPart) bool { return p.Column == column }
		if index.Unique && (slices.ContainsFunc(index.Parts, of) || slices.Contains(l.entries.added, index.Name)) {
			return mysqlerr.Unsupported(what + " and rebuilds the unique index '" + index.Name + "': use DROP INDEX before it, and ADD UNIQUE after it")
		}
	}
	return nil
}
