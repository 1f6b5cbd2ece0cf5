package parse

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

func (p *parser) createTable(temporary bool) Statement {
	s := &CreateTable{Temporary: temporary, IfNotExists: p.ifNotExists()}
	s.Name = p.tableName()
	if p.at("LIKE") || p.atOp("(") && p.isWord(p.peek(1), "LIKE") {
		return p.createTableLike(s)
	}
	defined := p.atOp("(") && !p.isQuery(p.pos)
	if defined {
		p.parenthesized(func() { p.tableElement(s) })
	}
	for p.tableOption(&s.Options) || s.Partition == nil && p.partitionBy(&s.Partition) {
	}
	if s.Fill = p.createSelect(); s.Fill == nil && !defined {
		p.expectOp("(")
	}
	p.checkPrimaryKey(s)
	return s
}

// createSelect reads [IGNORE | REPLACE] [AS] SELECT ... of CREATE TABLE; it is nil
// where there is none.
func (p *parser) createSelect() *Insert {
	s := &Insert{Node: &sqlparser.Insert{Action: sqlparser.InsertStr}}
	duplicates := p.acceptAny("IGNORE", "REPLACE")
	as := p.accept("AS")
	switch {
	case p.atAny("SELECT", "WITH", "VALUES", "TABLE"), p.atOp("(") && p.isQuery(p.pos):
	case duplicates != "" || as:
		p.expected("SELECT")
	default:
		return nil
	}
	switch duplicates {
	case "IGNORE":
		s.Ignore, s.Node.Ignore = true, "ignore "
	case "REPLACE":
		s.Node.Action = sqlparser.ReplaceStr
	}
	p.query.mayHint = true
	s.Node.Rows, _ = p.queryExpression()
	s.SelectHints = p.query.hints
	return s
}

// checkPrimaryKey refuses keys at several columns, or at a column and as
// PRIMARY KEY (...).
func (p *parser) checkPrimaryKey(s *CreateTable) {
	found := s.PrimaryKey != nil
	for _, c := range s.Columns {
		if c.PrimaryKey && found {
			p.manyPrimaryKeys(c.Offset)
		}
		found = found || c.PrimaryKey
	}
}

func (p *parser) manyPrimaryKeys(offset int) {
	p.fail(mysqlerr.New(mysqlerr.MultiplePriKey, "Multiple primary key defined (at position %d)", offset+1))
}

func (p *parser) createTableLike(s *CreateTable) Statement {
	parenthesis := p.acceptOp("(")
	p.expect("LIKE")
	like := &CreateTableLike{Name: s.Name, Like: p.tableName(), Temporary: s.Temporary, IfNotExists: s.IfNotExists}
	if parenthesis {
		p.expectOp(")")
	}
	return like
}

// tableElement reads a column, a key or a constraint.
func (p *parser) tableElement(s *CreateTable) {
	if !p.atKey() {
		s.Columns = append(s.Columns, p.columnDef())
		return
	}
	start := p.cur().start
	key := p.keyDef()
	if key.Kind == primaryKey {
		if s.PrimaryKey != nil {
			p.manyPrimaryKeys(start)
		}
		s.PrimaryKey = key.Columns
		return
	}
	s.Keys = append(s.Keys, key)
}

const primaryKey = "PRIMARY KEY"

