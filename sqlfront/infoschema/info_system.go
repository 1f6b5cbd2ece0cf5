package infoschema

import (
	_ "embed"
	"strings"
)

// The databases that MySQL has for itself, beside information_schema.
const (
	mysqlDatabase     = "mysql"
	performanceSchema = "performance_schema"
)

// The tables of MySQL 5.7 in these databases, a line each: names, and behind a colon
// the columns that they have. A column $name stands for those of the line of that
// name. (https://dev.mysql.com/doc/refman/5.7/en/performance-schema.html,
// https://dev.mysql.com/doc/refman/5.7/en/system-schema.html)
var (
	//go:embed system/mysql.txt
	mysqlTables string
	//go:embed system/performance_schema.txt
	performanceTables string
)

// performanceInfo are the tables of performance_schema. All are empty, as in MySQL
// where it is off, but for those of variables and status.
func performanceInfo() []*infoTable {
	out := systemInfo(performanceTables)
	for _, t := range variableInfo() {
		t.name = strings.ToLower(t.name)
		out = append(out, t)
	}
	return out
}

// systemInfo are the empty tables that a text defines.
func systemInfo(definitions string) (out []*infoTable) {
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
			out = append(out, newInfo(name, columns, nil))
		}
	}
	return out
}

// engine is what SHOW TABLE STATUS says of a table that is not of information_schema.
func (t *infoTable) engine() string {
	if t.database == performanceSchema {
		return "PERFORMANCE_SCHEMA"
	}
	return engineName
}
