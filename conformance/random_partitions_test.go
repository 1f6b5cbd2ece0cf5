package conformance

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

// partitions changes the partitions of the group, half of the time while other
// statements run. What is refused, for the layout of the moment has no such
// partition, changes nothing.
func (m *modelRun) partitions() {
	if m.r.IntN(4) == 0 {
		m.emptyPartition()
		return
	}
	statement := "ALTER TABLE " + m.tables[m.r.IntN(2)] + " " + m.layoutChange()
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

// refusals are MySQL's numbers for partitions that cannot be changed so.
var refusals = []uint16{0, 1481, 1492, 1493, 1505, 1507, 1508, 1509, 1510, 1511, 1512, 1515, 1516, 1517, 1519, 1520, 1735}

func (m *modelRun) changed(err error) {
	require.Contains(m.t, refusals, numberOf(err), "%v", err)
}

// layoutChange is an action of ALTER TABLE that keeps all rows.
func (m *modelRun) layoutChange() string {
	bound := func() string { return lit(modelKey(m.r)) }
	name := func() string { return fmt.Sprintf("p%d", m.r.IntN(5)) }
	switch m.r.IntN(9) {
	case 0:
		return "REMOVE PARTITIONING"
	case 1, 2:
		return fmt.Sprintf("PARTITION BY KEY(K) PARTITIONS %d", 1+m.r.IntN(9))
	case 3, 4:
		var ranges []string
		for i, at := range []string{"''", "'a'", "'b'", "'c'"}[m.r.IntN(4):] {
			ranges = append(ranges, fmt.Sprintf("PARTITION p%d VALUES LESS THAN (%s)", i, at))
		}
		return "PARTITION BY RANGE COLUMNS(K) (" + strings.Join(ranges, ", ") + ", PARTITION p9 VALUES LESS THAN (MAXVALUE))"
	case 5:
		return fmt.Sprintf("ADD PARTITION PARTITIONS %d", 1+m.r.IntN(3))
	case 6:
		return fmt.Sprintf("COALESCE PARTITION %d", 1+m.r.IntN(3))
	case 7:
		return fmt.Sprintf("REORGANIZE PARTITION p9 INTO (PARTITION %s VALUES LESS THAN (%s), PARTITION p9 VALUES LESS THAN (MAXVALUE))", name(), bound())
	}
	return "REORGANIZE PARTITION " + name() + ", p9 INTO (PARTITION p9 VALUES LESS THAN (MAXVALUE))"
}

// emptyPartition is TRUNCATE PARTITION, of one table, or DROP PARTITION, of the
// group: the rows that the partition shows go.
func (m *modelRun) emptyPartition() {
	i, name := m.r.IntN(2), fmt.Sprintf("p%d", m.r.IntN(4))
	verb, touched := "TRUNCATE", []int{i}
	if m.r.IntN(2) == 0 {
		verb, touched = "DROP", []int{0, 1}
		name = fmt.Sprintf("p%d", m.r.IntN(2)) // the last one stays
	}
	gone := make([][]row, 2)
	for _, t := range touched {
		rows, err := m.db.Query("SELECT K, Q, T, V FROM " + m.tables[t] + " PARTITION (" + name + ") FOR SYSTEM_TIME ALL")
		if numberOf(err) == 1735 || numberOf(err) == 1747 {
			return
		}
		require.NoError(m.t, err)
		for rows.Next() {
			var x row
			require.NoError(m.t, rows.Scan(&x.k, &x.q, &x.t, &x.v))
			gone[t] = append(gone[t], x)
		}
		require.NoError(m.t, rows.Err())
	}
	statement := fmt.Sprintf("ALTER TABLE %s %s PARTITION %s", m.tables[i], verb, name)
	m.note("%s", statement)
	err := m.exec(statement)
	m.changed(err)
	if err != nil {
		return
	}
	for t, rows := range gone {
		for _, x := range rows {
			m.models[t].remove(x)
		}
	}
}
