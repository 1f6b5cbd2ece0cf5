package infoschema

import _ "embed"

// The tables of these databases, a line each: names, and behind a colon the columns
// that they have, which are NOT NULL unless it says NULL. A column $name stands for
// those of the line of that name. They are MySQL 5.7's, and in information_schema
// behind them what clients ask for whatever the version says.
// All but those of fills are empty, as performance_schema's are in MySQL where it is
// off. (https://dev.mysql.com/doc/refman/5.7/en/information-schema.html,
// https://dev.mysql.com/doc/refman/5.7/en/performance-schema.html,
// https://dev.mysql.com/doc/refman/5.7/en/system-schema.html,
// https://dev.mysql.com/doc/refman/5.7/en/sys-schema.html)
var (
	//go:embed system/information_schema.txt
	informationTables string
	//go:embed system/mysql.txt
	mysqlTables string
	//go:embed system/performance_schema.txt
	performanceTables string
	//go:embed system/sys.txt
	sysTables string
)

// engine is what SHOW TABLE STATUS says of a table that is not of information_schema.
func (t *infoTable) engine() string {
	if t.database == performanceSchema {
		return "PERFORMANCE_SCHEMA"
	}
	return engineName
}
