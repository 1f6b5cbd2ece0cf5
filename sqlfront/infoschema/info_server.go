package infoschema

import (
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// fills give the tables that are not empty their rows.
var fills = map[string]func(*infoReader){
	"SCHEMATA":          (*infoReader).addSchemata,
	"TABLES":            func(r *infoReader) { r.relations(r.addTable) },
	"VIEWS":             func(r *infoReader) { r.relations(r.addView) },
	"COLUMNS":           func(r *infoReader) { r.relations(r.addColumns) },
	"PARTITIONS":        func(r *infoReader) { r.tables(r.addPartitions) },
	"HBASEKV_FAMILIES":  func(r *infoReader) { r.tables(r.addFamily) },
	"STATISTICS":        func(r *infoReader) { r.tables(r.addStatistics) },
	"KEY_COLUMN_USAGE":  func(r *infoReader) { r.tables(r.addKeyColumns) },
	"TABLE_CONSTRAINTS": func(r *infoReader) { r.tables(r.addConstraint) },
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
	"INNODB_METRICS": (*infoReader).addMetrics,
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

// compiled is Yes of a collation by which texts can be compared.
func compiled(c charset.Collation) string {
	if c.Weighs() {
		return "Yes"
	}
	return ""
}

func (r *infoReader) addSettings(list [][2]string) {
	for _, each := range list {
		r.add(each[0], each[1])
	}
}

// longestInfo is how much of a statement the process list shows, in bytes, as in MySQL.
const longestInfo = 65535

func shortened(text string) string {
	if len(text) <= longestInfo {
		return text
	}
	return strings.ToValidUTF8(text[:longestInfo], "")
}

// orNull is NULL for the empty string.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// addMetrics shows the status variables that count something, of all sessions, in the form of
// InnoDB's counters.
func (r *infoReader) addMetrics() {
	if !r.global(rights.Process) {
		return
	}
	for _, each := range r.server.Status(r.Env.Session, true) {
		n, err := strconv.ParseInt(each[1], 10, 64)
		if err != nil {
			continue
		}
		r.add(strings.ToLower(each[0]), "server", n, nil, nil, nil, n, nil, nil, nil, nil, nil, nil, nil, "enabled", "status_counter",
			each[0]+" of SHOW STATUS")
	}
}

// addSysMetrics is sys.metrics: the status of all sessions.
func (r *infoReader) addSysMetrics() {
	for _, each := range r.server.Status(r.Env.Session, true) {
		r.add(strings.ToLower(each[0]), each[1], "Global Status", "YES")
	}
}

// addSysProcesses is sys.processlist: the sessions, without the store's own work.
func (r *infoReader) addSysProcesses() {
	for _, p := range r.processes() {
		if !p.System {
			r.add(p.ID, p.ID, p.User+"@"+p.Host, orNull(p.Database), p.Command, orNull(p.State), p.Seconds, orNull(p.Text))
		}
	}
}
