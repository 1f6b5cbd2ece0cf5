package infoschema

import "github.com/hbasekv/hbasekv/sqlfront/charset"

// serverInfo are the tables about the server.
func serverInfo() []*infoTable {
	return []*infoTable{
		info("ENGINES", `
ENGINE varchar(64)
SUPPORT varchar(8)
COMMENT varchar(80)
TRANSACTIONS varchar(3) NULL
XA varchar(3) NULL
SAVEPOINTS varchar(3) NULL`, func(r *infoReader) {
			r.add(engineName, "DEFAULT", "HBase's data model on Pebble, under the name that clients know", true, false, true)
		}),
		info("CHARACTER_SETS", `
CHARACTER_SET_NAME varchar(32)
DEFAULT_COLLATE_NAME varchar(32)
DESCRIPTION varchar(60)
MAXLEN bigint(3)`, func(r *infoReader) {
			for _, c := range charset.All() {
				r.add(c.Name, c.Collations[0].Name, c.Description, c.MaxLen)
			}
		}),
		info("COLLATIONS", `
COLLATION_NAME varchar(32)
CHARACTER_SET_NAME varchar(32)
ID bigint(11)
IS_DEFAULT varchar(3)
IS_COMPILED varchar(3)
SORTLEN bigint(3)`, func(r *infoReader) {
			charset.EachCollation(func(set string, c charset.Collation, first bool) {
				isDefault := ""
				if first {
					isDefault = "Yes"
				}
				r.add(c.Name, set, c.ID, isDefault, "Yes", c.SortLen)
			})
		}),
		info("COLLATION_CHARACTER_SET_APPLICABILITY", `
COLLATION_NAME varchar(32)
CHARACTER_SET_NAME varchar(32)`, func(r *infoReader) {
			charset.EachCollation(func(set string, c charset.Collation, _ bool) { r.add(c.Name, set) })
		}),
		info("SCHEMA_PRIVILEGES", `
GRANTEE varchar(81)
TABLE_CATALOG varchar(512)
TABLE_SCHEMA varchar(64)
PRIVILEGE_TYPE varchar(64)
IS_GRANTABLE varchar(3)`, nil),
		info("USER_PRIVILEGES", `
GRANTEE varchar(81)
TABLE_CATALOG varchar(512)
PRIVILEGE_TYPE varchar(64)
IS_GRANTABLE varchar(3)`, func(r *infoReader) {
			for _, p := range []string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER"} {
				r.add("'root'@'localhost'", "def", p, true)
			}
		}),
		info("PROCESSLIST", `
ID bigint(21) unsigned
USER varchar(32)
HOST varchar(64)
DB varchar(64) NULL
COMMAND varchar(16)
TIME int(7)
STATE varchar(64) NULL
INFO longtext NULL`, func(r *infoReader) {
			for _, p := range r.server.Processes() {
				r.add(p.ID, "root", "localhost", orNull(p.Database), p.Command, p.Seconds, p.State, orNull(p.Text))
			}
		}),
		transactionsInfo(),
	}
}

// variableInfo are the tables of variables, which two databases have.
func variableInfo() []*infoTable {
	return []*infoTable{
		settings("SESSION_VARIABLES", func(r *infoReader) [][2]string { return r.server.Variables(r.Env.Session, false) }),
		settings("GLOBAL_VARIABLES", func(r *infoReader) [][2]string { return r.server.Variables(r.Env.Session, true) }),
		settings("SESSION_STATUS", func(r *infoReader) [][2]string { return r.server.Status() }),
		settings("GLOBAL_STATUS", func(r *infoReader) [][2]string { return r.server.Status() }),
	}
}

// settings is a table of names and values.
func settings(name string, list func(*infoReader) [][2]string) *infoTable {
	return info(name, "VARIABLE_NAME varchar(64)\nVARIABLE_VALUE varchar(1024) NULL", func(r *infoReader) {
		for _, each := range list(r) {
			r.add(each[0], each[1])
		}
	})
}

// orNull is NULL for the empty string.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