// atKey is true at a key or constraint rather than a column.
func (p *parser) atKey() bool {
	return p.atAny("PRIMARY", "KEY", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK", "CONSTRAINT")
}

// keyDef reads a key or constraint.
func (p *parser) keyDef() KeyDef {
	k := KeyDef{}
	if p.accept("CONSTRAINT") && !p.atAny("PRIMARY", "UNIQUE", "FOREIGN", "CHECK") {
		k.Name = p.newName("the name of a constraint")
	}
	switch k.Kind = p.expectAny("PRIMARY", "KEY", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK"); k.Kind {
	case "PRIMARY":
		p.expect("KEY")
		k.Kind = primaryKey
	case "KEY":
		k.Kind = "INDEX"
	case "UNIQUE", "FULLTEXT", "SPATIAL":
		p.acceptAny("KEY", "INDEX")
	case "FOREIGN":
		p.expect("KEY")
		k.Kind = "FOREIGN KEY"
		p.keyColumns(&k)
		p.references()
		return k
	case "CHECK":
		p.check()
		return k
	}
	p.keyColumns(&k)
	return k
}

// keyColumns reads [name] [USING type] (columns) options.
func (p *parser) keyColumns(k *KeyDef) {
	if p.atName() && !p.atOp("(") {
		k.Name = p.newName("the name of an index")
	}
	p.indexType()
	p.parenthesized(func() { k.Columns = append(k.Columns, p.keyColumn()) })
	for p.indexOption() {
	}
}

func (p *parser) indexType() bool {
	if p.acceptAny("USING", "TYPE") == "" {
		return false
	}
	p.expectAny("BTREE", "HASH", "RTREE")
	return true
}

// keyColumn reads column [ASC | DESC]; an index here covers whole columns.
func (p *parser) keyColumn() string {
	t := p.cur()
	if p.atOp("(") {
		p.unsupported(t.start, "an expression in a key")
	}
	name := p.name("the name of a column")
	if p.atOp("(") {
		p.unsupported(t.start, "a prefix of a column in a key")
	}
	p.acceptAny("ASC", "DESC")
	return name
}

func (p *parser) indexOption() bool {
	switch {
	case p.indexType():
	case p.acceptAny("KEY_BLOCK_SIZE", "BLOCK_SIZE") != "":
		p.acceptOp("=")
		p.uintValue("a size")
	case p.accept("WITH"):
		p.expect("PARSER")
		p.name("the name of a parser")
	case p.accept("COMMENT"):
		p.stringValue("a comment in quotes")
	default:
		return p.acceptAny("VISIBLE", "INVISIBLE", "LOCAL", "GLOBAL") != ""
	}
	return true
}

// references reads REFERENCES of a foreign key.
func (p *parser) references() {
	p.expect("REFERENCES")
	p.tableName()
	if p.atOp("(") {
		p.parenthesized(func() { p.keyColumn() })
	}
	if p.accept("MATCH") {
		p.expectAny("FULL", "PARTIAL", "SIMPLE")
	}
	for p.accept("ON") {
		p.expectAny("DELETE", "UPDATE")
		switch p.expectAny("RESTRICT", "CASCADE", "SET", "NO") {
		case "SET":
			p.expectAny("NULL", "DEFAULT")
		case "NO":
			p.expect("ACTION")
		}
	}
}

// check reads (expr) [[NOT] ENFORCED].
func (p *parser) check() {
	p.exprInParentheses()
	if p.at("NOT", "ENFORCED") {
		p.pos++
	}
	p.accept("ENFORCED")
}

// tableOption reads one option with the comma in front of it; it is false
// where none follows.
func (p *parser) tableOption(o *TableOptions) bool {
	first := p.pos
	p.acceptOp(",")
	if p.cur().kind != tokWord || !p.namedOption(o) {
		p.pos = first
		return false
	}
	if o.Offset == 0 {
		o.Offset = p.toks[first].start
	}
	return true
}

// namedOption reads an option that has a field of its own, or one of the rest.
func (p *parser) namedOption(o *TableOptions) bool {
	isDefault := p.accept("DEFAULT")
	switch {
	case p.acceptCharset():
		o.Charset = p.optionValue("the name of a character set")
	case p.accept("COLLATE"):
		o.Collate = p.optionValue("the name of a collation")
	case isDefault:
		p.expected("CHARACTER SET or COLLATE")
	case p.accept("ENGINE"):
		o.Engine = p.optionValue("the name of an engine")
	case p.accept("COMMENT"):
		o.Comment = p.optionString("a comment in quotes")
	case p.accept("ROW_FORMAT"):
		o.RowFormat = strings.ToUpper(p.optionValue("a row format"))
	case p.accept("AUTO_INCREMENT"):
		p.acceptOp("=")
		n := p.uintValue("a number")
		o.AutoIncrement = &n
	case p.accept("HBASE"):
		o.HBase = true
	case p.accept("TABLEGROUP"):
		group := p.optionValue("the name of a table group")
		o.TableGroup = &group
	case p.retentionOption(&o.Retention):
	default:
		return p.otherOption(o)
	}
	return true
}

func (p *parser) optionString(what string) *string {
	p.acceptOp("=")
	s := p.stringValue(what)
	return &s
}

// otherOptions are MySQL's and OceanBase's options that change nothing here.
var otherOptions = []string{"KEY_BLOCK_SIZE", "COMPRESSION", "CHECKSUM", "MAX_ROWS", "MIN_ROWS", "AVG_ROW_LENGTH",
	"PACK_KEYS", "DELAY_KEY_WRITE", "STATS_PERSISTENT", "STATS_AUTO_RECALC", "STATS_SAMPLE_PAGES", "INSERT_METHOD",
	"ENCRYPTION", "TABLESPACE", "DATA DIRECTORY", "INDEX DIRECTORY", "PAGE_CHECKSUM", "TRANSACTIONAL",
	"SECONDARY_ENGINE", "AUTOEXTEND_SIZE", "REPLICA_NUM", "PRIMARY_ZONE", "LOCALITY", "BLOCK_SIZE", "TABLET_SIZE",
	"USE_BLOOM_FILTER", "ENABLE_MACRO_BLOCK_BLOOM_FILTER", "PCTFREE", "PROGRESSIVE_MERGE_NUM", "TABLE_MODE",
	"DUPLICATE_SCOPE", "LOB_INROW_THRESHOLD",
	"STORAGE_FORMAT_VERSION", "ENABLE_ROW_MOVEMENT", "TABLE_ID", "MAX_USED_PART_ID"}

func (p *parser) otherOption(o *TableOptions) bool {
	p.refuse("table option ", "CONNECTION", "UNION", "PASSWORD", "EXPIRE_INFO", "DYNAMIC_PARTITION_POLICY")
	for _, name := range otherOptions {
		if p.acceptPhrase(name) {
			p.acceptOp("=")
			start := p.cur().start
			switch p.cur().kind {
			case tokInt, tokWord, tokQuoted, tokString:
				p.pos++
			default:
				p.expected("a value")
			}
			o.Other = append(o.Other, TableOption{Name: name, Value: p.source(start)})
			return true
		}
	}
	return false
}

// numberText reads [+ | -] number.
func (p *parser) numberText() string {
	sign := ""
	if p.acceptOp("-") {
		sign = "-"
	} else {
		p.acceptOp("+")
	}
	t := p.cur()
	if t.kind != tokInt && t.kind != tokFloat {
		p.expected("a number")
	}
	text := p.text(t)
	if t.kind == tokInt {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			text = strconv.FormatUint(n, 10)
		}
	}
	p.pos++
	return sign + text
}
