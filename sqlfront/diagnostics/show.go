package diagnostics

import (
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Show is SHOW WARNINGS, SHOW ERRORS and SHOW COUNT(*) of them. The error is 1210, for a LIMIT that is not a
// number.
func (d *List) Show(st *ast.Show, args []value.Value) (*relation.Result, error) {
	if st.Count {
		return d.count(st.Kind), nil
	}
	out := &relation.Result{Columns: []relation.Column{
		{Name: "Level", Type: value.Type{Kind: value.Text, Length: 7}},
		{Name: "Code", Type: value.Type{Kind: value.Int, Name: "UNSIGNED INT"}},
		{Name: "Message", Type: value.Type{Kind: value.Text, Length: 512}},
	}}
	for _, w := range d.Kept {
		if st.Kind == ast.ShowWarnings || w.Level == "Error" {
			out.Rows = append(out.Rows, []value.Value{
				value.NewString(w.Level), value.NewInt(int64(w.Code)), value.NewString(w.Message)})
		}
	}
	limit, err := plan.NewLimit(st.Limit, nil)
	if err != nil {
		return nil, err
	}
	offset, count, err := limit.Values(args)
	if err != nil {
		return nil, err
	}
	n := int64(len(out.Rows))
	offset = min(offset, n)
	out.Rows = out.Rows[offset : offset+min(count, n-offset)]
	return out, nil
}

// count is SHOW COUNT(*) WARNINGS and SHOW COUNT(*) ERRORS.
func (d *List) count(kind ast.ShowKind) *relation.Result {
	name, n := "@@session.warning_count", d.All
	if kind == ast.ShowErrors {
		name, n = "@@session.error_count", d.Errors
	}
	return &relation.Result{Columns: []relation.Column{{Name: name, Type: value.Type{Kind: value.Int}}},
		Rows: [][]value.Value{{value.NewInt(int64(n))}}}
}
