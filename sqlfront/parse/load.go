package parse

import "github.com/xwb1989/sqlparser"

// loadStatement reads LOAD DATA
// (https://dev.mysql.com/doc/refman/5.7/en/load-data.html).
func (p *parser) loadStatement() Statement {
	p.expect("LOAD", "DATA")
	p.acceptAny("LOW_PRIORITY", "CONCURRENT")
	s := &LoadData{Local: p.accept("LOCAL")}
	p.expect("INFILE")
	s.File = p.stringValue("the name of a file in quotes")
	switch p.acceptAny("REPLACE", "IGNORE") {
	case "REPLACE":
		s.Replace = true
	case "IGNORE":
		s.Ignore = true
	}
	p.expect("INTO", "TABLE")
	name := p.tableName()
	s.Table = NewTable(name.Database, name.Name)
	s.Table.Partitions = p.partitionSelection()
	s.Charset = p.fileCharset()
	s.Format = p.textFormat()
	if p.accept("IGNORE") {
		s.Skip = p.uintValue("a number of lines")
		p.expectAny("LINES", "ROWS")
	}
	s.Fields = p.loadFields(s.Table.TableName)
	if p.accept("SET") {
		s.Set = p.assignments()
	}
	return s
}

// loadFields reads (K, @v, ...), which may be empty.
func (p *parser) loadFields(table sqlparser.TableName) (list []LoadField) {
	if !p.acceptOp("(") || p.acceptOp(")") {
		return nil
	}
	p.list(func() {
		if p.cur().kind == tokUserVar {
			list = append(list, LoadField{Variable: variableName(p.text(p.advance()))})
			return
		}
		list = append(list, LoadField{Column: p.targetColumn(table).String()})
	})
	p.expectOp(")")
	return list
}
