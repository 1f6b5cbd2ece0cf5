package infoschema

import (
	"cmp"
	"math"

	"github.com/hbasekv/hbasekv/kv"

	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// addStatistics adds the lines of STATISTICS: each table has its primary key.
func (r *infoReader) addStatistics(each object) {
	var cardinality [3]any
	if r.reads("CARDINALITY") {
		cardinality = r.cardinality(each.table)
	}
	if each.isTyped() { // its rows are HBase's
		cardinality = [3]any{cardinality[0], cardinality[0], cardinality[0]}
	}
	for i, name := range primaryKey(each) {
		r.add("def", each.database, each.name, 0, each.database, primaryName, i+1, name, keyOrder,
			cardinality[min(i, len(cardinality)-1)], nil, nil, "", "BTREE", "", "", nil)
	}
	r.addIndexStatistics(each, cardinality[0])
}

// addIndexStatistics adds the lines of the secondary indexes of a typed table with about this many rows.
func (r *infoReader) addIndexStatistics(each object, rows any) {
	face, indexes := secondary(each)
	for n := range indexes {
		index := &indexes[n]
		for i, p := range index.Parts {
			c, length, null := &face.Columns[p.Column], any(nil), "YES"
			if p.Length > 0 {
				length = p.Length
			}
			if c.NotNull {
				null = ""
			}
			r.add("def", each.database, each.name, nonUnique(index), each.database, index.Name, i+1, c.Name, keyOrder, rows,
				length, nil, null, "BTREE", "", index.Comment, nil)
		}
	}
}

// nonUnique is NON_UNIQUE.
func nonUnique(index *typed.Index) int {
	if index.Unique {
		return 0
	}
	return 1
}

func (r *infoReader) addKeyColumns(each object) {
	add := func(constraint, column string, place int) {
		r.add("def", each.database, constraint, "def", each.database, each.name, column, place, nil, nil, nil, nil)
	}
	for i, name := range primaryKey(each) {
		add(primaryName, name, i+1)
	}
	face, indexes := secondary(each)
	for n := range indexes {
		if !indexes[n].Unique {
			continue
		}
		for i, p := range indexes[n].Parts {
			add(indexes[n].Name, face.Columns[p.Column].Name, i+1)
		}
	}
	for _, k := range foreignKeys(each) {
		to := k.Reference()
		for i, name := range k.Columns {
			var column any
			if i < len(to.Columns) {
				column = to.Columns[i]
			}
			r.add("def", each.database, k.Name, "def", each.database, each.name, name, i+1, i+1,
				cmp.Or(to.Database, each.database), to.Table, column)
		}
	}
}

// foreignKeys are the declared foreign keys of a relation, which are not enforced.
func foreignKeys(each object) []typed.ForeignKey {
	if face := typedFace(each); face != nil {
		return face.ForeignKeys
	}
	return nil
}

// addReference adds the foreign keys; the unique constraints that they refer to are unknown.
func (r *infoReader) addReference(each object) {
	for _, k := range foreignKeys(each) {
		to := k.Reference()
		r.add("def", each.database, k.Name, "def", cmp.Or(to.Database, each.database), nil, "NONE", to.OnUpdate, to.OnDelete,
			each.name, to.Table)
	}
}

func (r *infoReader) addConstraint(each object) {
	if len(primaryKey(each)) > 0 {
		r.add("def", each.database, primaryName, each.database, each.name, "PRIMARY KEY", true)
	}
	_, indexes := secondary(each)
	for i := range indexes {
		if indexes[i].Unique {
			r.add("def", each.database, indexes[i].Name, each.database, each.name, "UNIQUE", true)
		}
	}
	for _, c := range typedChecks(each) {
		r.add("def", each.database, c.Name, each.database, each.name, "CHECK", !c.NotEnforced)
	}
	for _, k := range foreignKeys(each) {
		r.add("def", each.database, k.Name, each.database, each.name, "FOREIGN KEY", false)
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

// keyOrder is STATISTICS.COLLATION. T descends, for which MySQL 5.7 has no letter: its clients only know A.
const keyOrder = "A"

// looksAtKeys is the number of cells from which distinct keys are estimated.
const looksAtKeys = 1024

// cardinality is the approximate number of distinct values of K, of K and Q together, and of the whole key,
// as for the leading columns of MySQL's indexes
// (https://dev.mysql.com/doc/refman/5.7/en/information-schema-statistics-table.html), at most the number of
// versions. It is NULL if the store does not report sizes.
func (r *infoReader) cardinality(t *kv.Table) (out [3]any) {
	if _, ok := r.store.(kv.StatsReader); !ok || !schema.HasCells(t) {
		return out
	}
	versions := int64(r.sizes(t).total().rows)
	rows, columns := versions, versions
	if store, ok := r.store.(kv.Estimator); ok && r.err == nil {
		rows, columns, r.err = r.distinctKeys(store, t, nil)
	}
	columns = min(columns, versions)
	return [3]any{min(rows, columns), columns, versions}
}

// distinctKeys are the approximate numbers of rows in a table, or in some of its partitions unless they are nil, and of
// their columns.
func (r *infoReader) distinctKeys(store kv.Estimator, t *kv.Table, partitions []int) (rows, columns int64, err error) {
	o := kv.EstimateOptions{Cells: looksAtKeys}
	if r.exact() {
		o.Cells = math.MaxInt32
	}
	e, err := store.Estimate(r.Ctx, []*kv.Table{t}, &kv.Scan{MaxVersions: 1, Partitions: partitions}, o)
	return e.Rows, e.Cells, err
}
