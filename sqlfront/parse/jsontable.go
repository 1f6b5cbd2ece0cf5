package parse

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// maxNestedPaths is MySQL's limit for the NESTED PATHs of a JSON_TABLE.
const maxNestedPaths = 16

// jsonTableReader reads one JSON_TABLE.
type jsonTableReader struct {
	*parser
	columns, nested int
}

// jsonTable reads JSON_TABLE(document, path COLUMNS (...)) [AS] alias.
func (p *parser) jsonTable() sqlparser.TableExpr {
	p.Nest()
	p.Expect("JSON_TABLE")
	end := p.Current().N
	p.ExpectOp("(")
	e := p.expr()
	p.query.height = max(p.query.height, e.height)
	document := sqlparser.AliasedExpr{Expr: e.Expr}
	p.ExpectOp(",")
	out := &ast.JSONTable{Lateral: &ast.Lateral{Subquery: &sqlparser.Subquery{Select: &sqlparser.Select{From: noTable,
		SelectExprs: sqlparser.SelectExprs{&ast.Item{AliasedExpr: document, Label: "document"}}}}}}
	r := jsonTableReader{parser: p}
	out.Rows.Path = r.path()
	r.readColumns(&out.Rows)
	p.ExpectOp(")")
	p.Unnest()
	alias := p.tableAlias()
	if alias == "" {
		p.Fail(mysqlerr.New(mysqlerr.TableFunctionMustHaveAlias, "Every table function must have an alias (at position %d)",
			p.Tokens[end].End+1))
	}
	return aliasedTable(out, alias)
}

// path reads a path, a string.
func (r *jsonTableReader) path() string { return string(r.literal("a path").Bytes) }

func (r *jsonTableReader) literal(what string) *ast.Literal {
	if r.Current().Kind != lex.String {
		r.Expected(what)
	}
	l, ok := r.primary().Expr.(*ast.Literal)
	if !ok {
		r.Expected(what)
	}
	return l
}

// readColumns reads COLUMNS (column, ...).
func (r *jsonTableReader) readColumns(to *ast.JSONRows) {
	r.Expect("COLUMNS")
	r.Parenthesized(func() {
		if r.At("NESTED") && (r.IsWord(r.Peek(1), "PATH") || r.Peek(1).Kind == lex.String) {
			to.Nested = append(to.Nested, r.nestedRows())
			return
		}
		to.Columns = append(to.Columns, r.column())
	})
}

func (r *jsonTableReader) nestedRows() (rows ast.JSONRows) {
	r.Nest()
	at := r.Advance().Start
	if r.nested++; r.nested > maxNestedPaths {
		r.Fail(mysqlerr.New(mysqlerr.JSONTableMaxNestedPath,
			"More than supported %d NESTED PATHs were found in JSON_TABLE (at position %d)", maxNestedPaths, at+1))
	}
	r.Accept("PATH")
	rows.Path = r.path()
	r.readColumns(&rows)
	r.Unnest()
	return rows
}

// column reads name FOR ORDINALITY, name type [EXISTS] PATH path [responses].
func (r *jsonTableReader) column() ast.JSONColumn {
	c := ast.JSONColumn{Name: r.NewName("the name of a column"), Number: r.columns}
	r.columns++
	if r.Accept("FOR") {
		r.Expect("ORDINALITY")
		c.Ordinality = true
		return c
	}
	c.Type = r.columnType()
	c.Exists = r.Accept("EXISTS")
	r.Expect("PATH")
	c.Path = r.path()
	if !c.Exists {
		r.responses(&c)
	}
	return c
}

// responses reads {NULL | DEFAULT text | ERROR} ON {EMPTY | ERROR}, each at most once.
func (r *jsonTableReader) responses(c *ast.JSONColumn) {
	seen := map[string]bool{}
	for r.AtAny("NULL", "DEFAULT", "ERROR") {
		var out ast.JSONInstead
		switch r.ExpectAny("NULL", "DEFAULT", "ERROR") {
		case "DEFAULT":
			out.Default = r.literal("a text")
		case "ERROR":
			out.Error = true
		}
		at := r.Current().Start
		r.Expect("ON")
		on := r.ExpectAny("EMPTY", "ERROR")
		if seen[on] || on == "EMPTY" && seen["ERROR"] {
			r.FailAt(at, "ON EMPTY before ON ERROR, each at most once")
		}
		if seen[on] = true; on == "EMPTY" {
			c.OnEmpty = out
		} else {
			c.OnError = out
		}
	}
}

// jsonTypes maps names of columns' types to the types of CAST as which they are read.
var jsonTypes = map[string]string{
	"INT": "signed", "INTEGER": "signed", "BIGINT": "signed", "SMALLINT": "signed", "TINYINT": "signed",
	"MEDIUMINT": "signed", "VARCHAR": "char", "TEXT": "char", "TINYTEXT": "char", "MEDIUMTEXT": "char",
	"LONGTEXT": "char", "VARBINARY": "binary", "BLOB": "binary", "TINYBLOB": "binary", "MEDIUMBLOB": "binary",
	"LONGBLOB": "binary", "NUMERIC": "decimal", "TIMESTAMP": "datetime",
}

// columnType reads a type of CAST, or one that only columns have.
func (r *jsonTableReader) columnType() *sqlparser.ConvertType {
	for word, name := range jsonTypes {
		if !r.At(word) {
			continue
		}
		r.Pos++
		if name != "signed" {
			return r.textType(name)
		}
		if r.AcceptOp("(") { // the display width
			r.IntValue("a width")
			r.ExpectOp(")")
		}
		if r.Accept("UNSIGNED") {
			name = "unsigned"
		}
		return &sqlparser.ConvertType{Type: name}
	}
	return r.castType()
}

func (r *jsonTableReader) textType(name string) *sqlparser.ConvertType {
	switch name {
	case "char":
		return r.charType()
	case "decimal":
		return r.lengthType(name, 2)
	}
	return r.lengthType(name, 1)
}
