package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// refusedObjects are objects that CREATE, ALTER and DROP know in MySQL and that are not supported here.
var refusedObjects = []string{"TRIGGER",
	"PROCEDURE", "FUNCTION", "AGGREGATE FUNCTION", "EVENT", "ROLE", "SERVER", "TABLESPACE", "UNDO TABLESPACE",
	"LOGFILE GROUP", "RESOURCE GROUP", "SEQUENCE", "SPATIAL REFERENCE SYSTEM", "OUTLINE", "SYNONYM"}

// refuseObject fails with 1235, which names the verb and the object at the current token.
func (p *parser) refuseObject(verb string) {
	for _, o := range refusedObjects {
		if p.AtPhrase(o) {
			p.Unsupported(p.Tokens[0].Start, verb+" "+o)
		}
	}
}

func (p *parser) createStatement() ast.Statement {
	p.Expect("CREATE")
	p.refuseObject("CREATE")
	switch {
	case p.Accept("DATABASE"), p.Accept("SCHEMA"):
		s := &ast.CreateDatabase{IfNotExists: p.IfNotExists()}
		s.Name = p.NewName("the name of a database")
		s.Options = p.databaseOptions()
		return s
	case p.Accept("TABLEGROUP"):
		return p.createTableGroup()
	case p.Accept("USER"):
		return p.accounts().CreateUser(false)
	case p.Accept("TABLE"):
		return p.createTable(false)
	case p.Accept("TEMPORARY", "TABLE"):
		return p.createTable(true)
	case p.AtAny("INDEX", "UNIQUE", "FULLTEXT", "SPATIAL"):
		return p.createIndex()
	}
	return p.createView()
}

// databaseOptions reads [DEFAULT] CHARACTER SET and COLLATE.
func (p *parser) databaseOptions() ast.DatabaseOptions {
	var o ast.DatabaseOptions
	for {
		start := p.Pos
		p.Accept("DEFAULT")
		switch {
		case p.acceptCharset():
			o.Charset = p.optionValue("the name of a character set")
		case p.Accept("COLLATE"):
			o.Collate = p.optionValue("the name of a collation")
		case p.Accept("ENCRYPTION"):
			p.optionValue("Y or N")
		case p.Pos > start:
			p.Expected("CHARACTER SET or COLLATE")
		default:
			return o
		}
	}
}

// acceptCharset skips CHARACTER SET, CHAR SET or CHARSET.
func (p *parser) acceptCharset() bool {
	return p.Accept("CHARACTER", "SET") || p.Accept("CHAR", "SET") || p.Accept("CHARSET")
}

// optionValue reads [=] word or string.
func (p *parser) optionValue(what string) string {
	p.AcceptOp("=")
	return p.WordOrString(what)
}

func (p *parser) createTableGroup() ast.Statement {
	s := &ast.CreateTableGroup{IfNotExists: p.IfNotExists()}
	s.Name = p.TableName()
	p.groupOptions(&s.Retention, func(sharding string) { s.Sharding = sharding })
	return s
}

// groupOptions reads the options of a table group, with or without commas between them; it is false if there
// is none.
func (p *parser) groupOptions(retention *[]ast.RetentionOption, sharding func(string)) bool {
	for n := 0; ; n++ {
		comma := n > 0 && p.AcceptOp(",")
		switch {
		case p.Accept("SHARDING"):
			sharding(strings.ToUpper(p.optionValue("a way of sharding")))
		case p.retentionOption(retention):
		case comma:
			p.Expected("an option")
		default:
			return n > 0
		}
	}
}

func (p *parser) alterTableGroup() ast.Statement {
	s := &ast.AlterTableGroup{Name: p.TableName()}
	p.Accept("SET")
	switch {
	case p.Accept("ADD"):
		p.AcceptAny("TABLE", "TABLES")
		s.AddTables = p.TableNames()
	case !p.groupOptions(&s.Retention, func(sharding string) { s.Sharding = &sharding }):
		p.Expected("ADD, SHARDING or an option of retention")
	}
	return s
}

