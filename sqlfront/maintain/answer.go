package maintain

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// newAnswer is a result without rows.
func newAnswer() *relation.Result {
	out := &relation.Result{}
	for _, name := range []string{"Table", "Op", "Msg_type", "Msg_text"} {
		out.Columns = append(out.Columns, relation.Column{Name: name, Type: value.Type{Kind: value.Text, Length: 128}})
	}
	return out
}

func add(r *relation.Result, op string, t ast.TableName, kind, text string) {
	r.Rows = append(r.Rows, []value.Value{value.NewString(t.Database + "." + t.Name), value.NewString(op), value.NewString(kind), value.NewString(text)})
}

// addNoTable says what a name is if it is not a table. A view has nothing to check, and the other statements
// cannot do anything for it.
func addNoTable(out *relation.Result, op string, t ast.TableName, catalog *kv.Catalog) {
	isView := catalog.View(t.Database, t.Name) != nil
	switch {
	case schema.Mapped(catalog, t.Database, t.Name) != nil:
		add(out, op, t, "note", "The cells of '"+t.Database+"."+t.Name+"' are those of its table group: name the families")
		add(out, op, t, "status", "OK")
		return
	case isView && op == "check":
		add(out, op, t, "status", "OK")
		return
	case isView:
		add(out, op, t, "Error", "'"+t.Database+"."+t.Name+"' is not BASE TABLE")
	default:
		add(out, op, t, "Error", missingTable(t.Database, t.Name))
	}
	add(out, op, t, "status", "Operation failed")
}

func missingTable(database, name string) string {
	return "Table '" + database + "." + name + "' doesn't exist"
}

// addReport adds what was found in a table.
func addReport(r *relation.Result, name ast.TableName, report kv.CheckReport) {
	for _, note := range report.Notes {
		add(r, "check", name, "note", note)
	}
	for _, damage := range report.Damage {
		add(r, "check", name, "Error", damage.Error())
	}
	if report.More > 0 {
		add(r, "check", name, "Error", fmt.Sprintf("... and %d more", report.More))
	}
	if len(report.Damage) > 0 {
		add(r, "check", name, "error", "Corrupt")
		return
	}
	add(r, "check", name, "status", "OK")
}
