package write

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
	"github.com/hbasekv/hbasekv/sqlfront/write/rows"
)

// LoadData is a planned LOAD DATA.
type LoadData struct {
	typed  *rows.Load // into a typed table; nil for others
	insert Insert     // how a row is written
	fields []change.LoadField
	set    []change.Assignment
	binary bool // variables are byte strings
	fixed  bool // fields have the widths of their columns
}

// PrepareLoad plans the LOAD DATA in parsed. To the planner, its variables must be texts or, if
// binary is set, byte strings. Errors are those of Prepare.
func PrepareLoad(p *plan.Planner, parsed *ast.Parsed, binary bool) (*LoadData, error) {
	prep, st := &preparer{&change.Preparer{Planner: p, Parsed: parsed}}, parsed.Stmt.(*ast.LoadData)
	want := rights.Insert
	if st.Replace {
		want |= rights.Delete
	}
	r, err := prep.Named(st.Table, ast.Hints{}, "", "LOAD", want)
	if err != nil {
		return nil, err
	}
	if r.Typed != nil {
		typed, err := rows.PrepareLoad(prep.Preparer, r, st, binary)
		return &LoadData{typed: typed}, err
	}
	s := &LoadData{binary: binary, fixed: st.Format.FixedWidth(), insert: Insert{table: r.Table(), selection: r.Selected(),
		replace: st.Replace, ignore: st.Ignore || st.Local && !st.Replace}}
	if s.fields, err = loadFields(r, st); err != nil {
		return nil, err
	}
	s.insert.exprs = prep.RowExprs(parsed, ast.Hints{}, r)
	if s.set, err = assignments(r, s.insert.exprs.Binder(nil), st.Set); err != nil {
		return nil, err
	}
	s.insert.rereads = s.insert.readsItself(r)
	return s, s.checkFormat(st)
}

// loadFields returns the named columns and variables, or all columns.
func loadFields(r *relation.Relation, st *ast.LoadData) (list []change.LoadField, err error) {
	if st.Fields == nil {
		for i := range r.Columns {
			list = append(list, change.LoadField{Column: i})
		}
		return list, nil
	}
	for _, f := range st.Fields {
		to := change.LoadField{Variable: f.Variable}
		if f.Column != "" {
			if to.Column, err = change.ColumnNamed(r, f.Column); err != nil {
				return nil, err
			}
			if to.Column > change.ColV {
				return nil, generatedValue(r.Table(), to.Column)
			}
			if slices.Contains(list, to) {
				return nil, mysqlerr.New(mysqlerr.FieldSpecifiedTwice, "Column '%s' specified twice", f.Column)
			}
		}
		list = append(list, to)
	}
	return list, nil
}

// gives reports whether the statement sets a column in each row.
func (s *LoadData) gives(column int) bool {
	field := slices.ContainsFunc(s.fields, func(f change.LoadField) bool { return f.Variable == "" && f.Column == column })
	set := slices.ContainsFunc(s.set, func(a change.Assignment) bool { return a.Column == column && a.Node != nil })
	return field || set
}

// Forgives reports whether rows get the implicit defaults in columns that Lacking names, whatever sql_mode says: with
// IGNORE, or LOCAL without REPLACE, in a typed table.
func (s *LoadData) Forgives() bool { return s.typed != nil && s.typed.Forgives() }

// Lacking returns the errors (1364) for columns without default or value.
func (s *LoadData) Lacking() (errs []error) {
	if s.typed != nil {
		return s.typed.Lacking()
	}
	var set [4]bool
	for i := range set {
		set[i] = s.gives(i)
	}
	for c := change.Lacking(s.insert.table, set, 0); c >= 0; c = change.Lacking(s.insert.table, set, c+1) {
		errs = append(errs, change.NoDefault(s.insert.table, c))
	}
	return errs
}

// checkFormat returns an error for targets that fixed-width fields cannot have.
func (s *LoadData) checkFormat(st *ast.LoadData) error {
	blob := func(f change.LoadField) bool { return s.width(f) == textfile.Rest }
	variable := func(f change.LoadField) bool { return f.Variable != "" }
	switch {
	case st.Format.FieldsTerminated == "" && st.Format.LinesTerminated == "" && slices.ContainsFunc(s.fields, blob):
		return mysqlerr.New(mysqlerr.BlobsAndNoTerminated,
			"You can't use fixed rowlength with BLOBs; please use 'fields terminated by'")
	case s.fixed && slices.ContainsFunc(s.fields, variable):
		return mysqlerr.New(mysqlerr.LoadFixedToVariable, "Can't load value from file with fixed size rows to variable")
	}
	return nil
}

// integerWidth is the width of a BIGINT in a fixed-width file.
const integerWidth = 20

// width returns the width of a field in a fixed-width file.
func (s *LoadData) width(f change.LoadField) int {
	t := s.insert.table
	switch {
	case f.Variable != "":
		return 0
	case f.Column == change.ColK:
		return t.MaxRow
	case f.Column == change.ColQ:
		return t.MaxQualifier
	case f.Column == change.ColV && t.Value.Kind != schema.VarBinary:
		return textfile.Rest
	case f.Column == change.ColV:
		return t.Value.Max
	}
	for i, p := range schema.Of(t).Prefixes {
		if f.Column == change.ColV+1+schema.Of(t).PrefixPlace(i) {
			return p.Max
		}
	}
	return integerWidth
}

// maxInteger is the length to which the text of an integer is read: longer than any valid one.
const maxInteger = 1 << 10

// Shape describes the fields for the reader of the file. Values of variables have at most maxVariable
// bytes.
func (s *LoadData) Shape(maxVariable int) textfile.Shape {
	if s.typed != nil {
		return s.typed.Shape(maxVariable)
	}
	t := s.insert.table
	shape := textfile.Shape{Fields: len(s.fields), MaxField: max(t.MaxRow, t.MaxQualifier, t.Value.Max, maxInteger)}
	for _, f := range s.fields {
		shape.Widths = append(shape.Widths, s.width(f))
		if f.Variable != "" {
			shape.MaxField = max(shape.MaxField, maxVariable)
		}
	}
	return shape
}

// Typed returns the statement for a typed table, otherwise nil.
func (s *LoadData) Typed() *rows.Load { return s.typed }

// Renewable reports whether no expression reads a snapshot, so that the statement may continue on a
// newer one.
func (s *LoadData) Renewable() bool { return !s.insert.exprs.Subqueries() }

// Bulk returns the table if the rows may be written as files, otherwise nil: they must replace
// existing ones, and each must have its T.
func (s *LoadData) Bulk() *kv.Table {
	if s.insert.replace && s.Renewable() && s.gives(change.ColT) {
		return s.insert.table
	}
	return nil
}
