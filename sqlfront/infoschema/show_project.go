package infoschema

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// projection is a SHOW that shows columns of a catalog table under other names
// (https://dev.mysql.com/doc/refman/5.7/en/show.html).
type projection struct {
	table string
	// columns are label=COLUMN, separated by commas; full are those of SHOW FULL if they differ.
	columns, full string
	of            subject
}

// subject is what restricts a projection.
type subject uint8

const (
	ofServer   subject = iota
	ofDatabase         // FROM names a database
	ofTable            // FROM names a table
)

const (
	definedBy = ",Definer=DEFINER"
	charsets  = ",character_set_client=CHARACTER_SET_CLIENT,collation_connection=COLLATION_CONNECTION,Database Collation=DATABASE_COLLATION"
	routine   = "Db=ROUTINE_SCHEMA,Name=ROUTINE_NAME,Type=ROUTINE_TYPE" + definedBy +
		",Modified=LAST_ALTERED,Created=CREATED,Security_type=SECURITY_TYPE,Comment=ROUTINE_COMMENT" + charsets
)

var projections = map[ast.ShowKind]projection{
	ast.ShowDatabases: {table: "SCHEMATA", columns: "Database=SCHEMA_NAME"},
	ast.ShowTables: {table: "TABLES", of: ofDatabase,
		columns: "Tables_in_=TABLE_NAME", full: "Tables_in_=TABLE_NAME,Table_type=TABLE_TYPE"},
	ast.ShowTableStatus: {table: "TABLES", of: ofDatabase,
		columns: "Name=TABLE_NAME,Engine=ENGINE,Version=VERSION,Row_format=ROW_FORMAT,Rows=TABLE_ROWS," +
			"Avg_row_length=AVG_ROW_LENGTH,Data_length=DATA_LENGTH,Max_data_length=MAX_DATA_LENGTH,Index_length=INDEX_LENGTH," +
			"Data_free=DATA_FREE,Auto_increment=AUTO_INCREMENT,Create_time=CREATE_TIME,Update_time=UPDATE_TIME," +
			"Check_time=CHECK_TIME,Collation=TABLE_COLLATION,Checksum=CHECKSUM,Create_options=CREATE_OPTIONS,Comment=TABLE_COMMENT"},
	ast.ShowColumns: {table: "COLUMNS", of: ofTable,
		columns: "Field=COLUMN_NAME,Type=COLUMN_TYPE,Null=IS_NULLABLE,Key=COLUMN_KEY,Default=COLUMN_DEFAULT,Extra=EXTRA",
		full: "Field=COLUMN_NAME,Type=COLUMN_TYPE,Collation=COLLATION_NAME,Null=IS_NULLABLE,Key=COLUMN_KEY," +
			"Default=COLUMN_DEFAULT,Extra=EXTRA,Privileges=PRIVILEGES,Comment=COLUMN_COMMENT"},
	ast.ShowIndex: {table: "STATISTICS", of: ofTable,
		columns: "Table=TABLE_NAME,Non_unique=NON_UNIQUE,Key_name=INDEX_NAME,Seq_in_index=SEQ_IN_INDEX,Column_name=COLUMN_NAME," +
			"Collation=COLLATION,Cardinality=CARDINALITY,Sub_part=SUB_PART,Packed=PACKED,Null=NULLABLE,Index_type=INDEX_TYPE," +
			"Comment=COMMENT,Index_comment=INDEX_COMMENT"},
	ast.ShowVariables: {table: "VARIABLES", columns: "Variable_name=VARIABLE_NAME,Value=VARIABLE_VALUE"},
	ast.ShowStatus:    {table: "STATUS", columns: "Variable_name=VARIABLE_NAME,Value=VARIABLE_VALUE"},
	ast.ShowEngines: {table: "ENGINES",
		columns: "Engine=ENGINE,Support=SUPPORT,Comment=COMMENT,Transactions=TRANSACTIONS,XA=XA,Savepoints=SAVEPOINTS"},
	ast.ShowCollation: {table: "COLLATIONS",
		columns: "Collation=COLLATION_NAME,Charset=CHARACTER_SET_NAME,Id=ID,Default=IS_DEFAULT,Compiled=IS_COMPILED,Sortlen=SORTLEN"},
	ast.ShowCharset: {table: "CHARACTER_SETS",
		columns: "Charset=CHARACTER_SET_NAME,Description=DESCRIPTION,Default collation=DEFAULT_COLLATE_NAME,Maxlen=MAXLEN"},
	ast.ShowProcessList: {table: "PROCESSLIST",
		columns: "Id=ID,User=USER,Host=HOST,db=DB,Command=COMMAND,Time=TIME,State=STATE,Info=INFO"},
	ast.ShowPlugins: {table: "PLUGINS",
		columns: "Name=PLUGIN_NAME,Status=PLUGIN_STATUS,Type=PLUGIN_TYPE,Library=PLUGIN_LIBRARY,License=PLUGIN_LICENSE"},
	ast.ShowTriggers: {table: "TRIGGERS", of: ofDatabase,
		columns: "Trigger=TRIGGER_NAME,Event=EVENT_MANIPULATION,Table=EVENT_OBJECT_TABLE,Statement=ACTION_STATEMENT," +
			"Timing=ACTION_TIMING,Created=CREATED,sql_mode=SQL_MODE" + definedBy + charsets},
	ast.ShowEvents: {table: "EVENTS", of: ofDatabase,
		columns: "Db=EVENT_SCHEMA,Name=EVENT_NAME" + definedBy + ",Time zone=TIME_ZONE,Type=EVENT_TYPE,Execute at=EXECUTE_AT," +
			"Interval value=INTERVAL_VALUE,Interval field=INTERVAL_FIELD,Starts=STARTS,Ends=ENDS,Status=STATUS,Originator=ORIGINATOR" + charsets},
	ast.ShowProcedureStatus: {table: "ROUTINES", columns: routine},
	ast.ShowFunctionStatus:  {table: "ROUTINES", columns: routine},
}

