package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"
)

// columnTypes maps MySQL's names of types to the ones that it shows
// (https://dev.mysql.com/doc/refman/5.7/en/data-types.html).
var columnTypes = map[string]string{
	"BIT": "bit", "TINYINT": "tinyint", "INT1": "tinyint", "SMALLINT": "smallint", "INT2": "smallint",
	"MEDIUMINT": "mediumint", "INT3": "mediumint", "MIDDLEINT": "mediumint", "INT": "int", "INTEGER": "int",
	"INT4": "int", "BIGINT": "bigint", "INT8": "bigint", "REAL": "double", "DOUBLE": "double", "FLOAT8": "double",
	"FLOAT": "float", "FLOAT4": "float", "DECIMAL": "decimal", "DEC": "decimal", "NUMERIC": "decimal",
	"FIXED": "decimal", "DATE": "date", "TIME": "time", "TIMESTAMP": "timestamp", "DATETIME": "datetime",
	"YEAR": "year", "CHAR": "char", "CHARACTER": "char", "NCHAR": "char", "VARCHAR": "varchar",
	"VARCHARACTER": "varchar", "NVARCHAR": "varchar", "BINARY": "binary", "VARBINARY": "varbinary",
	"TINYBLOB": "tinyblob", "BLOB": "blob", "MEDIUMBLOB": "mediumblob", "LONGBLOB": "longblob",
	"TINYTEXT": "tinytext", "TEXT": "text", "MEDIUMTEXT": "mediumtext", "LONGTEXT": "longtext", "LONG": "mediumtext",
	"ENUM": "enum", "SET": "set", "JSON": "json", "BOOL": "tinyint", "BOOLEAN": "tinyint", "NATIONAL": "char",
	"SERIAL": "bigint", "GEOMETRY": "geometry", "POINT": "point", "LINESTRING": "linestring", "POLYGON": "polygon",
	"MULTIPOINT": "multipoint", "MULTILINESTRING": "multilinestring", "MULTIPOLYGON": "multipolygon",
	"GEOMETRYCOLLECTION": "geometrycollection",
}

// columnDef reads name type attributes.
func (p *parser) columnDef() ColumnDef {
	c := ColumnDef{Length: -1, Decimals: -1, Offset: p.cur().start}
	c.Name = p.newName("the name of a column")
	p.columnType(&c)
	for p.columnAttribute(&c) {
	}
	return c
}

// columnType reads the type with its length.
func (p *parser) columnType(c *ColumnDef) {
	word := ""
	if p.cur().kind == tokWord {
		word = strings.ToUpper(p.text(p.cur()))
	}
	c.Type = columnTypes[word]
	if c.Type == "" {
		p.expected("the type of the column")
	}
	p.pos++
	p.typeWords(word, c)
	switch {
	case c.Type == "enum" || c.Type == "set":
		p.parenthesized(func() { c.Values = append(c.Values, p.stringValue("a value in quotes")) })
	case p.acceptOp("("):
		c.Length = p.intValue("a length")
		if p.acceptOp(",") {
			c.Decimals = p.intValue("a number of decimals")
		}
		p.expectOp(")")
	}
}

// typeWords reads the types of several words, and what some types stand for.
func (p *parser) typeWords(word string, c *ColumnDef) {
	switch word {
	case "DOUBLE":
		p.accept("PRECISION")
	case "NATIONAL":
		k := p.expectAny("CHAR", "CHARACTER", "VARCHAR", "VARCHARACTER")
		if p.accept("VARYING") || columnTypes[k] == "varchar" {
			c.Type = "varchar"
		}
	case "CHAR", "CHARACTER", "NCHAR":
		if p.acceptAny("VARYING", "VARCHAR") != "" {
			c.Type = "varchar"
		}
	case "LONG":
		if p.acceptAny("VARBINARY", "VARCHAR") == "VARBINARY" {
			c.Type = "mediumblob"
		}
	case "BOOL", "BOOLEAN":
		c.Length = 1
	case "SERIAL":
		c.Unsigned, c.NotNull, c.AutoIncrement, c.Unique = true, true, true, true
	}
}

// columnAttribute reads one attribute; it is false where none follows.
func (p *parser) columnAttribute(c *ColumnDef) bool {
	return p.typeAttribute(c) || p.valueAttribute(c) || p.keyAttribute(c) || p.storageAttribute(c)
}

