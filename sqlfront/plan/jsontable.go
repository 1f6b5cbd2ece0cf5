package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// jsonPlanner plans the columns of a JSON_TABLE.
type jsonPlanner struct {
	*blockPlanner
	relation *relation.Relation
	first    int // number of the first column in the frame
	from     int // the frame's column of values to be converted
}

// addJSONTable plans JSON_TABLE over its document, a query of one row; correlations are the columns
// that it reads of earlier relations.
func (b *blockPlanner) addJSONTable(
	l *block.Leaf, t *ast.JSONTable, alias string, q *block.Query, correlations []block.Correlation,
) (err error) {
	if q.Block.Aggregated || q.Block.Windows != nil {
		return groupFunctionMisused()
	}
	j := &block.JSONTable{Document: q}
	r := &relation.Relation{Kind: relation.KindJSON, Name: alias, Alias: alias}
	p := jsonPlanner{blockPlanner: b, relation: r, from: b.Alloc()}
	j.Out = computed.JSONTable{Document: b.Alloc(), Alias: alias}
	p.first = b.Width
	p.relation.Columns = make([]relation.Column, columnsOf(&t.Rows))
	if j.Out.Rows, err = p.rows(&t.Rows); err != nil {
		return err
	}
	l.First, l.JSON, l.Lateral, l.Relation = p.first, j, correlations, p.relation
	j.Out.First, j.Out.End = l.Span()
	return p.checkNames()
}

// columnsOf is the number of columns, nested ones included.
func columnsOf(rows *ast.JSONRows) int {
	n := len(rows.Columns)
	for i := range rows.Nested {
		n += columnsOf(&rows.Nested[i])
	}
	return n
}

// checkNames returns error 1060 for a duplicate name.
func (p *jsonPlanner) checkNames() error {
	for i, c := range p.relation.Columns {
		if p.relation.Find(c.Name) != i {
			return mysqlerr.New(mysqlerr.DupFieldName, "Duplicate column name '%s'", c.Name)
		}
	}
	p.relation.NameColumns()
	return nil
}

func (p *jsonPlanner) rows(rows *ast.JSONRows) (out computed.JSONRows, err error) {
	if out.Path, err = jsondoc.NewPath(rows.Path); err != nil {
		return out, err
	}
	for i := range rows.Columns {
		c, err := p.column(&rows.Columns[i])
		if err != nil {
			return out, err
		}
		out.Columns = append(out.Columns, c)
	}
	for i := range rows.Nested {
		nested, err := p.rows(&rows.Nested[i])
		if err != nil {
			return out, err
		}
		out.Nested = append(out.Nested, nested)
	}
	return out, nil
}

func (p *jsonPlanner) column(c *ast.JSONColumn) (computed.JSONColumn, error) {
	out := computed.JSONColumn{Name: c.Name, At: p.first + c.Number, Ordinality: c.Ordinality, Exists: c.Exists, From: p.from,
		OnEmpty: response(c.OnEmpty), OnError: response(c.OnError)}
	at := &p.relation.Columns[c.Number]
	at.Name = c.Name
	if c.Ordinality {
		at.Type = value.Type{Kind: value.Int, Name: "INT", Length: 11}
		return out, nil
	}
	var err error
	if out.Path, err = jsondoc.NewPath(c.Path); err != nil {
		return out, err
	}
	binder := &bind.Binder{Scope: jsonValue(p.from), Meter: p.Meter}
	from := &sqlparser.ColName{Name: sqlparser.NewColIdent("value")}
	out.Convert, err = binder.Bind(&sqlparser.ConvertExpr{Expr: from, Type: c.Type})
	if err != nil {
		return out, err
	}
	at.Type = out.Convert.Type()
	at.Type.Nullable = true
	out.IsJSON, out.Words = at.Type.Kind == value.JSON, at.Type.Kind.IsString()
	return out, nil
}

func response(r ast.JSONInstead) computed.JSONResponse {
	out := computed.JSONResponse{Error: r.Error}
	if r.Default != nil {
		out.Default = value.NewText(r.Default.Bytes)
	}
	return out
}

// jsonValue is the scope in which a column's conversion is bound: it resolves to the frame's column of
// the value.
type jsonValue int

// Resolve is that column, whatever the name.
func (v jsonValue) Resolve(string, string) (expr.Node, error) {
	return &expr.Column{Index: int(v), Name: "value", T: value.Type{Kind: value.Text, Nullable: true}}, nil
}
