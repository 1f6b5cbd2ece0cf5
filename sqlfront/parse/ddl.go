package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"
)

func (p *parser) ifNotExists() bool {
	if !p.accept("IF") {
		return false
	}
	p.expect("NOT", "EXISTS")
	return true
}

func (p *parser) ifExists() bool {
	if !p.accept("IF") {
		return false
	}
	p.expect("EXISTS")
	return true
}

// refusedObjects are what CREATE, ALTER and DROP know in MySQL and not here.
var refusedObjects = []string{"INDEX", "UNIQUE INDEX", "UNIQUE KEY", "FULLTEXT INDEX", "SPATIAL INDEX", "TRIGGER",
	"PROCEDURE", "FUNCTION", "AGGREGATE FUNCTION", "EVENT", "ROLE", "SERVER", "TABLESPACE", "UNDO TABLESPACE",
	"LOGFILE GROUP", "RESOURCE GROUP", "SEQUENCE", "SPATIAL REFERENCE SYSTEM", "OUTLINE", "SYNONYM"}

// refuseObject fails with 1235 that names the verb and the object at the
// current token.
func (p *parser) refuseObject(verb string) {
	for _, o := range refusedObjects {
		if p.atPhrase(o) {
			p.unsupported(p.toks[0].start, verb+" "+o)
		}
	}
}

func (p *parser) createStatement() Statement {
	p.expect("CREATE")
	p.refuseObject("CREATE")
	switch {
	case p.accept("DATABASE"), p.accept("SCHEMA"):
		s := &CreateDatabase{IfNotExists: p.ifNotExists()}
		s.Name = p.newName("the name of a database")
		s.Options = p.databaseOptions()
		return s
	case p.accept("TABLEGROUP"):
		return p.createTableGroup()
	case p.accept("USER"):
		return p.createUser(false)
	case p.accept("TABLE"):
		return p.createTable(false)
	case p.accept("TEMPORARY", "TABLE"):
		return p.createTable(true)
	}
	return p.createView()
}

// databaseOptions reads [DEFAULT] CHARACTER SET and COLLATE.
func (p *parser) databaseOptions() DatabaseOptions {
	var o DatabaseOptions
	for {
		start := p.pos
		p.accept("DEFAULT")
		switch {
		case p.acceptCharset():
			o.Charset = p.optionValue("the name of a character set")
		case p.accept("COLLATE"):
			o.Collate = p.optionValue("the name of a collation")
		case p.accept("ENCRYPTION"):
			p.optionValue("Y or N")
		case p.pos > start:
			p.expected("CHARACTER SET or COLLATE")
		default:
			return o
		}
	}
}

// acceptCharset passes CHARACTER SET, CHAR SET or CHARSET.
func (p *parser) acceptCharset() bool {
	return p.accept("CHARACTER", "SET") || p.accept("CHAR", "SET") || p.accept("CHARSET")
}

// optionValue reads [=] word or string.
func (p *parser) optionValue(what string) string {
	p.acceptOp("=")
	return p.wordOrString(what)
}

func (p *parser) createTableGroup() Statement {
	s := &CreateTableGroup{IfNotExists: p.ifNotExists()}
	s.Name = p.tableName()
	p.groupOptions(&s.Retention, func(sharding string) { s.Sharding = sharding })
	return s
}

// groupOptions reads the options of a table group, with or without commas between
// them; it is false where there is none.
func (p *parser) groupOptions(retention *[]RetentionOption, sharding func(string)) bool {
	for n := 0; ; n++ {
		comma := n > 0 && p.acceptOp(",")
		switch {
		case p.accept("SHARDING"):
			sharding(strings.ToUpper(p.optionValue("a way of sharding")))
		case p.retentionOption(retention):
		case comma:
			p.expected("an option")
		default:
			return n > 0
		}
	}
}

func (p *parser) alterTableGroup() Statement {
	s := &AlterTableGroup{Name: p.tableName()}
	p.accept("SET")
	switch {
	case p.accept("ADD"):
		p.acceptAny("TABLE", "TABLES")
		s.AddTables = p.tableNames()
	case !p.groupOptions(&s.Retention, func(sharding string) { s.Sharding = &sharding }):
		p.expected("ADD, SHARDING or an option of retention")
	}
	return s
}

