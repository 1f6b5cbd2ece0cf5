package write

import (
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// read makes a row of the fields of a line and of the assignments of SET.
func (l *Loading) read(fields []textfile.Field) (change.Version, error) {
	l.Values.Held.NewRow()
	r := change.Version{K: []byte{}, Q: []byte{}, Clock: true}
	if !l.Table.Value.Nullable {
		r.V = []byte{}
	}
	var bad error // the error of the first field that its column does not accept
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

// field stores a field in its column or variable. For NULL, a NOT NULL column gets what MySQL gives
// it: an empty value or, for T, the clock.
func (l *Loading) field(r *change.Version, to change.LoadField, f *textfile.Field) error {
	switch {
	case to.Variable != "":
		b := f.Bytes
		switch {
		case f.Null:
			b = nil
		case b == nil:
			b = []byte{}
		}
		return l.SetVariable(to.Variable, b, l.max, l.load.binary)
	case to.Column > change.ColV:
		return nil
	case f.Null && to.Column == change.ColV && l.Table.Value.Nullable:
		r.V = nil
		return nil
	case f.Null && to.Column == change.ColT:
		return nil
	case f.Null:
		return l.NullGiven(schema.Of(l.Table).ColumnNames()[to.Column])
	}
	v := value.NewBytes(f.Bytes)
	if err := l.Fitted(r, to.Column, &v, r.Set(l.Table, to.Column, &v, l.Row)); err != nil {
		return err
	}
	r.Clock = r.Clock && to.Column != change.ColT
	return nil
}

// missing handles a field that the line lacks: its column gets the default, but in a fixed-width
// file nothing is NULL.
func (l *Loading) missing(r *change.Version, to change.LoadField) error {
	switch {
	case to.Variable != "":
		return l.Values.Session.SetUserVariable(to.Variable, value.Value{})
	case to.Column > change.ColV:
		return nil
	case to.Column == change.ColV && l.load.fixed:
		r.V = []byte{}
	}
	return l.TooFewFields()
}

// assignAll executes SET. Each expression sees the earlier assignments.
func (l *Loading) assignAll(r *change.Version) error {
	if len(l.load.set) == 0 {
		return nil
	}
	if err := l.RenewSubqueries(); err != nil {
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

// showRow makes the row visible to expressions; T is NULL if the server is to choose it.
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
