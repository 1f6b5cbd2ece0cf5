package stores

import (
	"fmt"
	"math"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// op returns a random change of table i: if the tables have a column over T,
// one that uses no T whose absolute value is not a bigint.
func (m *modelRun) op(i int) op {
	o := randomOp(m.r, m.tables[i])
	for oracle.Timed(m.layout) && strings.Contains(o.sql, oracle.SmallestTime) {
		o = randomOp(m.r, m.tables[i])
	}
	return o
}

// timeChange returns a statement on partitions by time that keeps all rows. The
// last of them is always p9, or s9, and has no upper bound.
func (m *modelRun) timeChange(table string) string {
	kind := harness.Pick(m.r, []string{"PARTITION p", "SUBPARTITION s"})
	verb, _, _ := strings.Cut(kind, " ")
	bound := harness.Pick(m.r, []int{0, 1, 2, 3, 5, 11, 1001, 1 << 41})
	action := ""
	switch m.r.IntN(8) {
	case 0, 1:
		action = strings.TrimSpace(oracle.LayoutOf(harness.Pick(m.r,
			[]string{"time", "time-key", "key-time", "range-time"})))
	case 2:
		action = fmt.Sprintf("PARTITION BY RANGE(G) SUBPARTITION BY KEY(K) SUBPARTITIONS %d (PARTITION p3 VALUES LESS THAN (%d), PARTITION p9 VALUES LESS THAN (MAXVALUE))",
			1+m.r.IntN(4), bound)
	case 3:
		action = fmt.Sprintf("PARTITION BY KEY(K) PARTITIONS %d SUBPARTITION BY RANGE(G) SUBPARTITION TEMPLATE (SUBPARTITION s2 VALUES LESS THAN (%d), SUBPARTITION s9 VALUES LESS THAN (MAXVALUE))",
			1+m.r.IntN(4), bound)
	case 4:
		action = fmt.Sprintf("REORGANIZE %s9 INTO (%s%d VALUES LESS THAN (%d), %s9 VALUES LESS THAN (MAXVALUE))", kind, kind, m.r.IntN(9), bound, kind)
	case 5:
		at := m.r.IntN(4)
		action = fmt.Sprintf("REORGANIZE %s%d, %s%d INTO (%s%d VALUES LESS THAN (%d))", kind, at, kind[len(verb)+1:], at+1, kind, at, harness.Pick(m.r, []int{1, 2, 10, 1000}))
	case 6:
		action = fmt.Sprintf("ADD %s (%s8 VALUES LESS THAN (%d))", verb, kind, bound)
	default:
		action = fmt.Sprintf("%s %s ALL", harness.Pick(m.r, []string{"ANALYZE", "OPTIMIZE", "CHECK"}), verb)
	}
	return "ALTER TABLE " + table + " " + action
}

// emptyLeaves runs TRUNCATE of a subpartition, or DROP or TRUNCATE of one of
// the template: the rows in these leaves are removed.
func (m *modelRun) emptyLeaves() {
	i, name := m.r.IntN(2), fmt.Sprintf("s%d", m.r.IntN(4))
	verb, touched, pattern := "TRUNCATE", []int{i}, "%s"+name
	switch m.r.IntN(3) {
	case 0:
		verb, touched = "DROP", []int{0, 1}
	case 1:
		name = fmt.Sprintf("p%d%s", m.r.IntN(3), harness.Pick(m.r, []string{"sp1", "ss1", "ss2"}))
		pattern = name
	}
	leaves := harness.Lines(m.t, m.db, "SELECT SUBPARTITION_NAME FROM information_schema.PARTITIONS WHERE TABLE_NAME = ? AND SUBPARTITION_NAME LIKE ?",
		m.tables[0], pattern)
	statement := fmt.Sprintf("ALTER TABLE %s %s SUBPARTITION %s", m.tables[i], verb, name)
	m.note("%s", statement)
	if len(leaves) == 0 {
		err := m.exec(statement)
		require.Error(m.t, err, statement)
		m.changed(err)
		return
	}
	for _, t := range touched {
		for _, x := range m.query(m.db, "SELECT K, Q, T, V FROM "+m.tables[t]+" PARTITION ("+strings.Join(leaves, ", ")+") FOR SYSTEM_TIME ALL") {
			m.models[t].remove(x)
		}
	}
	require.NoError(m.t, m.exec(statement), statement)
}

// leaves returns the names of the subpartitions of table i, or of its
// partitions if it has none.
func (m *modelRun) leaves(db harness.Execer, i int) []string {
	return harness.Lines(m.t, db, "SELECT COALESCE(SUBPARTITION_NAME, PARTITION_NAME) FROM information_schema.PARTITIONS WHERE TABLE_NAME = ? AND PARTITION_NAME IS NOT NULL", m.tables[i])
}

// readPartitions compares what a view selects among the versions of some
// partitions with what it would select if there were no others.
func (m *modelRun) readPartitions(db harness.Execer, i int) {
	names, there := m.somePartitions(db, i)
	if names == "" {
		return
	}
	v := readView(m.r)
	query := fmt.Sprintf("SELECT %sK, Q, T, V FROM %s PARTITION (%s)%s ORDER BY K, Q, T DESC", v.hint, m.tables[i], names, v.suffix)
	m.same(query, m.query(db, query), there.rows(v))
}

// somePartitions returns names of partitions of table i, empty if it has none,
// and what they hold.
func (m *modelRun) somePartitions(db harness.Execer, i int) (names string, there model) {
	all := m.leaves(db, i)
	if len(all) == 0 {
		return "", there
	}
	names = harness.Pick(m.r, all)
	for range m.r.IntN(4) {
		names += ", " + harness.Pick(m.r, all)
	}
	there = newModel()
	for _, x := range m.query(db, "SELECT K, Q, T, V FROM "+m.tables[i]+" PARTITION ("+names+") FOR SYSTEM_TIME ALL") {
		there.put(x)
	}
	return names, there
}

// writePartitions changes or deletes what a view shows of some partitions, which
// changes nothing in the others.
func (m *modelRun) writePartitions(i int) {
	names, there := m.somePartitions(m.db, i)
	if names == "" {
		return
	}
	v, p, to := writeView(m.r), where(m.r, 2), modelValue(m.r)
	update := v.n != 1 && m.r.IntN(2) == 0 // in the latest view it adds versions at the clock's time
	statement := fmt.Sprintf("DELETE %sFROM %s PARTITION (%s) WHERE %s", v.hint, m.tables[i], names, p.sql)
	if update {
		statement = fmt.Sprintf("UPDATE %s%s PARTITION (%s) SET V = %s WHERE %s", v.hint, m.tables[i], names, litOrNull(to), p.sql)
	}
	m.note("%s", statement)
	for _, x := range there.rows(v) {
		switch {
		case p.eval(x) != 1:
		case update:
			m.models[i].put(row{x.k, x.q, x.t, to})
		case v.n == 1:
			for t := range there.cells[column{x.k, x.q}] {
				m.models[i].remove(row{x.k, x.q, t, nil})
			}
		default:
			m.models[i].remove(x)
		}
	}
	require.NoError(m.t, m.exec(statement), statement)
	all := view{min: math.MinInt64, max: math.MaxInt64}
	m.same(statement, m.query(m.db, "SELECT K, Q, T, V FROM "+m.tables[i]+" FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"), m.models[i].rows(all))
}
