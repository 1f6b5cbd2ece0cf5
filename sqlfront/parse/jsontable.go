package parse

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// JSONTable is JSON_TABLE(document, path COLUMNS (...)) in FROM
// (https://dev.mysql.com/doc/refman/8.0/en/json-table-functions.html). Its document, which may read
// the tables in front of it, is that of a query of one row.
type JSONTable struct {
	*Lateral
	Rows JSONRows
}

// JSONRows are rows of a document: one for each part that a path leads to.
type JSONRows struct {
	Path    string
	Columns []JSONColumn
	Nested  []JSONRows
}

// JSONColumn is a column of such rows.
type JSONColumn struct {
	Name string
	// Number is the column's place in the table: those of nested rows stand where they are written.
	Number             int
	Ordinality, Exists bool
	Type               *sqlparser.ConvertType // nil for ORDINALITY
	Path               string
	OnEmpty, OnError   JSONInstead
}

// JSONInstead is what a column has in the place of a value: NULL, or else a Default or an Error.
type JSONInstead struct {
	Default *Literal
	Error   bool
}

// Format prints the call; the columns are not printed.
func (t *JSONTable) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("json_table(%v, %v columns ...)", t.Subquery, sqlparser.NewStrVal([]byte(t.Rows.Path)))
}

// maxNestedPaths is MySQL's limit of the NESTED PATHs of a JSON_TABLE.
const maxNestedPaths = 16

// jsonTableReader reads one JSON_TABLE.
type jsonTableReader struct {
	*parser
	columns, nested int
}

// jsonTable reads JSON_TABLE(document, path COLUMNS (...)) [AS] alias.
func (p *parser) jsonTable() sqlparser.TableExpr {
	p.nest()
	p.expect("JSON_TABLE")
	end := p.cur().n
	p.expectOp("(")
	e := p.expr()
	p.query.height = max(p.query.height, e.height)
	document := sqlparser.AliasedExpr{Expr: e.Expr}
	p.expectOp(",")
	out := &JSONTable{Lateral: &Lateral{Subquery: &sqlparser.Subquery{Select: &sqlparser.Select{From: noTable,
		SelectExprs: sqlparser.SelectExprs{&Item{document, "document"}}}}}}
	r := jsonTableReader{parser: p}
	out.Rows.Path = r.path()
	r.readColumns(&out.Rows)
	p.expectOp(")")
	p.unnest()
	alias := p.tableAlias()
	if alias == "" {
		p.fail(mysqlerr.New(mysqlerr.TableFunctionMustHaveAlias, "Every table function must have an alias (at position %d)",
			p.toks[end].end+1))
	}
	return aliasedTable(out, alias)
}

// path reads a path, a string.
func (r *jsonTableReader) path() string { return string(r.literal("a path").Bytes) }

func (r *jsonTableReader) literal(what string) *Literal {
	if r.cur().kind != tokString {
		r.expected(what)
	}
	l, ok := r.primary().Expr.(*Literal)
	if !ok {
		r.expected(what)
	}
	return l
}

// readColumns reads COLUMNS (column, ...).
func (r *jsonTableReader) readColumns(to *JSONRows) {
	r.expect("COLUMNS")
	r.parenthesized(func() {
		if r.at("NESTED") && (r.isWord(r.peek(1), "PATH") || r.peek(1).kind == tokString) {
			to.Nested = append(to.Nested, r.nestedRows())
			return
		}
		to.Columns = append(to.Columns, r.column())
	})
}

func (r *jsonTableReader) nestedRows() (rows JSONRows) {
	r.nest()
	at := r.advance().start
	if r.nested++; r.nested > maxNestedPaths {
		r.fail(mysqlerr.New(mysqlerr.JSONTableMaxNestedPath,
			"More than supported %d NESTED PATHs were found in JSON_TABLE (at position %d)", maxNestedPaths, at+1))
	}
	r.accept("PATH")
	rows.Path = r.path()
	r.readColumns(&rows)
	r.unnest()
	return rows
}

// column reads name FOR ORDINALITY, name type [EXISTS] PATH path [responses].
func (r *jsonTableReader) column() JSONColumn {
	c := JSONColumn{Name: r.newName("the name of a column"), Number: r.columns}
	r.columns++
	if r.accept("FOR") {
		r.expect("ORDINALITY")
		c.Ordinality = true
		return c
	}
	c.Type = r.columnType()
	c.Exists = r.accept("EXISTS")
	r.expect("PATH")
	c.Path = r.path()
	if !c.Exists {
		r.responses(&c)
	}
	return c
}

// responses reads {NULL | DEFAULT text | ERROR} ON {EMPTY | ERROR}, each once at most.
func (r *jsonTableReader) responses(c *JSONColumn) {
	seen := map[string]bool{}
	for r.atAny("NULL", "DEFAULT", "ERROR") {
		var out JSONInstead
		switch r.expectAny("NULL", "DEFAULT", "ERROR") {
		case "DEFAULT":
			out.Default = r.literal("a text")
		case "ERROR":
			out.Error = true
		}
		at := r.cur().start
		r.expect("ON")
		on := r.expectAny("EMPTY", "ERROR")
		if seen[on] || on == "EMPTY" && seen["ERROR"] {
			r.failAt(at, "ON EMPTY in front of ON ERROR, each once")
		}
		if seen[on] = true; on == "EMPTY" {
			c.OnEmpty = out
		} else {
			c.OnError = out
		}
	}
}

// jsonTypes are names of columns' types, by the types of CAST that they are read as.
var jsonTypes = map[string]string{
	"INT": "signed", "INTEGER": "signed", "BIGINT": "signed", "SMALLINT": "signed", "TINYINT": "signed",
	"MEDIUMINT": "signed", "VARCHAR": "char", "TEXT": "char", "TINYTEXT": "char", "MEDIUMTEXT": "char",
	"LONGTEXT": "char", "VARBINARY": "binary", "BLOB": "binary", "TINYBLOB": "binary", "MEDIUMBLOB": "binary",
	"LONGBLOB": "binary", "NUMERIC": "decimal", "TIMESTAMP": "datetime",
}

// columnType reads a type of CAST, or one of a column.
func (r *jsonTableReader) columnType() *sqlparser.ConvertType {
	for word, name := range jsonTypes {
		if !r.at(word) {
			continue
		}
		r.pos++
		if name != "signed" {
			return r.textType(name)
		}
		if r.acceptOp("(") { // how wide it is shown
			r.intValue("a width")
			r.expectOp(")")
		}
		if r.accept("UNSIGNED") {
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
