package driver_test

import (
	"fmt"
	"time"
)

// Measurements that are kept for three months: a partition per month, each
// spread by a hash of the row key. Old months are dropped with their partition,
// at once however large it is; a read of one month reads only that month's
// partition.
func Example_partitionsByTime() {
	month := func(m time.Month) int64 { return time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC).UnixMilli() }
	db := openTimes(fmt.Sprintf(`PARTITION BY RANGE COLUMNS(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (
		PARTITION january VALUES LESS THAN (%d), PARTITION february VALUES LESS THAN (%d), PARTITION march VALUES LESS THAN (%d))`,
		month(2), month(3), month(4)))
	defer db.Close()
	for day := month(1); day < month(4); day += 24 * 3600 * 1000 {
		exec(db, "INSERT INTO m (K, Q, T, V) VALUES ('sensor1', 'temp', ?, '20'), ('sensor2', 'temp', ?, '21')", day, day)
	}
	february := "SELECT * FROM m FOR SYSTEM_TIME ALL WHERE T >= ? AND T < ?"
	plan(db, february, month(2), month(3))
	plan(db, february+" AND K = 'sensor1'", month(2), month(3))

	// April begins: add a partition for it, and drop January.
	exec(db, fmt.Sprintf("ALTER TABLE m ADD PARTITION (PARTITION april VALUES LESS THAN (%d))", month(5)))
	exec(db, "ALTER TABLE m DROP PARTITION january")
	show(db, `SELECT PARTITION_NAME, SUM(TABLE_ROWS), COUNT(*) FROM information_schema.PARTITIONS
		WHERE TABLE_NAME = 'm' GROUP BY PARTITION_NAME ORDER BY MIN(PARTITION_ORDINAL_POSITION)`)
	show(db, "SELECT K, COUNT(*) FROM m FOR SYSTEM_TIME ALL GROUP BY K")
	// Output:
	// ALL of 1 partition(s): FULL SCAN
	// ref of 1 partition(s): POINT LOOKUP
	// february 56 3
	// march 62 3
	// april 0 3
	// sensor1 59
	// sensor2 59
}

// The other way round: partitions by hash, each with the same subpartitions by
// time, which are added and dropped in all of them together.
func Example_subpartitionsByTime() {
	db := openTimes(`PARTITION BY KEY(K) PARTITIONS 3 SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (
		SUBPARTITION old VALUES LESS THAN (1000), SUBPARTITION new VALUES LESS THAN (2000))`)
	defer db.Close()
	exec(db, "INSERT INTO m (K, Q, T, V) VALUES ('a', 'q', 1, 'first'), ('a', 'q', 1500, 'second'), ('b', 'q', 2, 'third')")
	show(db, "SELECT K, T, V FROM m PARTITION (p0sold, p1sold, p2sold) ORDER BY K") // as if there were nothing else
	exec(db, "ALTER TABLE m ADD SUBPARTITION (SUBPARTITION newest VALUES LESS THAN (MAXVALUE))")
	exec(db, "ALTER TABLE m DROP SUBPARTITION old")
	show(db, "SELECT K, T, V FROM m FOR SYSTEM_TIME ALL")
	// Output:
	// a 1 first
	// b 2 third
	// a 1500 second
}
