package write

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// read makes a row of the fields of a line, and of SET.
func (l *Loading) read(fields []textfile.Field) (version, error) {
	l.env.Held.NewRow()
	r := version{k: []byte{}, q: []byte{}, clock: true}
	if !l.table.Value.Nullable {
		r.v = []byte{}
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
func (l *Loading) field(r *version, to loadField, f *textfile.Field) error {
	switch {
	case to.variable != "":
		return l.variable(to.variable, f)
	case to.column > colV:
		return nil
	case f.Null && to.column == colV && l.table.Value.Nullable:
		r.v = nil
		return nil
	case f.Null && to.column == colT:
		return nil
	case f.Null:
		return l.complain(mysqlerr.WarnNullToNotNull, "Column set to default value; NULL supplied to NOT NULL column '%s' at row %d",
			schema.Of(l.table).ColumnNames()[to.column], l.row)
	}
	v := value.NewBytes(f.Bytes)
	if err := l.fitted(r, to.column, &v, r.set(l.table, to.column, &v, l.row)); err != nil {
		return err
	}
	r.clock = r.clock && to.column != colT
	return nil
}

func (l *Loading) variable(name string, f *textfile.Field) error {
	v := value.Value{}
	switch {
	case len(f.Bytes) > l.max:
		return mysqlerr.New(mysqlerr.DataTooLong, "Data too long for column '@%s' at row %d", name, l.row)
	case !f.Null:
		v = Variable(f.Bytes, l.load.binary)
	}
	return l.env.Session.SetUserVariable(name, v)
}

// missing is a field that the line does not have: its column has the default, but
// in a file of fixed widths nothing is NULL.
func (l *Loading) missing(r *version, to loadField) error {
	switch {
	case to.variable != "":
		return l.env.Session.SetUserVariable(to.variable, value.Value{})
	case to.column > colV:
		return nil
	case to.column == colV && l.load.fixed:
		r.v = []byte{}
	}
	return l.complain(mysqlerr.WarnTooFewRecords, "Row %d doesn't contain data for all columns", l.row)
}

// complain is an error or, where IGNORE holds or the session is not strict, a warning.
func (l *Loading) complain(n mysqlerr.Number, format string, args ...any) error {
	if !l.ignore && !loose(l.Context) {
		return mysqlerr.New(n, format, args...)
	}
	l.env.Session.AddWarning(uint16(n), fmt.Sprintf(format, args...))
	return nil
}

// assignAll is SET. Its expressions see the row as it is by then.
func (l *Loading) assignAll(r *version) error {
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
	if l.done == nil {
		return nil
	}
	if err := l.done(); err != nil {
		return err
	}
	row := l.env.Row
	l.env, l.done = exec.RowEnv(l.Context)
	l.env.Row = row
	return nil
}

func (l *Loading) assignOne(r *version, a assignment) error {
	if a.node == nil {
		return l.assignDefault(r, a.column)
	}
	v, err := a.node.Eval(&l.env)
	if err != nil {
		return err
	}
	if a.column == colT && v.IsNull() {
		r.clock = true
		return nil
	}
	r.clock = r.clock && a.column != colT
	return l.fitted(r, a.column, &v, r.set(l.table, a.column, &v, l.row))
}

// showRow makes the row visible to expressions; T is NULL where the server
// chooses it.
func (l *Loading) showRow(r *version) {
	row := l.env.Row
	v := r.values()
	copy(row, v[:])
	if r.clock {
		row[colT] = value.Value{}
	}
	clear(row[len(v):])
	showPrefixes(l.table, row, r.k)
	if !r.clock {
		showTime(l.table, row, r.t)
	}
}
