package stores

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// partitions changes the partitions of the group, half of the time while other
// statements run. A change that is refused, because the current layout has no
// such partition, changes nothing.
func (m *modelRun) partitions() {
	switch n := m.r.IntN(8); {
	case oracle.Timed(m.layout) && m.r.IntN(8) == 0:
		m.emptyLeaves()
		return
	case n < 2:
		m.emptyPartition()
		return
	case n == 2:
		m.exchange()
		return
	case n == 3:
		m.recreate()
		return
	}
	statement := m.layoutChange(m.tables[m.r.IntN(2)])
	if m.r.IntN(2) == 0 {
		m.note("%s", statement)
		m.changed(m.exec(statement))
		return
	}
	m.note("%s; meanwhile", statement)
	done := make(chan error, 1)
	m.moving = true
	go func() { done <- m.exec(statement) }()
	for range m.r.IntN(6) {
		m.step()
	}
	m.changed(<-done)
	m.moving = false
	m.note("-- that is over")
}

func (m *modelRun) exec(statement string) error {
	_, err := m.db.Exec(statement)
	return err
}

// refusals are MySQL's error numbers for partitions that cannot be changed in
// this way.
var refusals = []uint16{0, 1480, 1481, 1492, 1493, 1505, 1507, 1508, 1509, 1510, 1511, 1512, 1513, 1515, 1516, 1517, 1519, 1520, 1526, 1654, 1735, 1747, 1748, 8212}

func (m *modelRun) changed(err error) {
	require.Contains(m.t, refusals, harness.NumberOf(err), "%v", err)
}

// layoutChange returns a statement that keeps all rows.
func (m *modelRun) layoutChange(table string) string {
	switch {
	case oracle.Timed(m.layout) && m.r.IntN(2) == 0:
		return m.timeChange(table)
	case m.r.IntN(3) == 0:
		return "SPLIT TABLE " + table + m.split()
	}
	bound := func() string { return harness.Lit(modelKey(m.r)) }
	name := func() string { return fmt.Sprintf("p%d", m.r.IntN(5)) }
	action := ""
	switch m.r.IntN(10) {
	case 0:
		action = "REMOVE PARTITIONING"
	case 1, 2:
		action = fmt.Sprintf("PARTITION BY KEY(K) PARTITIONS %d", 1+m.r.IntN(9))
	case 3, 4:
		var ranges []string
		for i, at := range []string{"''", "'a'", "'b'", "'c'"}[m.r.IntN(4):] {
			ranges = append(ranges, fmt.Sprintf("PARTITION p%d VALUES LESS THAN (%s)", i, at))
		}
		action = "PARTITION BY RANGE COLUMNS(K) (" + strings.Join(ranges, ", ") + ", PARTITION p9 VALUES LESS THAN (MAXVALUE))"
	case 5:
		action = fmt.Sprintf("ADD PARTITION PARTITIONS %d", 1+m.r.IntN(3))
	case 6:
		action = fmt.Sprintf("COALESCE PARTITION %d", 1+m.r.IntN(3))
	case 7:
		action = fmt.Sprintf("REORGANIZE PARTITION p9 INTO (PARTITION %s VALUES LESS THAN (%s), PARTITION p9 VALUES LESS THAN (MAXVALUE))", name(), bound())
	case 8:
		action = fmt.Sprintf("PARTITION BY RANGE COLUMNS(K) SPLITS (%s, %s)", bound(), bound())
	default:
		action = "REORGANIZE PARTITION " + name() + ", p9 INTO (PARTITION p9 VALUES LESS THAN (MAXVALUE))"
	}
	return "ALTER TABLE " + table + " " + action
}

// split returns the key at which SPLIT TABLE splits.
func (m *modelRun) split() string {
	bound := func() string { return "(" + harness.Lit(modelKey(m.r)) + ")" }
	where := ""
	if m.r.IntN(4) == 0 {
		where = fmt.Sprintf(" PARTITION (p%d)", m.r.IntN(5))
	}
	if m.r.IntN(2) == 0 {
		return where + " BY " + bound() + ", " + bound()
	}
	return fmt.Sprintf("%s BETWEEN %s AND %s REGIONS %d", where, bound(), bound(), 1+m.r.IntN(5))
}

// emptyPartition runs TRUNCATE PARTITION, on one table, or DROP PARTITION, on
// the group: the rows of the partition are removed.
func (m *modelRun) emptyPartition() {
	i, name := m.r.IntN(2), fmt.Sprintf("p%d", m.r.IntN(4))
	verb, touched := "TRUNCATE", []int{i}
	bound := m.boundOf(name)
	if m.r.IntN(2) == 0 && bound != "MAXVALUE" { // the last one stays: every row needs a partition
		verb, touched = "DROP", []int{0, 1}
	}
	shown := make([][]row, 2)
	for _, t := range touched {
		var err error
		shown[t], err = m.tryQuery(m.db, "SELECT K, Q, T, V FROM "+m.tables[t]+" PARTITION ("+name+") FOR SYSTEM_TIME ALL")
		if harness.NumberOf(err) == 1735 || harness.NumberOf(err) == 1747 {
			return
		}
		require.NoError(m.t, err)
	}
	statement := fmt.Sprintf("ALTER TABLE %s %s PARTITION %s", m.tables[i], verb, name)
	m.note("%s", statement)
	err := m.exec(statement)
	m.changed(err)
	if err != nil {
		return
	}
	if m.splitsItself() && bound != "NULL" {
		m.emptied(touched, shown)
		return
	}
	for _, t := range touched {
		for _, x := range shown[t] {
			m.models[t].remove(x)
		}
	}
}

