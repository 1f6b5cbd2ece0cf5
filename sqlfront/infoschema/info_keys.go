package infoschema

import (
	"github.com/hbasekv/hbasekv/kv"

	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// addStatistics adds the lines of STATISTICS: each table has its primary key.
func (r *infoReader) addStatistics(each relation) {
	cardinality := r.cardinality(each)
	for i, name := range primaryKey(each.table) {
		r.add("def", each.database, each.name, 0, each.database, primaryName, i+1, name, keyOrder,
			cardinality, nil, nil, "", "BTREE", "", "", nil)
	}
}

func (r *infoReader) addKeyColumns(each relation) {
	for i, name := range primaryKey(each.table) {
		r.add("def", each.database, primaryName, "def", each.database, each.name, name, i+1, nil, nil, nil, nil)
	}
}

func (r *infoReader) addConstraint(each relation) {
	r.add("def", each.database, primaryName, each.database, each.name, "PRIMARY KEY", true)
}

const primaryName = "PRIMARY"

func primaryKey(t *kv.Table) []string {
	names := schema.Of(t).ColumnNames()
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
