package parse

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// flushStatement reads FLUSH with any of MySQL's options.
func (p *parser) flushStatement() ast.Statement {
	p.Expect("FLUSH")
	p.AcceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	if p.AcceptAny("TABLES", "TABLE") != "" {
		return p.flushTables()
	}
	var what []string
	p.List(func() {
		words := ""
		for p.Current().Kind == lex.Word {
			words += " " + strings.ToUpper(p.Text(p.Advance()))
		}
		if !slices.Contains(flushable, strings.TrimSpace(words)) {
			p.FailAt(p.Tokens[max(p.Pos-1, 1)].Start, "what to flush")
		}
		what = append(what, strings.TrimSpace(words))
	})
	return &ast.Flush{What: strings.Join(what, ", ")}
}

var flushable = []string{"PRIVILEGES", "STATUS", "LOGS", "BINARY LOGS", "ENGINE LOGS", "ERROR LOGS", "GENERAL LOGS",
	"SLOW LOGS", "RELAY LOGS", "HOSTS", "QUERY CACHE", "USER_RESOURCES", "OPTIMIZER_COSTS", "DES_KEY_FILE"}

func (p *parser) flushTables() ast.Statement {
	f := &ast.Flush{What: "TABLES"}
	if p.AtName() {
		f.Tables = p.TableNames()
	}
	switch {
	case p.Accept("WITH"):
		p.Expect("READ", "LOCK")
		f.What += " WITH READ LOCK"
	case p.Accept("FOR"):
		p.Expect("EXPORT")
		f.What += " FOR EXPORT"
	}
	return f
}

// maintainStatement reads ANALYZE, OPTIMIZE, CHECK, REPAIR and CHECKSUM TABLE.
func (p *parser) maintainStatement() ast.Statement {
	verb := p.ExpectAny("ANALYZE", "OPTIMIZE", "CHECK", "REPAIR", "CHECKSUM")
	if verb == "CHECK" && p.Accept("STORE") {
		return &ast.CheckStore{Options: p.maintainOptions()}
	}
	p.AcceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	p.ExpectAny("TABLE", "TABLES")
	names := p.TableNames()
	p.Refuse("ANALYZE TABLE ... ", "UPDATE HISTOGRAM", "DROP HISTOGRAM", "PERSISTENT FOR")
	var options []string
	if verb != "ANALYZE" && verb != "OPTIMIZE" {
		options = p.maintainOptions()
	}
	switch verb {
	case "ANALYZE":
		return &ast.AnalyzeTable{Names: names}
	case "OPTIMIZE":
		return &ast.OptimizeTable{Names: names}
	case "CHECK":
		return &ast.CheckTable{Names: names, Options: options}
	case "REPAIR":
		return &ast.RepairTable{Names: names}
	}
	return &ast.ChecksumTable{Names: names, Quick: slices.Contains(options, "QUICK")}
}

func (p *parser) maintainOptions() []string {
	var options []string
	for p.AtAny("FOR", "QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED", "USE_FRM") {
		option := strings.ToUpper(p.Text(p.Advance()))
		if option == "FOR" {
			p.Expect("UPGRADE")
			option = "FOR UPGRADE"
		}
		options = append(options, option)
	}
	return options
}

func (p *parser) lockStatement() ast.Statement {
	p.Refuse("", "LOCK INSTANCE")
	p.Expect("LOCK")
	p.ExpectAny("TABLES", "TABLE")
	s := &ast.LockTables{}
	p.List(func() { s.Locks = append(s.Locks, p.tableLock()) })
	return s
}

func (p *parser) tableLock() ast.TableLock {
	l := ast.TableLock{Name: p.TableName()}
	if p.Accept("AS") || p.AtName() && !p.At("LOW_PRIORITY") {
		l.Alias = p.Name("an alias")
	}
	p.Accept("LOW_PRIORITY")
	if l.Write = p.ExpectAny("READ", "WRITE") == "WRITE"; !l.Write {
		p.Accept("LOCAL")
	}
	return l
}

func (p *parser) unlockStatement() ast.Statement {
	p.Refuse("", "UNLOCK INSTANCE")
	p.Expect("UNLOCK")
	p.ExpectAny("TABLES", "TABLE")
	return &ast.UnlockTables{}
}

func (p *parser) killStatement() ast.Statement {
	p.Expect("KILL")
	p.AcceptAny("HARD", "SOFT")
	s := &ast.Kill{Query: p.AcceptAny("CONNECTION", "QUERY") == "QUERY"}
	s.ID = p.expr().Expr
	return s
}

func (p *parser) doStatement() ast.Statement {
	p.Expect("DO")
	s := &ast.Do{}
	p.List(func() { s.Exprs = append(s.Exprs, p.expr().Expr) })
	return s
}

// backupStatement reads BACKUP TO 'dir'.
func (p *parser) backupStatement() ast.Statement {
	p.Expect("BACKUP", "TO")
	if p.Current().Kind == lex.Param {
		return &ast.Backup{DirParam: p.param()}
	}
	return &ast.Backup{Dir: p.StringValue("a directory in quotes"), DirParam: -1}
}
