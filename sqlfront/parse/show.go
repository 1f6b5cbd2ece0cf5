package parse

// showStatement reads SHOW
// (https://dev.mysql.com/doc/refman/5.7/en/show.html).
func (p *parser) showStatement() Statement {
	p.expect("SHOW")
	s := &Show{LikeParam: -1}
	s.Extended = p.accept("EXTENDED")
	s.Full = p.accept("FULL")
	switch p.acceptAny("GLOBAL", "SESSION", "LOCAL") {
	case "GLOBAL":
		s.Global = true
		fallthrough
	case "SESSION", "LOCAL":
		if !p.atAny("VARIABLES", "STATUS") {
			p.expected("VARIABLES or STATUS")
		}
	}
	p.refuse("SHOW ", refusedShows...)
	if p.accept("CREATE") {
		p.showCreate(s)
		return s
	}
	for _, form := range showForms {
		if p.acceptPhrase(form.words) {
			s.Kind = form.kind
			form.rest(p, s)
			return s
		}
	}
	p.expected("what to show")
	return nil
}

var refusedShows = []string{"BINLOG EVENTS", "RELAYLOG EVENTS", "PROCEDURE CODE", "FUNCTION CODE", "PARAMETERS",
	"CREATE PROCEDURE", "CREATE FUNCTION", "CREATE TRIGGER", "CREATE EVENT",
	"CREATE SEQUENCE", "PACKAGE"}

// showForm is what is read behind its words.
type showForm struct {
	words string
	kind  ShowKind
	rest  func(*parser, *Show)
}

var showForms = []showForm{
	{"DATABASES", ShowDatabases, (*parser).showFilter},
	{"SCHEMAS", ShowDatabases, (*parser).showFilter},
	{"TABLES", ShowTables, (*parser).showFrom},
	{"OPEN TABLES", ShowOpenTables, (*parser).showFrom},
	{"TABLE STATUS", ShowTableStatus, (*parser).showFrom},
	{"COLUMNS", ShowColumns, (*parser).showOfTable},
	{"FIELDS", ShowColumns, (*parser).showOfTable},
	{"INDEX", ShowIndex, (*parser).showOfTable},
	{"INDEXES", ShowIndex, (*parser).showOfTable},
	{"KEYS", ShowIndex, (*parser).showOfTable},
	{"PARTITIONS", ShowPartitions, (*parser).showOfTable},
	{"TABLEGROUPS", ShowTableGroups, (*parser).showFrom},
	{"VARIABLES", ShowVariables, (*parser).showFilter},
	{"STATUS", ShowStatus, (*parser).showFilter},
	{"WARNINGS", ShowWarnings, (*parser).showLimit},
	{"ERRORS", ShowErrors, (*parser).showLimit},
	{"COUNT", ShowWarnings, (*parser).showCount},
	{"STORAGE ENGINES", ShowEngines, (*parser).showFilter},
	{"ENGINES", ShowEngines, (*parser).showFilter},
	{"ENGINE", ShowEngineStatus, (*parser).showEngine},
	{"COLLATION", ShowCollation, (*parser).showFilter},
	{"CHARACTER SET", ShowCharset, (*parser).showFilter},
	{"CHAR SET", ShowCharset, (*parser).showFilter},
	{"CHARSET", ShowCharset, (*parser).showFilter},
	{"PROCESSLIST", ShowProcessList, (*parser).showFilter},
	{"GRANTS", ShowGrants, (*parser).showGrants},
	{"PRIVILEGES", ShowPrivileges, (*parser).showFilter},
	{"PLUGINS", ShowPlugins, (*parser).showFilter},
	{"TRIGGERS", ShowTriggers, (*parser).showFrom},
	{"EVENTS", ShowEvents, (*parser).showFrom},
	{"PROCEDURE STATUS", ShowProcedureStatus, (*parser).showFilter},
	{"FUNCTION STATUS", ShowFunctionStatus, (*parser).showFilter},
	{"MASTER STATUS", ShowMasterStatus, (*parser).showFilter},
	{"BINARY LOG STATUS", ShowMasterStatus, (*parser).showFilter},
	{"BINARY LOGS", ShowBinaryLogs, (*parser).showFilter},
	{"MASTER LOGS", ShowBinaryLogs, (*parser).showFilter},
	{"SLAVE STATUS", ShowReplicaStatus, (*parser).showFilter},
	{"REPLICA STATUS", ShowReplicaStatus, (*parser).showFilter},
	{"SLAVE HOSTS", ShowReplicas, (*parser).showFilter},
	{"REPLICAS", ShowReplicas, (*parser).showFilter},
	{"PROFILES", ShowProfiles, (*parser).showFilter},
	{"PROFILE", ShowProfile, (*parser).showProfile},
}

