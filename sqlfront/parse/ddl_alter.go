package parse

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// alterTable reads what follows ALTER TABLE
// (https://dev.mysql.com/doc/refman/5.7/en/alter-table.html).
func (p *parser) alterTable() ast.Statement {
	s := &ast.AlterTable{Name: p.TableName()}
	if p.atEnd() {
		return s
	}
	p.List(func() {
		if p.alterLock() {
			return
		}
		s.Actions = append(s.Actions, p.alterActions()...)
	})
	// PARTITION BY needs no comma after the other actions.
	for p.At("PARTITION", "BY") || p.At("REMOVE", "PARTITIONING") {
		s.Actions = append(s.Actions, p.alterActions()...)
	}
	return s
}

func (p *parser) atEnd() bool { return p.Current().Kind == lex.EOF || p.AtOp(";") }

// alterLock skips ALGORITHM, LOCK and VALIDATION, which only say how MySQL is to proceed.
func (p *parser) alterLock() bool {
	switch {
	case p.Accept("ALGORITHM"):
		p.AcceptOp("=")
		p.ExpectAny("DEFAULT", "INPLACE", "COPY", "INSTANT")
	case p.Accept("LOCK"):
		p.AcceptOp("=")
		p.ExpectAny("DEFAULT", "NONE", "SHARED", "EXCLUSIVE")
	case p.Accept("WITH", "VALIDATION"), p.Accept("WITHOUT", "VALIDATION"):
	default:
		return false
	}
	return true
}

// alterVerbs read one action from its first word on; init fills it.
var alterVerbs map[string]func(*parser) ast.AlterAction

func init() {
	alterVerbs = map[string]func(*parser) ast.AlterAction{
		"DROP": (*parser).alterDrop, "MODIFY": (*parser).alterModify,
		"CHANGE": (*parser).alterChange, "RENAME": (*parser).alterRename, "ALTER": (*parser).alterColumn,
		"CONVERT": (*parser).alterConvert, "ENABLE": (*parser).alterKeys, "DISABLE": (*parser).alterKeys,
		"FORCE": (*parser).alterForce, "ORDER": (*parser).alterOrder, "PARTITION": (*parser).alterPartitionBy,
		"REMOVE": (*parser).alterRemove, "COALESCE": (*parser).alterCoalesce,
		"REORGANIZE": (*parser).alterReorganize, "EXCHANGE": (*parser).alterExchange,
		"TRUNCATE": (*parser).alterPartitions, "ANALYZE": (*parser).alterPartitions,
		"CHECK": (*parser).alterPartitions, "OPTIMIZE": (*parser).alterPartitions,
		"REBUILD": (*parser).alterPartitions, "REPAIR": (*parser).alterPartitions,
		"DISCARD": (*parser).alterPartitions, "IMPORT": (*parser).alterPartitions,
	}
}

// alterActions reads one action, or the columns of ADD (a, b).
func (p *parser) alterActions() []ast.AlterAction {
	if p.Accept("ADD") {
		return p.alterAdd()
	}
	if p.Current().Kind == lex.Word {
		if read := alterVerbs[strings.ToUpper(p.Text(p.Current()))]; read != nil {
			return []ast.AlterAction{read(p)}
		}
	}
	o := &ast.AlterOptions{}
	p.Accept("SET") // OceanBase allows ALTER TABLE t SET option
	// What follows a comma may be another action.
	for !p.AtOp(",") && p.tableOption(&o.Options) {
	}
	if o.Options.Offset == 0 {
		p.Expected("what to alter")
	}
	return []ast.AlterAction{o}
}

func (p *parser) alterAdd() (all []ast.AlterAction) {
	switch {
	case p.AtAny("PARTITION", "SUBPARTITION"):
		return []ast.AlterAction{p.alterAddPartition()}
	case p.atKey():
		key := p.keyDef()
		if key.Kind == primaryKey {
			return []ast.AlterAction{&ast.AlterAddPrimaryKey{Columns: p.wholeColumns(key)}}
		}
		return []ast.AlterAction{&ast.AlterAddKey{Key: key}}
	}
	p.Accept("COLUMN")
	if !p.AtOp("(") {
		p.refuseIfNotExists()
		return []ast.AlterAction{&ast.AlterAddColumn{Column: p.columnDef(), Position: p.position()}}
	}
	p.Parenthesized(func() { all = append(all, &ast.AlterAddColumn{Column: p.columnDef()}) })
	return all
}

