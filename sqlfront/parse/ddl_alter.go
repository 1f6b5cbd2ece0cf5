package parse

import "strings"

// alterTable reads what stands behind ALTER TABLE
// (https://dev.mysql.com/doc/refman/5.7/en/alter-table.html).
func (p *parser) alterTable() Statement {
	s := &AlterTable{Name: p.tableName()}
	if p.atEnd() {
		return s
	}
	p.list(func() {
		if p.alterLock() {
			return
		}
		s.Actions = append(s.Actions, p.alterActions()...)
	})
	// PARTITION BY needs no comma behind the other actions.
	for p.at("PARTITION", "BY") || p.at("REMOVE", "PARTITIONING") {
		s.Actions = append(s.Actions, p.alterActions()...)
	}
	return s
}

func (p *parser) atEnd() bool { return p.cur().kind == tokEOF || p.atOp(";") }

// alterLock passes ALGORITHM and LOCK, which say how MySQL is to go about it.
func (p *parser) alterLock() bool {
	switch {
	case p.accept("ALGORITHM"):
		p.acceptOp("=")
		p.expectAny("DEFAULT", "INPLACE", "COPY", "INSTANT")
	case p.accept("LOCK"):
		p.acceptOp("=")
		p.expectAny("DEFAULT", "NONE", "SHARED", "EXCLUSIVE")
	case p.accept("WITH", "VALIDATION"), p.accept("WITHOUT", "VALIDATION"):
	default:
		return false
	}
	return true
}

// alterVerbs read one action from its first word on; init fills it.
var alterVerbs map[string]func(*parser) AlterAction

