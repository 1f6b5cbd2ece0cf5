package parse

import (
	"slices"
	"strings"
)

// flushStatement reads FLUSH with any of MySQL's options.
func (p *parser) flushStatement() Statement {
	p.expect("FLUSH")
	p.acceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	if p.acceptAny("TABLES", "TABLE") != "" {
		return p.flushTables()
	}
	var what []string
	p.list(func() {
		words := ""
		for p.cur().kind == tokWord {
			words += " " + strings.ToUpper(p.text(p.advance()))
		}
		if !slices.Contains(flushable, strings.TrimSpace(words)) {
			p.failAt(p.toks[max(p.pos-1, 1)].start, "what to flush")
		}
		what = append(what, strings.TrimSpace(words))
	})
	return &Flush{What: strings.Join(what, ", ")}
}

var flushable = []string{"PRIVILEGES", "STATUS", "LOGS", "BINARY LOGS", "ENGINE LOGS", "ERROR LOGS", "GENERAL LOGS",
	"SLOW LOGS", "RELAY LOGS", "HOSTS", "QUERY CACHE", "USER_RESOURCES", "OPTIMIZER_COSTS", "DES_KEY_FILE"}

func (p *parser) flushTables() Statement {
	f := &Flush{What: "TABLES"}
	if p.atName() {
		f.Tables = p.tableNames()
	}
	switch {
	case p.accept("WITH"):
		p.expect("READ", "LOCK")
		f.What += " WITH READ LOCK"
	case p.accept("FOR"):
		p.expect("EXPORT")
		f.What += " FOR EXPORT"
	}
	return f
}

// maintainStatement reads ANALYZE, OPTIMIZE, CHECK, REPAIR and CHECKSUM TABLE.
func (p *parser) maintainStatement() Statement {
	verb := p.expectAny("ANALYZE", "OPTIMIZE", "CHECK", "REPAIR", "CHECKSUM")
	if verb == "CHECK" && p.accept("STORE") {
		return &CheckStore{Options: p.maintainOptions()}
	}
	p.acceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	p.expectAny("TABLE", "TABLES")
	names := p.tableNames()
	p.refuse("ANALYZE TABLE ... ", "UPDATE HISTOGRAM", "DROP HISTOGRAM", "PERSISTENT FOR")
	var options []string
	if verb != "ANALYZE" && verb != "OPTIMIZE" {
		options = p.maintainOptions()
	}
	switch verb {
	case "ANALYZE":
		return &AnalyzeTable{Names: names}
	case "OPTIMIZE":
		return &OptimizeTable{Names: names}
	case "CHECK":
		return &CheckTable{Names: names, Options: options}
	case "REPAIR":
		return &RepairTable{Names: names}
	}
	return &ChecksumTable{Names: names, Quick: slices.Contains(options, "QUICK")}
}

func (p *parser) maintainOptions() []string {
	var options []string
	for p.atAny("FOR", "QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED", "USE_FRM") {
		option := strings.ToUpper(p.text(p.advance()))
		if option == "FOR" {
			p.expect("UPGRADE")
			option = "FOR UPGRADE"
		}
		options = append(options, option)
	}
	return options
}

func (p *parser) lockStatement() Statement {
	p.refuse("", "LOCK INSTANCE")
	p.expect("LOCK")
	p.expectAny("TABLES", "TABLE")
	s := &LockTables{}
	p.list(func() { s.Locks = append(s.Locks, p.tableLock()) })
	return s
}

func (p *parser) tableLock() TableLock {
	l := TableLock{Name: p.tableName()}
	if p.accept("AS") || p.atName() && !p.at("LOW_PRIORITY") {
		l.Alias = p.name("an alias")
	}
	p.accept("LOW_PRIORITY")
	if l.Write = p.expectAny("READ", "WRITE") == "WRITE"; !l.Write {
		p.accept("LOCAL")
	}
	return l
}

func (p *parser) unlockStatement() Statement {
	p.refuse("", "UNLOCK INSTANCE")
	p.expect("UNLOCK")
	p.expectAny("TABLES", "TABLE")
	return &UnlockTables{}
}

func (p *parser) killStatement() Statement {
	p.expect("KILL")
	p.acceptAny("HARD", "SOFT")
	s := &Kill{Query: p.acceptAny("CONNECTION", "QUERY") == "QUERY"}
	s.ID = p.expr().Expr
	return s
}

func (p *parser) doStatement() Statement {
	p.expect("DO")
	s := &Do{}
	p.list(func() { s.Exprs = append(s.Exprs, p.expr().Expr) })
	return s
}

// backupStatement reads BACKUP TO 'dir'.
func (p *parser) backupStatement() Statement {
	p.expect("BACKUP", "TO")
	if p.cur().kind == tokParam {
		return &Backup{DirParam: p.param()}
	}
	return &Backup{Dir: p.stringValue("a directory in quotes"), DirParam: -1}
}