// refuseIfNotExists fails with MariaDB's IF [NOT] EXISTS, which MySQL lacks here.
func (p *parser) refuseIfNotExists() {
	if p.At("IF", "NOT", "EXISTS") || p.At("IF", "EXISTS") {
		p.Unsupported(p.Current().Start, "IF [NOT] EXISTS in ALTER TABLE")
	}
}

// position reads FIRST or AFTER column.
func (p *parser) position() ast.Position {
	if p.Accept("FIRST") {
		return ast.Position{First: true}
	}
	if p.Accept("AFTER") {
		return ast.Position{After: p.Name("the name of a column")}
	}
	return ast.Position{}
}

func (p *parser) alterAddPartition() ast.AlterAction {
	kind := p.ExpectAny("PARTITION", "SUBPARTITION")
	p.AcceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	if kind == "SUBPARTITION" {
		return &ast.AlterAddPartition{Sub: true, Defs: p.partitionDefs(kind)}
	}
	if p.Accept("PARTITIONS") {
		return &ast.AlterAddPartition{Partitions: p.IntValue("a number of partitions")}
	}
	return &ast.AlterAddPartition{Defs: p.partitionDefs("PARTITION")}
}

func (p *parser) alterDrop() ast.AlterAction {
	if p.IsWord(p.Peek(1), "PARTITION") || p.IsWord(p.Peek(1), "SUBPARTITION") {
		return p.alterPartitions()
	}
	p.Expect("DROP")
	switch {
	case p.Accept("EXPIRED", "PARTITIONS"):
		return &ast.AlterDropExpired{}
	case p.Accept("PRIMARY"):
		p.Expect("KEY")
		return &ast.AlterDropPrimaryKey{}
	case p.Accept("FOREIGN"):
		p.Expect("KEY")
		return &ast.AlterDropKey{Kind: "FOREIGN KEY", Name: p.Name("the name of a foreign key")}
	case p.AcceptAny("INDEX", "KEY") != "":
		return p.droppedIndex()
	case p.AtAny("CHECK", "CONSTRAINT"):
		kind := p.ExpectAny("CHECK", "CONSTRAINT")
		return &ast.AlterDropKey{Kind: kind, Name: p.Name("the name of a constraint")}
	}
	p.Accept("COLUMN")
	p.refuseIfNotExists()
	name := p.Name("the name of a column")
	p.AcceptAny("RESTRICT", "CASCADE")
	return &ast.AlterDropColumn{Name: name}
}

func (p *parser) alterModify() ast.AlterAction {
	p.Expect("MODIFY")
	if p.At("PARTITION") {
		p.Unsupported(p.Tokens[p.Pos-1].Start, "MODIFY PARTITION: all partitions have the subpartitions of the template")
	}
	p.Accept("COLUMN")
	p.refuseIfNotExists()
	return &ast.AlterModifyColumn{Column: p.columnDef(), Position: p.position()}
}

func (p *parser) alterChange() ast.AlterAction {
	p.Expect("CHANGE")
	p.Accept("COLUMN")
	p.refuseIfNotExists()
	old := p.Name("the name of a column")
	return &ast.AlterChangeColumn{Old: old, Column: p.columnDef(), Position: p.position()}
}

func (p *parser) alterRename() ast.AlterAction {
	p.Expect("RENAME")
	switch {
	case p.Accept("COLUMN"):
		old := p.Name("the name of a column")
		p.Expect("TO")
		return &ast.AlterRenameColumn{Old: old, New: p.NewName("the name of a column")}
	case p.AcceptAny("INDEX", "KEY") != "":
		old := p.Name(indexName)
		p.Expect("TO")
		return &ast.AlterRenameIndex{Old: old, New: p.NewName(indexName)}
	}
	p.AcceptAny("TO", "AS")
	return &ast.AlterRename{To: p.TableName()}
}

