// A time series: the readings of a sensor are the versions of a cell, which expire after 30 days. Each
// month is a partition, which is dropped as a whole when everything in it has expired.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"time"

	_ "github.com/hbasekv/hbasekv/driver"
)

// The clock is fixed, so that the output is always the same. A service leaves it out.
const store = ":memory:?clock=2026-03-05T12:00:00Z" // or a directory

func main() {
	db, err := sql.Open("hbasekv", store)
	check(err)
	defer db.Close()
	exec := func(query string, args ...any) {
		_, err := db.Exec(query, args...)
		check(err)
	}
	exec(fmt.Sprintf(`CREATE TABLE readings$d (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64),
		G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY (K, Q, T))
		TTL = %d
		PARTITION BY RANGE COLUMNS(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (
			PARTITION january VALUES LESS THAN (%d),
			PARTITION february VALUES LESS THAN (%d),
			PARTITION march VALUES LESS THAN (%d))`, 30*24*3600, begin(2), begin(3), begin(4)))

	// A reading every six hours. In one transaction they share one sync of the disk.
	tx, err := db.Begin()
	check(err)
	insert, err := tx.Prepare("INSERT INTO readings$d (K, Q, T, V) VALUES (?, 'temperature', ?, ?)")
	check(err)
	hour := time.Hour.Milliseconds()
	for t := begin(1); t < time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC).UnixMilli(); t += 6 * hour {
		for sensor, warmest := range map[string]int64{"hall": 20, "yard": 9} {
			_, err := insert.Exec(sensor, t, fmt.Sprint(warmest-t/hour%24/6))
			check(err)
		}
	}
	check(tx.Commit())

	var now string
	check(db.QueryRow("SELECT V FROM readings$d WHERE K = 'yard' AND Q = 'temperature'").Scan(&now))
	fmt.Println("the yard's newest:", now)

	days, err := db.Query(`SELECT FROM_UNIXTIME(T DIV 1000, '%Y-%m-%d') AS day, COUNT(*), AVG(V)
		FROM readings$d FOR SYSTEM_TIME ALL WHERE K = 'hall' AND Q = 'temperature' AND T >= ?
		GROUP BY day ORDER BY day`, time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC).UnixMilli())
	check(err)
	defer days.Close()
	for days.Next() {
		var day string
		var n int
		var mean float64
		check(days.Scan(&day, &n, &mean))
		fmt.Printf("the hall on %s: %d readings, %.2f on average\n", day, n, mean)
	}
	check(days.Err())

	var oldest string
	check(db.QueryRow("SELECT FROM_UNIXTIME(MIN(T) DIV 1000) FROM readings$d FOR SYSTEM_TIME ALL").Scan(&oldest))
	fmt.Println("the oldest that has not expired:", oldest)

	// What a service runs once a day: add a partition for the next month, and drop one that has expired.
	exec(fmt.Sprintf("ALTER TABLE readings$d ADD PARTITION (PARTITION april VALUES LESS THAN (%d))", begin(5)))
	exec("ALTER TABLE readings$d DROP EXPIRED PARTITIONS")
	var partitions string
	check(db.QueryRow(`SELECT GROUP_CONCAT(DISTINCT PARTITION_NAME ORDER BY PARTITION_ORDINAL_POSITION)
		FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'readings$d'`).Scan(&partitions))
	fmt.Println("partitions:", partitions)
}

// begin is the start of a month of 2026, in milliseconds since 1970, like T.
func begin(month time.Month) int64 {
	return time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
