package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// columnTypes maps MySQL's type names to those that it shows
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
func (p *parser) columnDef() ast.ColumnDef {
	c := ast.ColumnDef{Length: -1, Decimals: -1, Offset: p.Current().Start}
	c.Name = p.NewName("the name of a column")
	p.columnType(&c)
	for p.columnAttribute(&c) {
	}
	return c
}

// columnType reads the type with its length.
func (p *parser) columnType(c *ast.ColumnDef) {
	word := ""
	if p.Current().Kind == lex.Word {
		word = strings.ToUpper(p.Text(p.Current()))
	}
	c.Type = columnTypes[word]
	if c.Type == "" {
		p.Expected("the type of the column")
	}
	p.Pos++
	p.typeWords(word, c)
	switch {
	case c.Type == "enum" || c.Type == "set":
		p.Parenthesized(func() { c.Values = append(c.Values, p.StringValue("a value in quotes")) })
	case p.AcceptOp("("):
		c.Length = p.IntValue("a length")
		if p.AcceptOp(",") {
			c.Decimals = p.IntValue("a number of decimals")
		}
		p.ExpectOp(")")
	}
}

// typeWords reads types of several words, and replaces type names that stand for others.
func (p *parser) typeWords(word string, c *ast.ColumnDef) {
	switch word {
	case "DOUBLE":
		p.Accept("PRECISION")
	case "NATIONAL":
		k := p.ExpectAny("CHAR", "CHARACTER", "VARCHAR", "VARCHARACTER")
		if p.Accept("VARYING") || columnTypes[k] == "varchar" {
			c.Type = "varchar"
		}
	case "CHAR", "CHARACTER", "NCHAR":
		if p.AcceptAny("VARYING", "VARCHAR") != "" {
			c.Type = "varchar"
		}
	case "LONG":
		switch p.AcceptAny("VARBINARY", "BYTE", "VARCHAR", "VARCHARACTER", "CHAR", "CHARACTER") {
		case "VARBINARY", "BYTE":
			c.Type = "mediumblob"
		case "CHAR", "CHARACTER":
			p.Expect("VARYING")
		}
	case "BOOL", "BOOLEAN":
		c.Length = 1
	case "SERIAL":
		c.Unsigned, c.NotNull, c.AutoIncrement, c.Unique = true, true, true, true
	}
}

// columnAttribute reads one attribute; it is false if none follows.
func (p *parser) columnAttribute(c *ast.ColumnDef) bool {
	return p.typeAttribute(c) || p.valueAttribute(c) || p.keyAttribute(c) || p.storageAttribute(c)
}

// typeAttribute reads an attribute of the type.
func (p *parser) typeAttribute(c *ast.ColumnDef) bool {
	switch {
	case p.Accept("UNSIGNED"):
		c.Unsigned = true
	case p.Accept("SIGNED"):
	case p.Accept("ZEROFILL"):
		c.Zerofill, c.Unsigned = true, true
	case p.acceptCharset():
		c.Charset = p.WordOrString("the name of a character set")
	case p.Accept("COLLATE"):
		c.Collate = p.WordOrString("the name of a collation")
	case p.Accept("BINARY"):
	case p.Accept("ASCII"):
		c.Charset = "latin1"
	case p.Accept("UNICODE"):
		c.Charset = "ucs2"
	default:
		return false
	}
	return true
}

// valueAttribute reads an attribute of the column's values.
func (p *parser) valueAttribute(c *ast.ColumnDef) bool {
	switch {
	case p.Accept("NOT", "NULL"):
		c.NotNull = true
	case p.Accept("NULL"):
		c.Null = true
	case p.Accept("DEFAULT"):
		c.Default = p.defaultValue()
	case p.Accept("ON", "UPDATE"):
		start := p.Current().Start
		p.clockDefault()
		c.OnUpdate = p.Source(start)
	case p.Accept("AUTO_INCREMENT"):
		c.AutoIncrement = true
	case p.At("GENERATED"), p.At("AS"):
		c.Generated = p.generated()
	default:
		return false
	}
	return true
}

// generated reads [GENERATED ALWAYS] AS (expr) [VIRTUAL | STORED].
func (p *parser) generated() *ast.Generated {
	if p.Accept("GENERATED") {
		p.Expect("ALWAYS")
	}
	p.Expect("AS")
	g := &ast.Generated{}
	g.Expr, g.Text = p.exprInParentheses()
	switch p.AcceptAny("VIRTUAL", "STORED", "PERSISTENT") {
	case "STORED", "PERSISTENT":
		g.Stored = true
	}
	return g
}

// defaultValue reads what follows DEFAULT.
func (p *parser) defaultValue() *ast.DefaultValue {
	t := p.Current()
	switch {
	case p.Accept("NULL"):
		return &ast.DefaultValue{Null: true, Text: "NULL"}
	case t.Kind.IsLiteral():
		return &ast.DefaultValue{Text: string(p.Literal().Bytes)}
	case t.Kind == lex.Int, t.Kind == lex.Float, p.AtOp("-"), p.AtOp("+"):
		return &ast.DefaultValue{Text: p.numberText()}
	case p.Accept("TRUE"):
		return &ast.DefaultValue{Text: "1"}
	case p.Accept("FALSE"):
		return &ast.DefaultValue{Text: "0"}
	case p.AtOp("("):
		tree, text := p.exprInParentheses()
		return &ast.DefaultValue{Expr: tree, Text: text}
	}
	return &ast.DefaultValue{Expr: p.clockDefault(), Text: p.Source(t.Start), Clock: true}
}

// clockDefault reads CURRENT_TIMESTAMP or a synonym.
func (p *parser) clockDefault() sqlparser.Expr {
	if !p.AtAny("CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP") {
		p.Expected("a literal, CURRENT_TIMESTAMP or an expression in parentheses")
	}
	if p.At("NOW") && !p.called() {
		p.Pos++
		p.Expected("(")
	}
	return p.clockForm().Expr
}

// keyAttribute reads the keys and constraints of one column.
func (p *parser) keyAttribute(c *ast.ColumnDef) bool {
	switch {
	case p.Accept("UNIQUE"):
		p.Accept("KEY")
		c.Unique = true
	case p.Accept("PRIMARY"):
		p.Expect("KEY")
		c.PrimaryKey = true
	case p.Accept("KEY"):
		c.PrimaryKey = true
	case p.At("REFERENCES"):
		c.References = p.references()
	case p.AtAny("CONSTRAINT", "CHECK"):
		k := ast.KeyDef{Kind: "CHECK"}
		if p.Accept("CONSTRAINT") && !p.At("CHECK") {
			k.Name = p.NewName("the name of a constraint")
		}
		p.Expect("CHECK")
		p.check(&k)
		c.Checks = append(c.Checks, k)
	default:
		return false
	}
	return true
}

// storageAttribute reads an attribute that has no effect here.
func (p *parser) storageAttribute(c *ast.ColumnDef) bool {
	switch {
	case p.Accept("COMMENT"):
		c.Comment = p.StringValue("a comment in quotes")
	case p.Accept("COLUMN_FORMAT"):
		p.ExpectAny("FIXED", "DYNAMIC", "DEFAULT")
	case p.Accept("STORAGE"):
		p.ExpectAny("DISK", "MEMORY", "DEFAULT")
	case p.Accept("SRID"):
		p.UintValue("a number")
	case p.At("INVISIBLE"):
		p.Unsupported(p.Current().Start, "INVISIBLE columns")
	default:
		return p.Accept("VISIBLE")
	}
	return true
}
