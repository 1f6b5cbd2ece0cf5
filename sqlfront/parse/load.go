package parse

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// loadStatement reads LOAD DATA
// (https://dev.mysql.com/doc/refman/5.7/en/load-data.html).
func (p *parser) loadStatement() ast.Statement {
	p.Expect("LOAD", "DATA")
	p.AcceptAny("LOW_PRIORITY", "CONCURRENT")
	s := &ast.LoadData{Local: p.Accept("LOCAL")}
	p.Expect("INFILE")
	s.File = p.StringValue("the name of a file in quotes")
	switch p.AcceptAny("REPLACE", "IGNORE") {
	case "REPLACE":
		s.Replace = true
	case "IGNORE":
		s.Ignore = true
	}
	p.Expect("INTO", "TABLE")
	name := p.TableName()
	s.Table = ast.NewTable(name.Database, name.Name)
	s.Table.Partitions = p.partitionSelection()
	s.Charset = p.fileCharset()
	s.Format = p.textFormat()
	if p.Accept("IGNORE") {
		s.Skip = p.UintValue("a number of lines")
		p.ExpectAny("LINES", "ROWS")
	}
	s.Fields = p.loadFields(s.Table.TableName)
	if p.Accept("SET") {
		s.Set = p.assignments()
	}
	return s
}

// loadFields reads (K, @v, ...), which may be empty.
func (p *parser) loadFields(table sqlparser.TableName) (list []ast.LoadField) {
	if !p.AcceptOp("(") || p.AcceptOp(")") {
		return nil
	}
	p.List(func() {
		if p.Current().Kind == lex.UserVar {
			list = append(list, ast.LoadField{Variable: lex.VariableName(p.Text(p.Advance()))})
			return
		}
		list = append(list, ast.LoadField{Column: p.targetColumn(table).String()})
	})
	p.ExpectOp(")")
	return list
}