func (p *parser) alterStatement() ast.Statement {
	p.Expect("ALTER")
	p.refuseObject("ALTER")
	if p.AtAny("VIEW", "ALGORITHM", "DEFINER") || p.At("SQL", "SECURITY") {
		return p.alterView()
	}
	switch {
	case p.Accept("DATABASE"), p.Accept("SCHEMA"):
		s := &ast.AlterDatabase{}
		if p.AtName() && !p.At("CHARSET") && !p.At("ENCRYPTION") {
			s.Name = p.NewName("the name of a database")
		}
		start := p.Pos
		s.Options = p.databaseOptions()
		if p.Pos == start {
			p.Expected("CHARACTER SET or COLLATE")
		}
		return s
	case p.Accept("TABLEGROUP"):
		return p.alterTableGroup()
	case p.Accept("USER"):
		return p.accounts().CreateUser(true)
	}
	p.Accept("IGNORE")
	p.Expect("TABLE")
	return p.alterTable()
}

func (p *parser) dropStatement() ast.Statement {
	p.Expect("DROP")
	p.refuseObject("DROP")
	switch p.AcceptAny("DATABASE", "SCHEMA", "TABLEGROUP", "VIEW", "TABLE", "TABLES", "TEMPORARY", "PREPARE", "USER", "INDEX") {
	case "USER":
		return p.accounts().DropUser()
	case "INDEX":
		return p.dropIndex()
	case "PREPARE":
		return &ast.Deallocate{Name: p.Name(preparedName)}
	case "DATABASE", "SCHEMA":
		return &ast.DropDatabase{IfExists: p.IfExists(), Name: p.DatabaseName()}
	case "TABLEGROUP":
		return &ast.DropTableGroup{IfExists: p.IfExists(), Name: p.TableName()}
	case "VIEW":
		s := &ast.DropView{IfExists: p.IfExists(), Names: p.TableNames()}
		p.AcceptAny("RESTRICT", "CASCADE")
		return s
	case "TEMPORARY":
		p.ExpectAny("TABLE", "TABLES")
		return p.dropTables(true)
	case "TABLE", "TABLES":
		return p.dropTables(false)
	}
	p.Expected("TABLE, TABLEGROUP, DATABASE or VIEW")
	return nil
}

func (p *parser) dropTables(temporary bool) ast.Statement {
	s := &ast.DropTable{Temporary: temporary, IfExists: p.IfExists(), Names: p.TableNames()}
	p.AcceptAny("RESTRICT", "CASCADE")
	return s
}

func (p *parser) truncateStatement() ast.Statement {
	p.Expect("TRUNCATE")
	p.Accept("TABLE")
	return &ast.TruncateTable{Name: p.TableName()}
}

func (p *parser) renameStatement() ast.Statement {
	p.Expect("RENAME")
	if p.Accept("USER") {
		return p.accounts().RenameUser()
	}
	p.ExpectAny("TABLE", "TABLES")
	s := &ast.RenameTable{}
	p.List(func() {
		pair := ast.RenamePair{From: p.TableName()}
		p.Expect("TO")
		pair.To = p.TableName()
		s.Pairs = append(s.Pairs, pair)
	})
	return s
}

// splitStatement reads SPLIT TABLE t {BETWEEN (a, ...) AND (b, ...) REGIONS n | BY (v, ...), ...}.
func (p *parser) splitStatement() ast.Statement {
	p.Expect("SPLIT")
	p.Accept("PARTITION")
	p.Expect("TABLE")
	s := &ast.SplitTable{Name: p.TableName()}
	s.Partitions = p.partitionSelection()
	if p.ExpectAny("BETWEEN", "BY") == "BY" {
		p.List(func() { s.By = append(s.By, p.boundsInParentheses()) })
		return s
	}
	s.From = p.boundsInParentheses()
	p.Expect("AND")
	s.To = p.boundsInParentheses()
	p.Expect("REGIONS")
	s.Regions = p.IntValue("a number of regions")
	return s
}

// exprInParentheses reads (expr) and returns its tree and its text.
func (p *parser) exprInParentheses() (tree sqlparser.Expr, text string) {
	p.ExpectOp("(")
	start := p.Current().Start
	tree = p.expr().Expr
	text = p.Source(start)
	p.ExpectOp(")")
	return tree, text
}
