package rows

import (
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// Load is a planned LOAD DATA into a typed table.
type Load struct {
	insertion
	fields []change.LoadField
	set    []change.Assignment
	binary bool // variables are byte strings
}

// PrepareLoad plans a LOAD DATA. To the planner, its variables must be texts or, if binary is set, byte
// strings. Its errors are those of names, types and privileges, and 1235 for fixed-width fields.
func PrepareLoad(p *change.Preparer, r *relation.Relation, st *ast.LoadData, binary bool) (*Load, error) {
	if st.Format.FixedWidth() {
		return nil, mysqlerr.Unsupported("LOAD DATA with fixed-width fields into a typed table")
	}
	s := &Load{binary: binary}
	s.relation, s.replace, s.ignore = r, st.Replace, st.Ignore || st.Local && !st.Replace
	s.exprs = p.RowExprs(p.Parsed, ast.Hints{}, r)
	var err error
	if s.rules, err = p.Rules(r); err != nil {
		return nil, err
	}
	if err = s.takeFields(st); err != nil {
		return nil, err
	}
	s.set, err = assignments(r, s.exprs.Binder(nil), st.Set)
	s.rereads = change.Rereads(r, s.exprs.Reads())
	return s, err
}

// takeFields sets the fields to the named columns and variables, or to all columns.
func (s *Load) takeFields(st *ast.LoadData) error {
	r := s.relation
	if st.Fields == nil {
		for i := range r.Columns {
			if !r.Columns[i].Hidden {
				s.fields = append(s.fields, change.LoadField{Column: i})
			}
		}
		return nil
	}
	for _, f := range st.Fields {
		to := change.LoadField{Variable: f.Variable}
		if f.Column != "" {
			var err error
			if to.Column, err = change.ColumnNamed(r, f.Column); err != nil {
				return err
			}
			if r.Typed.IsGenerated(to.Column) {
				return r.Typed.GivenGenerated(to.Column, r.Name)
			}
			if slices.Contains(s.fields, to) {
				return mysqlerr.New(mysqlerr.FieldSpecifiedTwice, "Column '%s' specified twice", f.Column)
			}
		}
		s.fields = append(s.fields, to)
	}
	return nil
}

// Forgives reports whether rows get the implicit defaults in columns that Lacking names, whatever sql_mode says.
func (s *Load) Forgives() bool { return s.ignore }

// Lacking returns the errors (1364) for columns without default or value.
func (s *Load) Lacking() (errs []error) {
	for i := range s.relation.Typed.Columns {
		c := &s.relation.Typed.Columns[i]
		gets := slices.ContainsFunc(s.fields, func(f change.LoadField) bool { return f.Variable == "" && f.Column == i }) ||
			slices.ContainsFunc(s.set, func(a change.Assignment) bool { return a.Column == i && a.Node != nil })
		if !gets && c.NotNull && c.Default == nil && c.Generated == nil && !c.AutoIncrement {
			errs = append(errs, relation.NoDefault(c.Name))
		}
	}
	return errs
}

// Shape describes the fields for the reader of the file. Values of variables have at most maxVariable
// bytes.
func (s *Load) Shape(maxVariable int) textfile.Shape {
	shape := textfile.Shape{Fields: len(s.fields), Widths: make([]int, len(s.fields)), MaxField: s.relation.Family().Value.Max}
	for _, f := range s.fields {
		if f.Variable != "" {
			shape.MaxField = max(shape.MaxField, maxVariable)
		}
	}
	return shape
}

// loading is a running LOAD DATA.
type loading struct {
	insertWriter
	load        *Load
	renewable   bool
	maxVariable int
	loaded      change.Loaded
}

// Run loads the rows of a file through the context's transaction, which may take newer snapshots
// meanwhile if renewable is set. Variables hold at most maxVariable bytes. Errors are those of the file,
// of INSERT and of the store.
func (s *Load) Run(ctx *exec.Context, in *textfile.Reader, renewable bool, maxVariable int) (change.Loaded, error) {
	change.Before(ctx, s.rereads, s.ignore)
	l := &loading{load: s, maxVariable: maxVariable, renewable: renewable && !s.exprs.Subqueries()}
	l.stmt = &s.insertion
	l.begin(change.CountWarnings(ctx, &l.loaded.Warnings), s.relation, s.ignore, s.exprs)
	l.rules, l.announced = s.rules, true
	err := l.startNumbers()
	if err == nil {
		err = l.EachLine(in, &l.loaded, l.row)
	}
	l.noteGiven()
	l.loaded.Result = l.Result
	return l.loaded, l.End(err)
}

// row inserts a row from the fields of a line and from SET.
func (l *loading) row(fields []textfile.Field) error {
	l.Values.Held.NewRow()
	row, set := l.blank()
	var bad error // the error of the first field that its column does not accept
	for i, to := range l.load.fields {
		var err error
		if i < len(fields) {
			err = l.field(row, set, to, &fields[i])
		} else {
			err = l.missing(to)
		}
		if bad == nil {
			bad = err
		}
	}
	if bad == nil {
		bad = l.assignAll(row, set)
	}
	if bad != nil {
		return bad
	}
	return l.write(row, set)
}

// field stores a field in its column or variable. For NULL, a NOT NULL column gets its type's implicit
// default.
func (l *loading) field(row []value.Value, set []bool, to change.LoadField, f *textfile.Field) error {
	b := f.Bytes
	switch {
	case f.Null:
		b = nil
	case b == nil:
		b = []byte{}
	}
	if to.Variable != "" {
		return l.SetVariable(to.Variable, b, l.maxVariable, l.load.binary)
	}
	c := &l.face.Columns[to.Column]
	switch {
	case c.Generated != nil:
		return nil
	case b != nil:
		return l.take(row, set, to.Column, change.Variable(b, c.Type.Base.IsBytes() || c.Type.Base == coltype.Bit))
	case !c.NotNull || to.Column == l.numbers.column:
		return l.take(row, set, to.Column, value.Value{})
	}
	row[to.Column], set[to.Column] = c.Type.Implicit(), true
	return l.NullGiven(c.Name)
}

// missing handles a field that the line lacks: its column gets the default.
func (l *loading) missing(to change.LoadField) error {
	if to.Variable != "" {
		return l.Values.Session.SetUserVariable(to.Variable, value.Value{})
	}
	return l.TooFewFields()
}

// assignAll executes SET. Its expressions see the row as it is so far.
func (l *loading) assignAll(row []value.Value, set []bool) error {
	if len(l.load.set) == 0 {
		return nil
	}
	if err := l.RenewSubqueries(); err != nil {
		return err
	}
	for _, a := range l.load.set {
		if a.Node == nil {
			row[a.Column], set[a.Column] = value.Value{}, false
			continue
		}
		l.Values.Row = l.face.AllShown(&l.Values, row)
		v, err := a.Node.Eval(&l.Values)
		if err == nil {
			err = l.take(row, set, a.Column, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write inserts a row. If another transaction has changed it since the snapshot, it is locked now, and
// the insert is retried on a newer snapshot with that change.
func (l *loading) write(row []value.Value, set []bool) error {
	for {
		err := l.undone(func() error { return l.insert(row, set) })
		if !l.renewable || !errors.Is(err, kv.ErrConflict) {
			return err
		}
		if err := l.Txn.Renew(l.Ctx); err != nil {
			return err
		}
	}
}