func init() {
	alterVerbs = map[string]func(*parser) AlterAction{
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
func (p *parser) alterActions() []AlterAction {
	if p.accept("ADD") {
		return p.alterAdd()
	}
	if p.cur().kind == tokWord {
		if read := alterVerbs[strings.ToUpper(p.text(p.cur()))]; read != nil {
			return []AlterAction{read(p)}
		}
	}
	o := &AlterOptions{}
	p.accept("SET") // OceanBase allows ALTER TABLE t SET option
	// What follows a comma may be another action.
	for !p.atOp(",") && p.tableOption(&o.Options) {
	}
	if o.Options.Offset == 0 {
		p.expected("what to alter")
	}
	return []AlterAction{o}
}

func (p *parser) alterAdd() (all []AlterAction) {
	switch {
	case p.atAny("PARTITION", "SUBPARTITION"):
		return []AlterAction{p.alterAddPartition()}
	case p.atKey():
		key := p.keyDef()
		if key.Kind == primaryKey {
			return []AlterAction{&AlterAddPrimaryKey{Columns: key.Columns}}
		}
		return []AlterAction{&AlterAddKey{Key: key}}
	}
	p.accept("COLUMN")
	if !p.atOp("(") {
		p.refuseIfNotExists()
		return []AlterAction{&AlterAddColumn{Column: p.columnDef(), Position: p.position()}}
	}
	p.parenthesized(func() { all = append(all, &AlterAddColumn{Column: p.columnDef()}) })
	return all
}

// refuseIfNotExists names MariaDB's IF [NOT] EXISTS, which MySQL lacks here.
func (p *parser) refuseIfNotExists() {
	if p.at("IF", "NOT", "EXISTS") || p.at("IF", "EXISTS") {
		p.unsupported(p.cur().start, "IF [NOT] EXISTS in ALTER TABLE")
	}
}

// position reads FIRST or AFTER column.
func (p *parser) position() Position {
	if p.accept("FIRST") {
		return Position{First: true}
	}
	if p.accept("AFTER") {
		return Position{After: p.name("the name of a column")}
	}
	return Position{}
}

func (p *parser) alterAddPartition() AlterAction {
	kind := p.expectAny("PARTITION", "SUBPARTITION")
	p.acceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	if kind == "SUBPARTITION" {
		return &AlterAddPartition{Sub: true, Defs: p.partitionDefs(kind)}
	}
	if p.accept("PARTITIONS") {
		return &AlterAddPartition{Partitions: p.intValue("a number of partitions")}
	}
	return &AlterAddPartition{Defs: p.partitionDefs("PARTITION")}
}

func (p *parser) alterDrop() AlterAction {
	if p.isWord(p.peek(1), "PARTITION") || p.isWord(p.peek(1), "SUBPARTITION") {
		return p.alterPartitions()
	}
	p.expect("DROP")
	switch {
	case p.accept("EXPIRED", "PARTITIONS"):
		return &AlterDropExpired{}
	case p.accept("PRIMARY"):
		p.expect("KEY")
		return &AlterDropPrimaryKey{}
	case p.accept("FOREIGN"):
		p.expect("KEY")
		return &AlterDropKey{Kind: "FOREIGN KEY", Name: p.name("the name of a foreign key")}
	case p.acceptAny("INDEX", "KEY") != "":
		return &AlterDropKey{Kind: "INDEX", Name: p.name("the name of an index")}
	case p.atAny("CHECK", "CONSTRAINT"):
		kind := p.expectAny("CHECK", "CONSTRAINT")
		return &AlterDropKey{Kind: kind, Name: p.name("the name of a constraint")}
	}
	p.accept("COLUMN")
	p.refuseIfNotExists()
	name := p.name("the name of a column")
	p.acceptAny("RESTRICT", "CASCADE")
	return &AlterDropColumn{Name: name}
}

func (p *parser) alterModify() AlterAction {
	p.expect("MODIFY")
	if p.at("PARTITION") {
		p.unsupported(p.toks[p.pos-1].start, "MODIFY PARTITION: subpartitions are those of the template, in all partitions")
	}
	p.accept("COLUMN")
	p.refuseIfNotExists()
	return &AlterModifyColumn{Column: p.columnDef(), Position: p.position()}
}

func (p *parser) alterChange() AlterAction {
	p.expect("CHANGE")
	p.accept("COLUMN")
	p.refuseIfNotExists()
	old := p.name("the name of a column")
	return &AlterChangeColumn{Old: old, Column: p.columnDef(), Position: p.position()}
}

func (p *parser) alterRename() AlterAction {
	p.expect("RENAME")
	switch {
	case p.accept("COLUMN"):
		old := p.name("the name of a column")
		p.expect("TO")
		return &AlterRenameColumn{Old: old, New: p.newName("the name of a column")}
	case p.atAny("INDEX", "KEY"):
		p.unsupported(p.toks[p.pos-1].start, "RENAME INDEX")
	}
	p.acceptAny("TO", "AS")
	return &AlterRename{To: p.tableName()}
}

func (p *parser) alterColumn() AlterAction {
	p.expect("ALTER")
	p.refuse("ALTER TABLE ... ALTER ", "INDEX", "CHECK", "CONSTRAINT")
	p.accept("COLUMN")
	a := &AlterColumnDefault{Name: p.name("the name of a column")}
	if p.expectAny("SET", "DROP") == "DROP" {
		p.expect("DEFAULT")
		return a
	}
	p.expect("DEFAULT")
	a.Default = p.defaultValue()
	return a
}

func (p *parser) alterConvert() AlterAction {
	p.expect("CONVERT", "TO")
	if !p.acceptCharset() {
		p.expected("CHARACTER SET")
	}
	a := &AlterConvert{Charset: p.wordOrString("the name of a character set")}
	if p.accept("COLLATE") {
		a.Collate = p.optionValue("the name of a collation")
	}
	return a
}

func (p *parser) alterKeys() AlterAction {
	enable := p.expectAny("ENABLE", "DISABLE") == "ENABLE"
	p.expect("KEYS")
	return &AlterKeys{Enable: enable}
}

func (p *parser) alterForce() AlterAction {
	p.expect("FORCE")
	return &AlterForce{}
}

func (p *parser) alterOrder() AlterAction {
	p.expect("ORDER", "BY")
	a := &AlterOrderBy{}
	a.Columns = append(a.Columns, p.keyColumn())
	for p.atOp(",") && p.isName(p.peek(1)) {
		p.pos++
		a.Columns = append(a.Columns, p.keyColumn())
	}
	return a
}

func (p *parser) alterPartitionBy() AlterAction {
	return &AlterPartitionBy{By: *p.partitioning()}
}

func (p *parser) alterRemove() AlterAction {
	p.expect("REMOVE", "PARTITIONING")
	return &AlterRemovePartitioning{}
}

func (p *parser) alterCoalesce() AlterAction {
	p.expect("COALESCE", "PARTITION")
	p.acceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	return &AlterCoalescePartition{N: p.intValue("a number of partitions")}
}

func (p *parser) alterReorganize() AlterAction {
	p.expect("REORGANIZE")
	kind := p.expectAny("PARTITION", "SUBPARTITION")
	p.acceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	a := &AlterReorganizePartition{Sub: kind == "SUBPARTITION"}
	if !a.Sub && p.atEnd() {
		return a
	}
	a.Names = p.names("the name of a partition")
	p.expect("INTO")
	a.Into = p.partitionDefs(kind)
	return a
}

func (p *parser) alterExchange() AlterAction {
	p.expect("EXCHANGE")
	p.expectAny("PARTITION", "SUBPARTITION")
	a := &AlterExchangePartition{Partition: p.name("the name of a partition")}
	p.expect("WITH", "TABLE")
	a.Table = p.tableName()
	if p.acceptAny("WITH", "WITHOUT") != "" {
		p.expect("VALIDATION")
	}
	return a
}

// alterPartitions reads a verb with PARTITION or SUBPARTITION and names or ALL.
func (p *parser) alterPartitions() AlterAction {
	a := &AlterPartitions{}
	a.Verb = p.expectAny("DROP", "TRUNCATE", "ANALYZE", "CHECK", "OPTIMIZE", "REBUILD", "REPAIR", "DISCARD", "IMPORT")
	p.refuse("ALTER TABLE ... "+a.Verb+" ", "TABLESPACE")
	a.Sub = p.expectAny("PARTITION", "SUBPARTITION") == "SUBPARTITION"
	p.acceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	if a.All = p.accept("ALL"); !a.All {
		a.Names = p.names("the name of a partition")
	}
	p.accept("TABLESPACE")
	p.acceptAny("QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED")
	return a
}