func (p *parser) alterColumn() ast.AlterAction {
	p.Expect("ALTER")
	p.Refuse("ALTER TABLE ... ALTER ", "INDEX")
	if p.AcceptAny("CHECK", "CONSTRAINT") != "" {
		check := &ast.AlterCheck{Name: p.Name("the name of a constraint"), NotEnforced: p.Accept("NOT")}
		p.Expect("ENFORCED")
		return check
	}
	p.Accept("COLUMN")
	a := &ast.AlterColumnDefault{Name: p.Name("the name of a column")}
	if p.ExpectAny("SET", "DROP") == "DROP" {
		p.Expect("DEFAULT")
		return a
	}
	p.Expect("DEFAULT")
	a.Default = p.defaultValue()
	return a
}

func (p *parser) alterConvert() ast.AlterAction {
	p.Expect("CONVERT", "TO")
	if !p.acceptCharset() {
		p.Expected("CHARACTER SET")
	}
	a := &ast.AlterConvert{Charset: p.WordOrString("the name of a character set")}
	if p.Accept("COLLATE") {
		a.Collate = p.optionValue("the name of a collation")
	}
	return a
}

func (p *parser) alterKeys() ast.AlterAction {
	enable := p.ExpectAny("ENABLE", "DISABLE") == "ENABLE"
	p.Expect("KEYS")
	return &ast.AlterKeys{Enable: enable}
}

func (p *parser) alterForce() ast.AlterAction {
	p.Expect("FORCE")
	return &ast.AlterForce{}
}

func (p *parser) alterOrder() ast.AlterAction {
	p.Expect("ORDER", "BY")
	a := &ast.AlterOrderBy{}
	a.Columns = append(a.Columns, p.keyColumn())
	for p.AtOp(",") && p.IsName(p.Peek(1)) {
		p.Pos++
		a.Columns = append(a.Columns, p.keyColumn())
	}
	return a
}

func (p *parser) alterPartitionBy() ast.AlterAction {
	return &ast.AlterPartitionBy{By: *p.partitioning()}
}

func (p *parser) alterRemove() ast.AlterAction {
	p.Expect("REMOVE", "PARTITIONING")
	return &ast.AlterRemovePartitioning{}
}

func (p *parser) alterCoalesce() ast.AlterAction {
	p.Expect("COALESCE", "PARTITION")
	p.AcceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	return &ast.AlterCoalescePartition{N: p.IntValue("a number of partitions")}
}

func (p *parser) alterReorganize() ast.AlterAction {
	p.Expect("REORGANIZE")
	kind := p.ExpectAny("PARTITION", "SUBPARTITION")
	p.AcceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	a := &ast.AlterReorganizePartition{Sub: kind == "SUBPARTITION"}
	if !a.Sub && p.atEnd() {
		return a
	}
	a.Names = p.Names("the name of a partition")
	p.Expect("INTO")
	a.Into = p.partitionDefs(kind)
	return a
}

func (p *parser) alterExchange() ast.AlterAction {
	p.Expect("EXCHANGE")
	p.ExpectAny("PARTITION", "SUBPARTITION")
	a := &ast.AlterExchangePartition{Partition: p.Name("the name of a partition")}
	p.Expect("WITH", "TABLE")
	a.Table = p.TableName()
	if p.AcceptAny("WITH", "WITHOUT") != "" {
		p.Expect("VALIDATION")
	}
	return a
}

// alterPartitions reads a verb with PARTITION or SUBPARTITION and names or ALL.
func (p *parser) alterPartitions() ast.AlterAction {
	a := &ast.AlterPartitions{}
	a.Verb = p.ExpectAny("DROP", "TRUNCATE", "ANALYZE", "CHECK", "OPTIMIZE", "REBUILD", "REPAIR", "DISCARD", "IMPORT")
	p.Refuse("ALTER TABLE ... "+a.Verb+" ", "TABLESPACE")
	a.Sub = p.ExpectAny("PARTITION", "SUBPARTITION") == "SUBPARTITION"
	p.AcceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	if a.All = p.Accept("ALL"); !a.All {
		a.Names = p.Names("the name of a partition")
	}
	p.Accept("TABLESPACE")
	p.AcceptAny("QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED")
	return a
}