// showFilter reads LIKE or WHERE.
func (p *parser) showFilter(s *Show) {
	switch {
	case p.accept("LIKE"):
		if p.cur().kind == tokParam {
			s.LikeParam = p.param()
			return
		}
		like := p.stringValue("a pattern in quotes or ?")
		s.Like = &like
	case p.accept("WHERE"):
		s.Where = p.expr().Expr
	}
}

// showFrom reads [{FROM | IN} database] with a filter.
func (p *parser) showFrom(s *Show) {
	if p.acceptAny("FROM", "IN") != "" {
		s.Database = p.databaseName()
	}
	p.showFilter(s)
}

// showOfTable reads {FROM | IN} table [{FROM | IN} database] with a filter.
func (p *parser) showOfTable(s *Show) {
	p.expectAny("FROM", "IN")
	s.Table = p.tableName()
	if p.acceptAny("FROM", "IN") != "" {
		s.Table.Database = p.databaseName()
	}
	p.showFilter(s)
}

func (p *parser) showLimit(s *Show) {
	if p.at("LIMIT") {
		s.Limit = p.limit(true)
	}
}

func (p *parser) showCount(s *Show) {
	p.expectOp("(")
	p.expectOp("*")
	p.expectOp(")")
	s.Count = true
	if p.expectAny("WARNINGS", "ERRORS") == "ERRORS" {
		s.Kind = ShowErrors
	}
}

func (p *parser) showEngine(s *Show) {
	s.Name = p.wordOrString("the name of an engine")
	s.Status = p.expectAny("STATUS", "MUTEX", "LOGS") == "STATUS"
}

// showGrants reads [FOR user].
func (p *parser) showGrants(s *Show) {
	s.Account = AccountName{Current: true}
	if p.accept("FOR") {
		s.Account = p.account()
	}
}

// showProfile reads [type, ...] [FOR QUERY n] [LIMIT n].
func (p *parser) showProfile(s *Show) {
	for p.cur().kind == tokWord && !p.atAny("FOR", "LIMIT") || p.atOp(",") {
		p.pos++
	}
	if p.accept("FOR") {
		p.expect("QUERY")
		p.intValue("the number of a query")
	}
	p.showLimit(s)
}

// showCreate reads what stands behind SHOW CREATE.
func (p *parser) showCreate(s *Show) {
	switch p.expectAny("TABLE", "VIEW", "DATABASE", "SCHEMA", "TABLEGROUP", "USER") {
	case "USER":
		s.Kind, s.Account = ShowCreateUser, p.account()
	case "TABLE":
		s.Kind, s.Table = ShowCreateTable, p.tableName()
	case "VIEW":
		s.Kind, s.Table = ShowCreateView, p.tableName()
	case "TABLEGROUP":
		s.Kind, s.Table = ShowCreateTableGroup, p.tableName()
		s.Name = s.Table.Name
	default:
		s.Kind, s.IfNotExists = ShowCreateDatabase, p.ifNotExists()
		s.Name = p.databaseName()
	}
}
