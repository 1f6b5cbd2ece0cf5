package infoschema

import (
	"slices"
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

func newInfo(database, name string, columns []string) infoTable {
	filled := strings.ToUpper(name)
	if database == sysDatabase { // its tables have the same names, but other columns
		filled = "SYS." + filled
	}
	t := infoTable{database: database, name: name, fill: fills[filled]}
	for _, c := range columns {
		t.columns = append(t.columns, infoColumn(c))
	}
	return t
}

// fills add the rows of the tables that are not empty.
var fills = map[string]func(*infoReader){
	"SCHEMATA":                (*infoReader).addSchemata,
	"TABLES":                  func(r *infoReader) { r.relations(r.addTable) },
	"VIEWS":                   func(r *infoReader) { r.relations(r.addView) },
	"COLUMNS":                 func(r *infoReader) { r.relations(r.addColumns) },
	"PARTITIONS":              func(r *infoReader) { r.tables(r.addPartitions) },
	"HBASEKV_FAMILIES":        (*infoReader).addFamilies,
	"STATISTICS":              func(r *infoReader) { r.tables(r.addStatistics) },
	"KEY_COLUMN_USAGE":        func(r *infoReader) { r.tables(r.addKeyColumns) },
	"CHECK_CONSTRAINTS":       (*infoReader).addChecks,
	"REFERENTIAL_CONSTRAINTS": func(r *infoReader) { r.tables(r.addReference) },
	"TABLE_CONSTRAINTS":       func(r *infoReader) { r.tables(r.addConstraint) },
	"ENGINES": func(r *infoReader) {
		r.add(engineName, "DEFAULT", "HBase's data model on Pebble, under the name that clients know", true, false, true)
	},
	"CHARACTER_SETS": func(r *infoReader) {
		for _, c := range charset.All() {
			r.add(c.Name, c.Collations[0].Name, c.Description, c.MaxLen)
		}
	},
	"COLLATIONS": func(r *infoReader) {
		charset.EachCollation(func(set string, c charset.Collation, first bool) {
			isDefault := ""
			if first {
				isDefault = "Yes"
			}
			r.add(c.Name, set, c.ID, isDefault, compiled(c), c.SortLen)
		})
	},
	"COLLATION_CHARACTER_SET_APPLICABILITY": func(r *infoReader) {
		charset.EachCollation(func(set string, c charset.Collation, _ bool) { r.add(c.Name, set) })
	},
	"USER_PRIVILEGES":   func(r *infoReader) { r.accounts(r.addUserPrivileges) },
	"SCHEMA_PRIVILEGES": func(r *infoReader) { r.accounts(r.addSchemaPrivileges) },
	"TABLE_PRIVILEGES":  func(r *infoReader) { r.accounts(r.addTablePrivileges) },
	"USER":              func(r *infoReader) { r.accounts(r.addUser) },
	"DB":                func(r *infoReader) { r.accounts(r.addDatabaseGrants) },
	"TABLES_PRIV":       func(r *infoReader) { r.accounts(r.addTableGrants) },
	"PROCESSLIST": func(r *infoReader) {
		for _, p := range r.processes() {
			r.add(p.ID, p.User, p.Host, orNull(p.Database), p.Command, p.Seconds, p.State, orNull(shortened(p.Text)))
		}
	},
	"INNODB_TRX": func(r *infoReader) {
		if !r.global(rights.Process) {
			return
		}
		for _, t := range r.server.Transactions() {
			r.addTransaction(t)
		}
	},
	"INNODB_LOCK_WAITS": (*infoReader).addLockWaits,
	"INNODB_METRICS":    (*infoReader).addMetrics,
	"SYS.VERSION": func(r *infoReader) {
		r.add("1.5.1", r.Env.Session.Version)
	},
	"SYS.METRICS":     (*infoReader).addSysMetrics,
	"SYS.PROCESSLIST": (*infoReader).addSysProcesses, "SYS.X$PROCESSLIST": (*infoReader).addSysProcesses,
	"SYS.SESSION": (*infoReader).addSysProcesses, "SYS.X$SESSION": (*infoReader).addSysProcesses,
	"SESSION_VARIABLES": func(r *infoReader) { r.addSettings(r.server.Variables(r.Env.Session, false)) },
	"GLOBAL_VARIABLES":  func(r *infoReader) { r.addSettings(r.server.Variables(r.Env.Session, true)) },
	"SESSION_STATUS":    func(r *infoReader) { r.addSettings(r.server.Status(r.Env.Session, false)) },
	"GLOBAL_STATUS":     func(r *infoReader) { r.addSettings(r.server.Status(r.Env.Session, true)) },
}

// defined are the tables of a database that a text defines.
func defined(database, definitions string) (out []infoTable) {
	shared := map[string][]string{}
	for line := range strings.Lines(definitions) {
		names, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var columns []string
		for c := range strings.SplitSeq(list, ", ") {
			if group, ok := shared[c]; ok {
				columns = append(columns, group...)
			} else {
				columns = append(columns, c)
			}
		}
		if names[0] == '$' {
			shared[names] = columns
			continue
		}
		for name := range strings.FieldsSeq(names) {
			out = append(out, newInfo(database, name, columns))
		}
	}
	return out
}

// templates are the catalog tables, without a store. Reading their definitions takes longer than opening a
// store in memory.
var templates = sync.OnceValue(func() []infoTable {
	return slices.Concat(defined(Name, informationTables), defined(performanceSchema, performanceTables),
		defined(mysqlDatabase, mysqlTables), defined(sysDatabase, sysTables))
})

// New makes the catalog tables of a store.
func New(store kv.Store, server Server) *Information {
	own := slices.Clone(templates())
	i := &Information{store: store, server: server, tables: map[string]map[string]*infoTable{
		Name: {}, performanceSchema: {}, mysqlDatabase: {}, sysDatabase: {}}}
	for n := range own {
		own[n].Information = i
		i.tables[own[n].database][strings.ToUpper(own[n].name)] = &own[n]
	}
	return i
}
