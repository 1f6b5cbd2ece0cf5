package infoschema

import _ "embed"

// The tables of these databases, one a line: a name, and after a colon the table's columns, which are NOT
// NULL unless it says NULL. A column $name stands for those of the line of that name. They are MySQL 5.7's,
// followed in information_schema by columns that clients read whatever the version. All tables except those
// in fills are empty, as performance_schema's are in MySQL if it is off.
// (https://dev.mysql.com/doc/refman/5.7/en/information-schema.html,
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

// engine is the Engine in SHOW TABLE STATUS for a table that is not in information_schema.
func (t *infoTable) engine() string {
	if t.database == performanceSchema {
		return "PERFORMANCE_SCHEMA"
	}
	return engineName
}
