package parse

import (
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// showStatement reads SHOW
// (https://dev.mysql.com/doc/refman/5.7/en/show.html).
func (p *parser) showStatement() ast.Statement {
	p.Expect("SHOW")
	s := &ast.Show{LikeParam: -1}
	s.Extended = p.Accept("EXTENDED")
	s.Full = p.Accept("FULL")
	switch p.AcceptAny("GLOBAL", "SESSION", "LOCAL") {
	case "GLOBAL":
		s.Global = true
		fallthrough
	case "SESSION", "LOCAL":
		if !p.AtAny("VARIABLES", "STATUS") {
			p.Expected("VARIABLES or STATUS")
		}
	}
	p.Refuse("SHOW ", refusedShows...)
	if p.Accept("CREATE") {
		p.showCreate(s)
		return s
	}
	for _, form := range showForms {
		if p.AcceptPhrase(form.words) {
			s.Kind = form.kind
			form.rest(p, s)
			return s
		}
	}
	p.Expected("what to show")
	return nil
}

var refusedShows = []string{"BINLOG EVENTS", "RELAYLOG EVENTS", "PROCEDURE CODE", "FUNCTION CODE", "PARAMETERS",
	"CREATE PROCEDURE", "CREATE FUNCTION", "CREATE TRIGGER", "CREATE EVENT",
	"CREATE SEQUENCE", "PACKAGE"}

// showForm is a SHOW statement's fields and the function that reads what follows its words.
type showForm struct {
	words string
	kind  ast.ShowKind
	rest  func(*parser, *ast.Show)
}

var showForms = []showForm{
	{"DATABASES", ast.ShowDatabases, (*parser).showFilter},
	{"SCHEMAS", ast.ShowDatabases, (*parser).showFilter},
	{"TABLES", ast.ShowTables, (*parser).showFrom},
	{"OPEN TABLES", ast.ShowOpenTables, (*parser).showFrom},
	{"TABLE STATUS", ast.ShowTableStatus, (*parser).showFrom},
	{"COLUMNS", ast.ShowColumns, (*parser).showOfTable},
	{"FIELDS", ast.ShowColumns, (*parser).showOfTable},
	{"INDEX", ast.ShowIndex, (*parser).showOfTable},
	{"INDEXES", ast.ShowIndex, (*parser).showOfTable},
	{"KEYS", ast.ShowIndex, (*parser).showOfTable},
	{"PARTITIONS", ast.ShowPartitions, (*parser).showOfTable},
	{"TABLEGROUPS", ast.ShowTableGroups, (*parser).showFrom},
	{"VARIABLES", ast.ShowVariables, (*parser).showFilter},
	{"STATUS", ast.ShowStatus, (*parser).showFilter},
	{"WARNINGS", ast.ShowWarnings, (*parser).showLimit},
	{"ERRORS", ast.ShowErrors, (*parser).showLimit},
	{"COUNT", ast.ShowWarnings, (*parser).showCount},
	{"STORAGE ENGINES", ast.ShowEngines, (*parser).showFilter},
	{"ENGINES", ast.ShowEngines, (*parser).showFilter},
	{"ENGINE", ast.ShowEngineStatus, (*parser).showEngine},
	{"COLLATION", ast.ShowCollation, (*parser).showFilter},
	{"CHARACTER SET", ast.ShowCharset, (*parser).showFilter},
	{"CHAR SET", ast.ShowCharset, (*parser).showFilter},
	{"CHARSET", ast.ShowCharset, (*parser).showFilter},
	{"PROCESSLIST", ast.ShowProcessList, (*parser).showFilter},
	{"GRANTS", ast.ShowGrants, (*parser).showGrants},
	{"PRIVILEGES", ast.ShowPrivileges, (*parser).showFilter},
	{"PLUGINS", ast.ShowPlugins, (*parser).showFilter},
	{"TRIGGERS", ast.ShowTriggers, (*parser).showFrom},
	{"EVENTS", ast.ShowEvents, (*parser).showFrom},
	{"PROCEDURE STATUS", ast.ShowProcedureStatus, (*parser).showFilter},
	{"FUNCTION STATUS", ast.ShowFunctionStatus, (*parser).showFilter},
	{"MASTER STATUS", ast.ShowMasterStatus, (*parser).showFilter},
	{"BINARY LOG STATUS", ast.ShowMasterStatus, (*parser).showFilter},
	{"BINARY LOGS", ast.ShowBinaryLogs, (*parser).showFilter},
	{"MASTER LOGS", ast.ShowBinaryLogs, (*parser).showFilter},
	{"SLAVE STATUS", ast.ShowReplicaStatus, (*parser).showFilter},
	{"REPLICA STATUS", ast.ShowReplicaStatus, (*parser).showFilter},
	{"SLAVE HOSTS", ast.ShowReplicas, (*parser).showFilter},
	{"REPLICAS", ast.ShowReplicas, (*parser).showFilter},
	{"PROFILES", ast.ShowProfiles, (*parser).showFilter},
	{"PROFILE", ast.ShowProfile, (*parser).showProfile},
}

// showFilter reads LIKE or WHERE.
func (p *parser) showFilter(s *ast.Show) {
	switch {
	case p.Accept("LIKE"):
		if p.Current().Kind == lex.Param {
			s.LikeParam = p.param()
			return
		}
		like := p.StringValue("a pattern in quotes or ?")
		s.Like = &like
	case p.Accept("WHERE"):
		s.Where = p.expr().Expr
	}
}

// showFrom reads [{FROM | IN} database] with a filter.
func (p *parser) showFrom(s *ast.Show) {
	if p.AcceptAny("FROM", "IN") != "" {
		s.Database = p.DatabaseName()
	}
	p.showFilter(s)
}

// showOfTable reads {FROM | IN} table [{FROM | IN} database] with a filter.
func (p *parser) showOfTable(s *ast.Show) {
	p.ExpectAny("FROM", "IN")
	s.Table = p.TableName()
	if p.AcceptAny("FROM", "IN") != "" {
		s.Table.Database = p.DatabaseName()
	}
	p.showFilter(s)
}

func (p *parser) showLimit(s *ast.Show) {
	if p.At("LIMIT") {
		s.Limit = p.limit(true)
	}
}

func (p *parser) showCount(s *ast.Show) {
	p.ExpectOp("(")
	p.ExpectOp("*")
	p.ExpectOp(")")
	s.Count = true
	if p.ExpectAny("WARNINGS", "ERRORS") == "ERRORS" {
		s.Kind = ast.ShowErrors
	}
}

func (p *parser) showEngine(s *ast.Show) {
	s.Name = p.WordOrString("the name of an engine")
	s.Status = p.ExpectAny("STATUS", "MUTEX", "LOGS") == "STATUS"
}

// showGrants reads [FOR user].
func (p *parser) showGrants(s *ast.Show) {
	s.Account = ast.AccountName{Current: true}
	if p.Accept("FOR") {
		s.Account = p.accounts().Name()
	}
}

// showProfile reads [type, ...] [FOR QUERY n] [LIMIT n].
func (p *parser) showProfile(s *ast.Show) {
	for p.Current().Kind == lex.Word && !p.AtAny("FOR", "LIMIT") || p.AtOp(",") {
		p.Pos++
	}
	if p.Accept("FOR") {
		p.Expect("QUERY")
		p.IntValue("the number of a query")
	}
	p.showLimit(s)
}

// showCreate reads what follows SHOW CREATE.
func (p *parser) showCreate(s *ast.Show) {
	switch p.ExpectAny("TABLE", "VIEW", "DATABASE", "SCHEMA", "TABLEGROUP", "USER") {
	case "USER":
		s.Kind, s.Account = ast.ShowCreateUser, p.accounts().Name()
	case "TABLE":
		s.Kind, s.Table = ast.ShowCreateTable, p.TableName()
	case "VIEW":
		s.Kind, s.Table = ast.ShowCreateView, p.TableName()
	case "TABLEGROUP":
		s.Kind, s.Table = ast.ShowCreateTableGroup, p.TableName()
		s.Name = s.Table.Name
	default:
		s.Kind, s.IfNotExists = ast.ShowCreateDatabase, p.IfNotExists()
		s.Name = p.DatabaseName()
	}
}
