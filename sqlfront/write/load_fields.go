package write

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// read makes a row of the fields of a line, and of SET.
func (l *Loading) read(fields []textfile.Field) (change.Version, error) {
	l.Values.Held.NewRow()
	r := change.Version{K: []byte{}, Q: []byte{}, Clock: true}
	if !l.Table.Value.Nullable {
		r.V = []byte{}
	}
	var bad error // the first field that its column does not take
	for i, to := range l.load.fields {
		var err error
		if i < len(fields) {
			err = l.field(&r, to, &fields[i])
		} else {
			err = l.missing(&r, to)
		}
		if bad == nil {
			bad = err
		}
	}
	if bad != nil {
		return r, bad
	}
	return r, l.assignAll(&r)
}

// field gives a field to its column or its variable. A column that takes no NULL
// gets what MySQL gives it: nothing and, T, the clock.
func (l *Loading) field(r *change.Version, to loadField, f *textfile.Field) error {
	switch {
	case to.variable != "":
		return l.variable(to.variable, f)
	case to.column > change.ColV:
		return nil
	case f.Null && to.column == change.ColV && l.Table.Value.Nullable:
		r.V = nil
		return nil
	case f.Null && to.column == change.ColT:
		return nil
	case f.Null:
		return l.complain(mysqlerr.WarnNullToNotNull, "Column set to default value; NULL supplied to NOT NULL column '%s' at row %d",
			schema.Of(l.Table).ColumnNames()[to.column], l.Row)
	}
	v := value.NewBytes(f.Bytes)
	if err := l.Fitted(r, to.column, &v, r.Set(l.Table, to.column, &v, l.Row)); err != nil {
		return err
	}
	r.Clock = r.Clock && to.column != change.ColT
	return nil
}

func (l *Loading) variable(name string, f *textfile.Field) error {
	v := value.Value{}
	switch {
	case len(f.Bytes) > l.max:
		return mysqlerr.New(mysqlerr.DataTooLong, "Data too long for column '@%s' at row %d", name, l.Row)
	case !f.Null:
		v = Variable(f.Bytes, l.load.binary)
	}
	return l.Values.Session.SetUserVariable(name, v)
}

// missing is a field that the line does not have: its column has the default, but
// in a file of fixed widths nothing is NULL.
func (l *Loading) missing(r *change.Version, to loadField) error {
	switch {
	case to.variable != "":
		return l.Values.Session.SetUserVariable(to.variable, value.Value{})
	case to.column > change.ColV:
		return nil
	case to.column == change.ColV && l.load.fixed:
		r.V = []byte{}
	}
	return l.complain(mysqlerr.WarnTooFewRecords, "Row %d doesn't contain data for all columns", l.Row)
}

// complain is an error or, where IGNORE holds or the session is not strict, a warning.
func (l *Loading) complain(n mysqlerr.Number, format string, args ...any) error {
	if !l.Ignore && !change.Loose(l.Context) {
		return mysqlerr.New(n, format, args...)
	}
	l.Values.Session.AddWarning(uint16(n), fmt.Sprintf(format, args...))
	return nil
}

// assignAll is SET. Its expressions see the row as it is by then.
func (l *Loading) assignAll(r *change.Version) error {
	if len(l.load.set) == 0 {
		return nil
	}
	if err := l.renewSubqueries(); err != nil {
		return err
	}
	l.showRow(r)
	for _, a := range l.load.set {
		if err := l.assignOne(r, a); err != nil {
			return err
		}
		l.showRow(r)
	}
	return nil
}

// renewSubqueries forgets the results of subqueries, which may read the variables
// that the line has set.
func (l *Loading) renewSubqueries() error {
	if l.Done == nil {
		return nil
	}
	if err := l.Done(); err != nil {
		return err
	}
	row := l.Values.Row
	l.Values, l.Done = exec.RowEnv(l.Context)
	l.Values.Row = row
	return nil
}

func (l *Loading) assignOne(r *change.Version, a change.Assignment) error {
	if a.Node == nil {
		return l.AssignDefault(r, a.Column)
	}
	v, err := a.Node.Eval(&l.Values)
	if err != nil {
		return err
	}
	if a.Column == change.ColT && v.IsNull() {
		r.Clock = true
		return nil
	}
	r.Clock = r.Clock && a.Column != change.ColT
	return l.Fitted(r, a.Column, &v, r.Set(l.Table, a.Column, &v, l.Row))
}

// showRow makes the row visible to expressions; T is NULL where the server
// chooses it.
func (l *Loading) showRow(r *change.Version) {
	row := l.Values.Row
	v := r.Values()
	copy(row, v[:])
	if r.Clock {
		row[change.ColT] = value.Value{}
	}
	clear(row[len(v):])
	showPrefixes(l.Table, row, r.K)
	if !r.Clock {
		showTime(l.Table, row, r.T)
	}
}