// typeAttribute reads what belongs to the type.
func (p *parser) typeAttribute(c *ColumnDef) bool {
	switch {
	case p.accept("UNSIGNED"):
		c.Unsigned = true
	case p.accept("SIGNED"):
	case p.accept("ZEROFILL"):
		c.Zerofill, c.Unsigned = true, true
	case p.acceptCharset():
		c.Charset = p.wordOrString("the name of a character set")
	case p.accept("COLLATE"):
		c.Collate = p.wordOrString("the name of a collation")
	case p.accept("BINARY"):
	case p.accept("ASCII"):
		c.Charset = "latin1"
	case p.accept("UNICODE"):
		c.Charset = "ucs2"
	default:
		return false
	}
	return true
}

// valueAttribute reads what values the column takes.
func (p *parser) valueAttribute(c *ColumnDef) bool {
	switch {
	case p.accept("NOT", "NULL"):
		c.NotNull = true
	case p.accept("NULL"):
		c.Null = true
	case p.accept("DEFAULT"):
		c.Default = p.defaultValue()
	case p.accept("ON", "UPDATE"):
		start := p.cur().start
		p.clockDefault()
		c.OnUpdate = p.source(start)
	case p.accept("AUTO_INCREMENT"):
		c.AutoIncrement = true
	case p.at("GENERATED"), p.at("AS"):
		c.Generated = p.generated()
	default:
		return false
	}
	return true
}

// generated reads [GENERATED ALWAYS] AS (expr) [VIRTUAL | STORED].
func (p *parser) generated() *Generated {
	if p.accept("GENERATED") {
		p.expect("ALWAYS")
	}
	p.expect("AS")
	g := &Generated{}
	g.Expr, g.Text = p.exprInParentheses()
	switch p.acceptAny("VIRTUAL", "STORED", "PERSISTENT") {
	case "STORED", "PERSISTENT":
		g.Stored = true
	}
	return g
}

// defaultValue reads what stands behind DEFAULT.
func (p *parser) defaultValue() *DefaultValue {
	t := p.cur()
	switch {
	case p.accept("NULL"):
		return &DefaultValue{Null: true, Text: "NULL"}
	case t.kind.isLiteral():
		return &DefaultValue{Text: string(p.literal().Bytes)}
	case t.kind == tokInt, t.kind == tokFloat, p.atOp("-"), p.atOp("+"):
		return &DefaultValue{Text: p.numberText()}
	case p.accept("TRUE"):
		return &DefaultValue{Text: "1"}
	case p.accept("FALSE"):
		return &DefaultValue{Text: "0"}
	case p.atOp("("):
		tree, text := p.exprInParentheses()
		return &DefaultValue{Expr: tree, Text: text}
	}
	return &DefaultValue{Expr: p.clockDefault(), Text: p.source(t.start)}
}

// clockDefault reads CURRENT_TIMESTAMP or a synonym.
func (p *parser) clockDefault() sqlparser.Expr {
	if !p.atAny("CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP") {
		p.expected("a literal, CURRENT_TIMESTAMP or an expression in parentheses")
	}
	if p.at("NOW") && !p.called() {
		p.pos++
		p.expected("(")
	}
	return p.clockForm().Expr
}

// keyAttribute reads the keys and constraints of one column.
func (p *parser) keyAttribute(c *ColumnDef) bool {
	switch {
	case p.accept("UNIQUE"):
		p.accept("KEY")
		c.Unique = true
	case p.accept("PRIMARY"):
		p.expect("KEY")
		c.PrimaryKey = true
	case p.accept("KEY"):
		c.PrimaryKey = true
	case p.at("REFERENCES"):
		p.references()
	case p.accept("CONSTRAINT"):
		if !p.at("CHECK") {
			p.newName("the name of a constraint")
		}
		p.expect("CHECK")
		p.refuseCheck()
	case p.accept("CHECK"):
		p.refuseCheck()
	default:
		return false
	}
	return true
}

// refuseCheck names CHECK, which would be read and not held to.
func (p *parser) refuseCheck() { p.unsupported(p.toks[p.pos-1].start, "CHECK") }

// storageAttribute reads what has no effect here.
func (p *parser) storageAttribute(c *ColumnDef) bool {
	switch {
	case p.accept("COMMENT"):
		c.Comment = p.stringValue("a comment in quotes")
	case p.accept("COLUMN_FORMAT"):
		p.expectAny("FIXED", "DYNAMIC", "DEFAULT")
	case p.accept("STORAGE"):
		p.expectAny("DISK", "MEMORY", "DEFAULT")
	case p.accept("SRID"):
		p.uintValue("a number")
	case p.at("INVISIBLE"):
		p.unsupported(p.cur().start, "INVISIBLE columns")
	default:
		return p.accept("VISIBLE")
	}
	return true
}