func (p *parser) alterStatement() Statement {
	p.expect("ALTER")
	p.refuseObject("ALTER")
	if p.atAny("VIEW", "ALGORITHM", "DEFINER") || p.at("SQL", "SECURITY") {
		return p.alterView()
	}
	switch {
	case p.accept("DATABASE"), p.accept("SCHEMA"):
		s := &AlterDatabase{}
		if p.atName() && !p.at("CHARSET") && !p.at("ENCRYPTION") {
			s.Name = p.newName("the name of a database")
		}
		start := p.pos
		s.Options = p.databaseOptions()
		if p.pos == start {
			p.expected("CHARACTER SET or COLLATE")
		}
		return s
	case p.accept("TABLEGROUP"):
		return p.alterTableGroup()
	case p.accept("USER"):
		return p.createUser(true)
	}
	p.accept("IGNORE")
	p.expect("TABLE")
	return p.alterTable()
}

func (p *parser) dropStatement() Statement {
	p.expect("DROP")
	p.refuseObject("DROP")
	switch p.acceptAny("DATABASE", "SCHEMA", "TABLEGROUP", "VIEW", "TABLE", "TABLES", "TEMPORARY", "PREPARE", "USER") {
	case "USER":
		return p.dropUser()
	case "PREPARE":
		return &Deallocate{Name: p.name(preparedName)}
	case "DATABASE", "SCHEMA":
		return &DropDatabase{IfExists: p.ifExists(), Name: p.databaseName()}
	case "TABLEGROUP":
		return &DropTableGroup{IfExists: p.ifExists(), Name: p.tableName()}
	case "VIEW":
		s := &DropView{IfExists: p.ifExists(), Names: p.tableNames()}
		p.acceptAny("RESTRICT", "CASCADE")
		return s
	case "TEMPORARY":
		p.expectAny("TABLE", "TABLES")
		return p.dropTables(true)
	case "TABLE", "TABLES":
		return p.dropTables(false)
	}
	p.expected("TABLE, TABLEGROUP, DATABASE or VIEW")
	return nil
}

func (p *parser) dropTables(temporary bool) Statement {
	s := &DropTable{Temporary: temporary, IfExists: p.ifExists(), Names: p.tableNames()}
	p.acceptAny("RESTRICT", "CASCADE")
	return s
}

func (p *parser) truncateStatement() Statement {
	p.expect("TRUNCATE")
	p.accept("TABLE")
	return &TruncateTable{Name: p.tableName()}
}

func (p *parser) renameStatement() Statement {
	p.expect("RENAME")
	if p.accept("USER") {
		return p.renameUser()
	}
	p.expectAny("TABLE", "TABLES")
	s := &RenameTable{}
	p.list(func() {
		pair := RenamePair{From: p.tableName()}
		p.expect("TO")
		pair.To = p.tableName()
		s.Pairs = append(s.Pairs, pair)
	})
	return s
}

// splitStatement reads SPLIT TABLE t {BETWEEN (a) AND (b) REGIONS n | BY (v), ...}.
func (p *parser) splitStatement() Statement {
	p.expect("SPLIT")
	p.accept("PARTITION")
	p.expect("TABLE")
	s := &SplitTable{Name: p.tableName()}
	s.Partitions = p.partitionSelection()
	if p.expectAny("BETWEEN", "BY") == "BY" {
		p.list(func() { s.By = append(s.By, p.boundInParentheses()) })
		return s
	}
	from := p.boundInParentheses()
	p.expect("AND")
	to := p.boundInParentheses()
	s.From, s.To = &from, &to
	p.expect("REGIONS")
	s.Regions = p.intValue("a number of regions")
	return s
}

func (p *parser) boundInParentheses() PartValue {
	p.expectOp("(")
	v := p.bound()
	p.expectOp(")")
	return v
}

// exprInParentheses reads (expr) and returns its tree and its text.
func (p *parser) exprInParentheses() (tree sqlparser.Expr, text string) {
	p.expectOp("(")
	start := p.cur().start
	tree = p.expr().Expr
	text = p.source(start)
	p.expectOp(")")
	return tree, text
}
