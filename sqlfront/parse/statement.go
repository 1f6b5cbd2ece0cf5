package parse

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// verbs read a statement from its first word on, keyed by that word in upper case; init fills it, since the
// readers refer to the parser, which refers to this map.
var verbs map[string]func(*parser) ast.Statement

func init() {
	verbs = map[string]func(*parser) ast.Statement{
		"SELECT": (*parser).selectStatement, "INSERT": (*parser).insertStatement,
		"REPLACE": (*parser).insertStatement, "UPDATE": (*parser).updateStatement,
		"DELETE": (*parser).deleteStatement, "WITH": (*parser).withStatement, "VALUES": (*parser).selectStatement,
		"TABLE":  (*parser).selectStatement,
		"CREATE": (*parser).createStatement, "ALTER": (*parser).alterStatement,
		"DROP": (*parser).dropStatement, "TRUNCATE": (*parser).truncateStatement,
		"RENAME": (*parser).renameStatement, "SPLIT": (*parser).splitStatement,
		"USE": (*parser).useStatement, "SET": (*parser).setStatement, "SHOW": (*parser).showStatement,
		"EXPLAIN": (*parser).explainStatement, "DESCRIBE": (*parser).explainStatement,
		"DESC": (*parser).explainStatement, "BEGIN": (*parser).beginStatement,
		"START": (*parser).startStatement, "COMMIT": (*parser).commitStatement,
		"ROLLBACK": (*parser).rollbackStatement, "SAVEPOINT": (*parser).savepointStatement,
		"RELEASE": (*parser).releaseStatement, "FLUSH": (*parser).flushStatement,
		"ANALYZE": (*parser).maintainStatement, "OPTIMIZE": (*parser).maintainStatement,
		"CHECK": (*parser).maintainStatement, "REPAIR": (*parser).maintainStatement,
		"CHECKSUM": (*parser).maintainStatement, "LOCK": (*parser).lockStatement,
		"UNLOCK": (*parser).unlockStatement, "KILL": (*parser).killStatement,
		"DO": (*parser).doStatement, "BACKUP": (*parser).backupStatement,
		"PREPARE": (*parser).prepareStatement, "EXECUTE": (*parser).executeStatement,
		"DEALLOCATE": (*parser).deallocateStatement, "LOAD": (*parser).loadStatement,
		"GRANT":  func(p *parser) ast.Statement { return p.accounts().Grant() },
		"REVOKE": func(p *parser) ast.Statement { return p.accounts().Revoke() },
	}
}

// refused are MySQL's statements that are recognized but not supported, by their first word.
var refused = byFirstWord(
	"ALTER INSTANCE", "BINLOG", "CACHE INDEX", "CALL", "CHANGE MASTER", "CHANGE REPLICATION", "CLONE",
	"DECLARE", "GET DIAGNOSTICS", "HANDLER", "HELP", "IMPORT TABLE",
	"INSTALL", "LOAD INDEX", "LOAD XML", "PURGE", "RESET", "RESIGNAL", "RESTART",
	"SHUTDOWN", "SIGNAL", "START SLAVE", "START REPLICA", "START GROUP_REPLICATION", "STOP SLAVE",
	"STOP REPLICA", "STOP GROUP_REPLICATION", "UNINSTALL", "XA",
)

func byFirstWord(phrases ...string) map[string][]string {
	m := map[string][]string{}
	for _, phrase := range phrases {
		first, _, _ := strings.Cut(phrase, " ")
		m[first] = append(m[first], phrase)
	}
	return m
}

// statement reads the statement that the first word announces.
func (p *parser) statement() ast.Statement {
	t := p.Current()
	if p.AtOp("(") {
		return p.selectStatement()
	}
	if t.Kind == lex.Word {
		verb := strings.ToUpper(p.Text(t))
		p.Refuse("", refused[verb]...)
		if read := verbs[verb]; read != nil {
			return read(p)
		}
	}
	p.Expected("a statement")
	return nil
}
