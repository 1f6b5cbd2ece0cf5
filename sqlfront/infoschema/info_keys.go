package infoschema

import "github.com/hbasekv/hbasekv/kv"

// keyInfo are the tables about keys and constraints: each table has its primary
// key.
func keyInfo() []*infoTable {
	return []*infoTable{
		info("STATISTICS", `
TABLE_CATALOG varchar(512)
TABLE_SCHEMA varchar(64)
TABLE_NAME varchar(64)
NON_UNIQUE bigint(1)
INDEX_SCHEMA varchar(64)
INDEX_NAME varchar(64)
SEQ_IN_INDEX bigint(2)
COLUMN_NAME varchar(64)
COLLATION varchar(1) NULL
CARDINALITY bigint(21) NULL
SUB_PART bigint(3) NULL
PACKED varchar(10) NULL
NULLABLE varchar(3)
INDEX_TYPE varchar(16)
COMMENT varchar(16) NULL
INDEX_COMMENT varchar(1024)
IS_VISIBLE varchar(3)
EXPRESSION longtext NULL`, func(r *infoReader) {
			r.tables(func(each relation) {
				cardinality := r.cardinality(each)
				for i, name := range primaryKey(each.table) {
					r.add("def", each.database, each.name, 0, each.database, primaryName, i+1, name, keyOrder,
						cardinality, nil, nil, "", "BTREE", "", "", true, nil)
				}
			})
		}),
		info("KEY_COLUMN_USAGE", `
CONSTRAINT_CATALOG varchar(512)
CONSTRAINT_SCHEMA varchar(64)
CONSTRAINT_NAME varchar(64)
TABLE_CATALOG varchar(512)
TABLE_SCHEMA varchar(64)
TABLE_NAME varchar(64)
COLUMN_NAME varchar(64)
ORDINAL_POSITION bigint(10)
POSITION_IN_UNIQUE_CONSTRAINT bigint(10) NULL
REFERENCED_TABLE_SCHEMA varchar(64) NULL
REFERENCED_TABLE_NAME varchar(64) NULL
REFERENCED_COLUMN_NAME varchar(64) NULL`, func(r *infoReader) {
			r.tables(func(each relation) {
				for i, name := range primaryKey(each.table) {
					r.add("def", each.database, primaryName, "def", each.database, each.name, name, i+1, nil, nil, nil, nil)
				}
			})
		}),
		info("TABLE_CONSTRAINTS", `
CONSTRAINT_CATALOG varchar(512)
CONSTRAINT_SCHEMA varchar(64)
CONSTRAINT_NAME varchar(64)
TABLE_SCHEMA varchar(64)
TABLE_NAME varchar(64)
CONSTRAINT_TYPE varchar(64)
ENFORCED varchar(3)`, func(r *infoReader) {
			r.tables(func(each relation) {
				r.add("def", each.database, primaryName, each.database, each.name, "PRIMARY KEY", true)
			})
		}),
	}
}

const primaryName = "PRIMARY"

func primaryKey(t *kv.Table) []string {
	names := t.ColumnNames()
	return names[:3]
}

// keyOrder is STATISTICS.COLLATION. T descends, which MySQL 5.7 has no letter
// for: its clients know A alone.
const keyOrder = "A"

// cardinality estimates the different keys: as many as rows.
func (r *infoReader) cardinality(each relation) any {
	if _, ok := r.store.(kv.StatsReader); !ok {
		return nil
	}
	return int64(r.sizes(each.table).total().rows)
}