// boundOf returns a partition's upper bound, "NULL" if it has none, and "" if
// there is no such partition.
func (m *modelRun) boundOf(partition string) string {
	return strings.Join(harness.Lines(m.t, m.db, "SELECT DISTINCT PARTITION_DESCRIPTION FROM information_schema.PARTITIONS WHERE TABLE_NAME = ? AND PARTITION_NAME = ?",
		m.tables[0], partition), "")
}

// emptied removes from the models what is gone from the tables. The store may
// have split the partition, or merged it with the one below, since its rows were
// read: so what is gone is a range of rows, the same in all tables, that ends
// with the last row read. If a split cut off the part above that row, because of
// rows that were there before, nothing is gone.
func (m *modelRun) emptied(tables []int, shown [][]row) {
	var gone, left, seen []string
	for _, t := range tables {
		present := newModel()
		for _, x := range m.query(m.db, "SELECT K, Q, T, V FROM "+m.tables[t]+" FOR SYSTEM_TIME ALL") {
			present.put(x)
		}
		for _, x := range m.models[t].rows(view{min: math.MinInt64, max: math.MaxInt64}) {
			if present.has(x) {
				left = append(left, x.k)
				continue
			}
			gone = append(gone, x.k)
			m.models[t].remove(x)
		}
		for _, x := range shown[t] {
			seen = append(seen, x.k)
		}
	}
	if len(gone) > 0 {
		first, last := slices.Min(gone), slices.Max(gone)
		require.False(m.t, slices.ContainsFunc(left, func(k string) bool { return first <= k && k <= last }), "gone: %q, left: %q", gone, left)
		require.True(m.t, len(seen) == 0 || last == slices.Max(seen), "gone: %q, shown: %q", gone, seen)
	}
}

// exchange exchanges a partition of one table with a table that has its own
// rows; if one of these belongs elsewhere, nothing changes.
func (m *modelRun) exchange() {
	i, name := m.r.IntN(2), fmt.Sprintf("p%d", m.r.IntN(5))
	if leaves := m.leaves(m.db, i); oracle.Timed(m.layout) && len(leaves) > 0 {
		name = harness.Pick(m.r, leaves)
	}
	inside, err := m.tryQuery(m.db, "SELECT K, Q, T, V FROM "+m.tables[i]+" PARTITION ("+name+") FOR SYSTEM_TIME ALL")
	if err != nil || m.splitsItself() {
		return // there is no such partition, or it may soon be another one
	}
	harness.Must(m.t, m.db, "DROP TABLE IF EXISTS x", oracle.ModelTable("x", m.layout, ""))
	others, tuples := randomRows(m.r)
	if m.r.IntN(2) == 0 && len(inside) > 0 { // some that belong there
		others = []row{{inside[0].k, modelQualifier(m.r), modelTime(m.r), modelValue(m.r)}}
		tuples = others[0].tuple()
	}
	if oracle.Timed(m.layout) && strings.Contains(tuples, oracle.SmallestTime) {
		return
	}
	harness.Must(m.t, m.db, "REPLACE INTO x (K, Q, T, V) VALUES "+tuples)
	statement := fmt.Sprintf("ALTER TABLE %s EXCHANGE PARTITION %s WITH TABLE x", m.tables[i], name) + harness.Pick(m.r, []string{"", " WITHOUT VALIDATION"})
	m.note("%s -- %s", statement, tuples)
	err = m.exec(statement)
	if harness.NumberOf(err) != 1737 {
		require.NoError(m.t, err)
		for _, x := range inside {
			m.models[i].remove(x)
		}
		for _, x := range others {
			m.models[i].put(x)
		}
		others = inside
	}
	want := newModel()
	for _, x := range others {
		want.put(x)
	}
	all := view{min: math.MinInt64, max: math.MaxInt64}
	m.same(statement, m.query(m.db, "SELECT K, Q, T, V FROM x FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"), want.rows(all))
	harness.Must(m.t, m.db, "DROP TABLE x")
}

// recreate creates a table from the output of SHOW CREATE TABLE, which must be
// the same for the new table.
func (m *modelRun) recreate() {
	show := func(table string) (text string) {
		require.NoError(m.t, m.db.QueryRow("SHOW CREATE TABLE "+table).Scan(&table, &text))
		return text
	}
	text := show(m.tables[0])
	statement := strings.Replace(text, "`"+m.tables[0]+"`", "`x`", 1)
	m.note("%s", statement)
	harness.Must(m.t, m.db, "DROP TABLE IF EXISTS x", statement)
	require.Equal(m.t, statement, show("x"))
	harness.Must(m.t, m.db, "DROP TABLE x")
}
