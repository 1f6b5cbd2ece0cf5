package parse

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

func (p *parser) createTable(temporary bool) ast.Statement {
	s := &ast.CreateTable{Temporary: temporary, IfNotExists: p.IfNotExists()}
	s.Name = p.TableName()
	if p.At("LIKE") || p.AtOp("(") && p.IsWord(p.Peek(1), "LIKE") {
		return p.createTableLike(s)
	}
	defined := p.AtOp("(") && !p.isQuery(p.Pos)
	if defined {
		p.Parenthesized(func() { p.tableElement(s) })
	}
	for p.tableOption(&s.Options) || s.Partition == nil && p.partitionBy(&s.Partition) {
	}
	if s.Fill = p.createSelect(); s.Fill == nil && !defined {
		p.ExpectOp("(")
	}
	p.checkPrimaryKey(s)
	return s
}

// createSelect reads [IGNORE | REPLACE] [AS] SELECT ... of CREATE TABLE; it is nil if there is none.
func (p *parser) createSelect() *ast.Insert {
	s := &ast.Insert{Node: &sqlparser.Insert{Action: sqlparser.InsertStr}}
	duplicates := p.AcceptAny("IGNORE", "REPLACE")
	as := p.Accept("AS")
	switch {
	case p.AtAny("SELECT", "WITH", "VALUES", "TABLE"), p.AtOp("(") && p.isQuery(p.Pos):
	case duplicates != "" || as:
		p.Expected("SELECT")
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

// checkPrimaryKey refuses primary keys on several columns, or both on a column and as PRIMARY KEY (...).
func (p *parser) checkPrimaryKey(s *ast.CreateTable) {
	found := s.PrimaryKey != nil
	for _, c := range s.Columns {
		if c.PrimaryKey && found {
			p.manyPrimaryKeys(c.Offset)
		}
		found = found || c.PrimaryKey
	}
}

func (p *parser) manyPrimaryKeys(offset int) {
	p.Fail(mysqlerr.New(mysqlerr.MultiplePriKey, "Multiple primary key defined (at position %d)", offset+1))
}

func (p *parser) createTableLike(s *ast.CreateTable) ast.Statement {
	parenthesis := p.AcceptOp("(")
	p.Expect("LIKE")
	like := &ast.CreateTableLike{Name: s.Name, Like: p.TableName(), Temporary: s.Temporary, IfNotExists: s.IfNotExists}
	if parenthesis {
		p.ExpectOp(")")
	}
	return like
}

// tableElement reads a column, a key or a constraint.
func (p *parser) tableElement(s *ast.CreateTable) {
	if !p.atKey() {
		s.Columns = append(s.Columns, p.columnDef())
		return
	}
	start := p.Current().Start
	key := p.keyDef()
	if key.Kind == primaryKey {
		if s.PrimaryKey != nil {
			p.manyPrimaryKeys(start)
		}
		s.PrimaryKey = p.wholeColumns(key)
		return
	}
	s.Keys = append(s.Keys, key)
}

// references reads REFERENCES of a foreign key, and returns it as SHOW CREATE TABLE writes it.
func (p *parser) references() string {
	p.Expect("REFERENCES")
	table, columns := p.TableName(), []string{}
	text := "REFERENCES " + strings.TrimPrefix(lex.QuoteName(table.Database)+"."+lex.QuoteName(table.Name), "``.")
	if p.AtOp("(") {
		p.Parenthesized(func() { columns = append(columns, lex.QuoteName(p.Name("the name of a column"))) })
		text += " (" + strings.Join(columns, ",") + ")"
	}
	if p.Accept("MATCH") {
		text += " MATCH " + p.ExpectAny("FULL", "PARTIAL", "SIMPLE")
	}
	for p.Accept("ON") {
		text += " ON " + p.ExpectAny("DELETE", "UPDATE")
		switch action := p.ExpectAny("RESTRICT", "CASCADE", "SET", "NO"); action {
		case "SET":
			text += " SET " + p.ExpectAny("NULL", "DEFAULT")
		case "NO":
			text += " NO " + p.ExpectAny("ACTION")
		default:
			text += " " + action
		}
	}
	return text
}

// check reads (expr) [[NOT] ENFORCED].
func (p *parser) check(k *ast.KeyDef) {
	k.Expr, k.Text = p.exprInParentheses()
	if k.NotEnforced = p.Accept("NOT", "ENFORCED"); !k.NotEnforced {
		p.Accept("ENFORCED")
	}
}

// tableOption reads one option with the comma before it; it is false if none follows.
func (p *parser) tableOption(o *ast.TableOptions) bool {
	first := p.Pos
	p.AcceptOp(",")
	if p.Current().Kind != lex.Word || !p.namedOption(o) {
		p.Pos = first
		return false
	}
	if o.Offset == 0 {
		o.Offset = p.Tokens[first].Start
	}
	return true
}

// namedOption reads an option that has a field of its own, or one of the others.
func (p *parser) namedOption(o *ast.TableOptions) bool {
	isDefault := p.Accept("DEFAULT")
	switch {
	case p.acceptCharset():
		o.Charset = p.optionValue("the name of a character set")
	case p.Accept("COLLATE"):
		o.Collate = p.optionValue("the name of a collation")
	case isDefault:
		p.Expected("CHARACTER SET or COLLATE")
	case p.Accept("ENGINE"):
		o.Engine = p.optionValue("the name of an engine")
	case p.Accept("COMMENT"):
		o.Comment = p.optionString("a comment in quotes")
	case p.Accept("ROW_FORMAT"):
		o.RowFormat = strings.ToUpper(p.optionValue("a row format"))
	case p.Accept("AUTO_INCREMENT"):
		p.AcceptOp("=")
		n := p.UintValue("a number")
		o.AutoIncrement = &n
	case p.Accept("HBASE"):
		o.HBase = true
	case p.Accept("TABLEGROUP"):
		group := p.optionValue("the name of a table group")
		o.TableGroup = &group
	case p.mappingOption(&o.Mapping), p.retentionOption(&o.Retention):
	default:
		return p.otherOption(o)
	}
	return true
}

// mappingOption reads an option of a mapped table; it is false if none follows.
func (p *parser) mappingOption(m *ast.Mapping) bool {
	for name, option := range map[string]**string{"HBASE_TABLE": &m.Table, "HBASE_COLUMNS": &m.Columns, "HBASE_KEY_SEPARATOR": &m.Separator} {
		if p.Accept(name) {
			p.AcceptOp("=")
			*option = p.StringOrHex("the " + name + " in quotes")
			return true
		}
	}
	return false
}

func (p *parser) optionString(what string) *string {
	p.AcceptOp("=")
	s := p.StringValue(what)
	return &s
}

// otherOptions are MySQL's and OceanBase's options that have no effect here.
var otherOptions = []string{"KEY_BLOCK_SIZE", "COMPRESSION", "CHECKSUM", "MAX_ROWS", "MIN_ROWS", "AVG_ROW_LENGTH",
	"PACK_KEYS", "DELAY_KEY_WRITE", "STATS_PERSISTENT", "STATS_AUTO_RECALC", "STATS_SAMPLE_PAGES", "INSERT_METHOD",
	"ENCRYPTION", "TABLESPACE", "DATA DIRECTORY", "INDEX DIRECTORY", "PAGE_CHECKSUM", "TRANSACTIONAL",
	"SECONDARY_ENGINE", "AUTOEXTEND_SIZE", "REPLICA_NUM", "PRIMARY_ZONE", "LOCALITY", "BLOCK_SIZE", "TABLET_SIZE",
	"USE_BLOOM_FILTER", "ENABLE_MACRO_BLOCK_BLOOM_FILTER", "PCTFREE", "PROGRESSIVE_MERGE_NUM", "TABLE_MODE",
	"DUPLICATE_SCOPE", "LOB_INROW_THRESHOLD",
	"STORAGE_FORMAT_VERSION", "ENABLE_ROW_MOVEMENT", "TABLE_ID", "MAX_USED_PART_ID"}

func (p *parser) otherOption(o *ast.TableOptions) bool {
	p.Refuse("table option ", "CONNECTION", "UNION", "PASSWORD", "EXPIRE_INFO", "DYNAMIC_PARTITION_POLICY")
	for _, name := range otherOptions {
		if p.AcceptPhrase(name) {
			p.AcceptOp("=")
			start := p.Current().Start
			switch p.Current().Kind {
			case lex.Int, lex.Word, lex.Quoted, lex.String:
				p.Pos++
			default:
				p.Expected("a value")
			}
			o.Other = append(o.Other, ast.TableOption{Name: name, Value: p.Source(start)})
			return true
		}
	}
	return false
}

// numberText reads [+ | -] number.
func (p *parser) numberText() string {
	sign := ""
	if p.AcceptOp("-") {
		sign = "-"
	} else {
		p.AcceptOp("+")
	}
	t := p.Current()
	if t.Kind != lex.Int && t.Kind != lex.Float {
		p.Expected("a number")
	}
	text := p.Text(t)
	if t.Kind == lex.Int {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			text = strconv.FormatUint(n, 10)
		}
	}
	p.Pos++
	return sign + text
}
