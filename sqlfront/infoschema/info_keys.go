package infoschema

import (
	"math"

	"github.com/hbasekv/hbasekv/kv"

	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// addStatistics adds the lines of STATISTICS: each table has its primary key.
func (r *infoReader) addStatistics(each object) {
	cardinality := r.cardinality(each.table)
	if each.isTyped() { // whose rows are HBase's
		cardinality = [3]any{cardinality[0], cardinality[0], cardinality[0]}
	}
	for i, name := range primaryKey(each) {
		r.add("def", each.database, each.name, 0, each.database, primaryName, i+1, name, keyOrder,
			cardinality[min(i, len(cardinality)-1)], nil, nil, "", "BTREE", "", "", nil)
	}
}

func (r *infoReader) addKeyColumns(each object) {
	for i, name := range primaryKey(each) {
		r.add("def", each.database, primaryName, "def", each.database, each.name, name, i+1, nil, nil, nil, nil)
	}
}

func (r *infoReader) addConstraint(each object) {
	if len(primaryKey(each)) > 0 {
		r.add("def", each.database, primaryName, each.database, each.name, "PRIMARY KEY", true)
	}
	for _, c := range typedChecks(each) {
		r.add("def", each.database, c.Name, each.database, each.name, "CHECK", !c.NotEnforced)
	}
}

const primaryName = "PRIMARY"

// primaryKey are the names of the columns of a table's primary key.
func primaryKey(each object) []string {
	if each.isTyped() {
		return typedKey(each.table)
	}
	names := schema.Of(each.table).ColumnNames()
	return names[:3]
}

// keyOrder is STATISTICS.COLLATION. T descends, which MySQL 5.7 has no letter
// for: its clients know A alone.
const keyOrder = "A"

// looksAtKeys is how many cells an estimate of the different keys looks at.
const looksAtKeys = 1024

// cardinality is about how many different values K has, K and Q together, and the whole
// key, as of the first columns of MySQL's indexes
// (https://dev.mysql.com/doc/refman/5.7/en/information-schema-statistics-table.html): no
// more than there are versions. It is NULL where the store tells no sizes.
func (r *infoReader) cardinality(t *kv.Table) (out [3]any) {
	if _, ok := r.store.(kv.StatsReader); !ok {
		return out
	}
	versions := int64(r.sizes(t).total().rows)
	rows, columns := versions, versions
	if store, ok := r.store.(kv.Estimator); ok && r.err == nil {
		rows, columns, r.err = r.distinctKeys(store, t)
	}
	columns = min(columns, versions)
	return [3]any{min(rows, columns), columns, versions}
}

// distinctKeys are about how many rows a table has, and columns of these.
func (r *infoReader) distinctKeys(store kv.Estimator, t *kv.Table) (rows, columns int64, err error) {
	o := kv.EstimateOptions{Cells: looksAtKeys}
	if r.exact() {
		o.Cells = math.MaxInt32
	}
	e, err := store.Estimate(r.Ctx, []*kv.Table{t}, &kv.Scan{MaxVersions: 1}, o)
	return e.Rows, e.Cells, err
}