// project runs a projection.
func (s *show) project(p projection) (*relation.Result, error) {
	table := s.tables[Name][s.scoped(p.table)]
	only, err := s.from(p)
	if err != nil {
		return nil, err
	}
	columns := p.columns
	if s.st.Full && p.full != "" {
		columns = p.full
	}
	out := &relation.Result{}
	var from []int
	for pair := range strings.SplitSeq(columns, ",") {
		label, name, _ := strings.Cut(pair, "=")
		i := table.index(name)
		from = append(from, i)
		out.Columns = append(out.Columns, relation.Column{Name: s.label(label), Type: table.columns[i].valueType()})
	}
	database := -1
	if p.of == ofDatabase {
		database = table.index("TABLE_SCHEMA")
	}
	rows, err := table.read(s.Context, computed.Wanted{Read: func(column int) bool { return slices.Contains(from, column) },
		Row: func(column int, v value.Value) bool {
			return (column != database || string(v.AsBytes()) == s.database) && (column != from[0] || s.like(v))
		}}, only)
	for _, row := range rows {
		shown := make([]value.Value, len(from))
		for i, at := range from {
			shown[i] = row[at]
		}
		s.shorten(shown)
		out.Rows = append(out.Rows, shown)
	}
	return out, err
}

// scoped is the catalog table for VARIABLES or STATUS, of which there are two each.
func (s *show) scoped(table string) string {
	if table != "VARIABLES" && table != "STATUS" {
		return table
	}
	if s.st.Global {
		return "GLOBAL_" + table
	}
	return "SESSION_" + table
}

func (s *show) label(label string) string {
	if label == "Tables_in_" {
		return label + s.database
	}
	return label
}

// shorten cuts statements in a process list without FULL, as MySQL does.
func (s *show) shorten(row []value.Value) {
	const shown = 100
	if s.st.Kind != ast.ShowProcessList || s.st.Full {
		return
	}
	last := len(row) - 1
	if runes := []rune(row[last].String()); !row[last].IsNull() && len(runes) > shown {
		row[last] = value.NewString(string(runes[:shown]))
	}
}

// like reports whether a value in the first column may match LIKE.
func (s *show) like(v value.Value) bool {
	pattern, ok := s.pattern()
	if !ok {
		return true
	}
	matches, err := text.LikeMatch(v, pattern, '\\', s.Env.Meter())
	return matches || err != nil
}

// from switches to the database of FROM, or returns the relation in it.
func (s *show) from(p projection) (*object, error) {
	switch p.of {
	case ofDatabase:
		from := s.st.Database
		if from == "" {
			from = s.st.Table.Database
		}
		return nil, s.inDatabase(from)
	case ofTable:
		r, err := s.relation()
		if err != nil {
			return nil, err
		}
		if r.view != nil && p.table == "COLUMNS" {
			if _, err := s.viewColumns(s.catalog, r.view); err != nil {
				return nil, withoutReason(s.Authority, r.view, err)
			}
		}
		return &r, nil
	}
	return nil, nil
}
