package driver_test

import (
	"database/sql"
	"fmt"
	"log"
	"strings"

	_ "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/partition/rowkey"
)

// openTable is an in-memory store with one table.
func openTable(name, partitioning string) *sql.DB {
	return openWith("CREATE TABLE " + name + " (K varbinary(256), Q varbinary(256), T bigint, V varbinary(256), PRIMARY KEY (K, Q, T)) " + partitioning)
}

// openTimes is an in-memory store with the table m, which has a column over T.
func openTimes(partitioning string) *sql.DB {
	return openWith("CREATE TABLE m (K varbinary(256), Q varbinary(256), T bigint, V varbinary(256), " +
		"G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY (K, Q, T)) " + partitioning)
}

func openWith(create string) *sql.DB {
	db, err := sql.Open("hbasekv", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	exec(db, create)
	return db
}

func exec(db *sql.DB, query string, args ...any) {
	if _, err := db.Exec(query, args...); err != nil {
		log.Fatal(err)
	}
}

// show prints the rows of a query, with spaces between columns.
func show(db *sql.DB, query string, args ...any) {
	rows, err := db.Query(query, args...)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		log.Fatal(err)
	}
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			log.Fatal(err)
		}
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = v.String
		}
		fmt.Println(strings.Join(words, " "))
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
}

// plan prints how a query is read: MySQL's type, and the number of partitions.
func plan(db *sql.DB, query string, args ...any) {
	rows, err := db.Query("EXPLAIN "+query, args...)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var partitions, kind, extra sql.NullString
		var skip sql.RawBytes
		if err := rows.Scan(&skip, &skip, &skip, &partitions, &kind, &skip, &skip, &skip, &skip, &skip, &skip, &extra); err != nil {
			log.Fatal(err)
		}
		fmt.Println(kind.String, "of", strings.Count(partitions.String, ",")+1, "partition(s):", extra.String)
	}
}

// Who follows whom, wide: a row per user, with a column for each user followed.
// One row get returns all of them, and a column is looked up without reading
// the others. But a row is never split, so this suits data with an upper bound.
func Example_followersWide() {
	db := openTable("follows", "PARTITION BY KEY(K) PARTITIONS 7")
	defer db.Close()
	exec(db, "INSERT INTO follows (K, Q, V) VALUES ('ann', 'bob', ''), ('ann', 'cid', ''), ('bob', 'ann', '')")

	show(db, "SELECT Q FROM follows WHERE K = ?", "ann")
	show(db, "SELECT COUNT(*) FROM follows WHERE K = ? AND Q = ?", "ann", "cid")
	plan(db, "SELECT Q FROM follows WHERE K = ?", "ann")
	plan(db, "SELECT 1 FROM follows WHERE K = ? AND Q = ?", "ann", "cid")
	// Output:
	// bob
	// cid
	// 1
	// ref of 1 partition(s): POINT LOOKUP; Using index
	// const of 1 partition(s): POINT LOOKUP; Using index
}

// Who follows whom, tall: a row per pair, so that no row grows without bound.
// The hash prefix spreads the users; a generated column of it keeps all pairs of
// a user in one partition.
func Example_followersTall() {
	db, err := sql.Open("hbasekv", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	exec(db, `CREATE TABLE follows (K varbinary(256), Q varbinary(1), T bigint, V varbinary(256),
		H varbinary(4) GENERATED ALWAYS AS (substring(K, 1, 4)), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(H) PARTITIONS 97`)
	for _, pair := range [][2]string{{"ann", "bob"}, {"ann", "cid"}, {"bob", "ann"}} {
		exec(db, "INSERT INTO follows (K, Q, V) VALUES (ROWKEY('#', HASH_PREFIX(?, 4), ?), '', '')", pair[0], pair[1])
	}

	show(db, "SELECT ROWKEY_PART(K, '#', 2) FROM follows WHERE K LIKE CONCAT(HASH_PREFIX(?, 4), '#%')", "ann")
	plan(db, "SELECT K FROM follows WHERE K LIKE CONCAT(HASH_PREFIX(?, 4), '#%')", "ann")
	plan(db, "SELECT 1 FROM follows WHERE K = ROWKEY('#', HASH_PREFIX(?, 4), ?)", "ann", "bob")
	// Output:
	// bob
	// cid
	// range of 1 partition(s): RANGE SCAN; Using index
	// ref of 1 partition(s): POINT LOOKUP; Using index
}

// Who follows whom, queried from both sides: a second family has the same pairs
// reversed. A transaction maintains both, and each question is one row get.
func Example_followersBothWays() {
	db, err := sql.Open("hbasekv", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, family := range []string{"to", "from"} {
		exec(db, "CREATE TABLE follow$"+family+" (K varbinary(256), Q varbinary(256), T bigint, V varbinary(1), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 7")
	}
	for _, pair := range [][2]string{{"ann", "bob"}, {"cid", "bob"}, {"bob", "ann"}} {
		tx, err := db.Begin()
		if err != nil {
			log.Fatal(err)
		}
		for _, statement := range []string{
			"INSERT INTO follow$to (K, Q, V) VALUES (?, ?, '')", "INSERT INTO follow$from (Q, K, V) VALUES (?, ?, '')",
		} {
			if _, err := tx.Exec(statement, pair[0], pair[1]); err != nil {
				log.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			log.Fatal(err)
		}
	}

	show(db, "SELECT Q FROM follow$to WHERE K = ?", "ann")
	show(db, "SELECT Q FROM follow$from WHERE K = ?", "bob")
	// Friends of friends: a row get for each user that ann follows.
	show(db, "SELECT b.Q FROM follow$to a JOIN follow$to b ON b.K = a.Q WHERE a.K = ?", "ann")
	plan(db, "SELECT Q FROM follow$from WHERE K = ?", "bob")
	// Output:
	// bob
	// ann
	// cid
	// ann
	// ref of 1 partition(s): POINT LOOKUP; Using index
}

// A user's newest operations first: the time after the user is reversed, so
// that the first rows of a scan are the newest, and LIMIT stops the scan.
func Example_newestFirst() {
	db := openTable("operations", "PARTITION BY KEY(K) PARTITIONS 7")
	defer db.Close()
	for i, what := range []string{"login", "search", "buy"} {
		at := 1_700_000_000_000 + int64(i)*60_000
		exec(db, "INSERT INTO operations (K, Q, V) VALUES (ROWKEY('#', ?, REVERSE_TS(?)), 'what', ?)", "user7", at, what)
	}
	exec(db, "INSERT INTO operations (K, Q, V) VALUES (ROWKEY('#', 'user77', REVERSE_TS(1800000000000)), 'what', 'logout')")

	show(db, `SELECT REVERSE_TS_TO_LONG(ROWKEY_PART(K, '#', 2)), V FROM operations
		WHERE K LIKE CONCAT(?, '#%') ORDER BY K LIMIT 2`, "user7")
	// Since a point in time: later times come earlier in the order of keys.
	show(db, `SELECT V FROM operations WHERE K >= ROWKEY('#', ?, '') AND K <= ROWKEY('#', ?, REVERSE_TS(?))`, "user7", "user7", 1_700_000_060_000)
	// Output:
	// 1700000120000 buy
	// 1700000060000 search
	// buy
	// search
}

// Phone numbers begin alike and end randomly: reversed, they are spread over
// ranges, and numbers are found by their last digits.
func Example_phoneNumbers() {
	db := openTable("phones", "PARTITION BY RANGE COLUMNS(K) SPLITS ('2', '4', '6', '8')")
	defer db.Close()
	for _, number := range []string{"+8613800138001", "+8613800138043", "+8613800138065", "+8613800139065"} {
		exec(db, "INSERT INTO phones (K, Q, V) VALUES (REVERSE(?), 'name', '')", number)
	}

	show(db, "SELECT REVERSE(K) FROM phones WHERE K = REVERSE(?)", "+8613800138043")
	show(db, "SELECT REVERSE(K) FROM phones WHERE K LIKE CONCAT(REVERSE(?), '%')", "065")
	plan(db, "SELECT K FROM phones WHERE K LIKE CONCAT(REVERSE(?), '%')", "065")
	// Output:
	// +8613800138043
	// +8613800138065
	// +8613800139065
	// range of 1 partition(s): RANGE SCAN; Using index
}

// Readings by time, salted: the writes at any time go to all ranges. A row is
// found by its key, because the salt follows from it, and a range of time is
// one span per bucket, merged in the order of time.
func Example_saltedTimes() {
	db := openTable("readings", "PARTITION BY RANGE COLUMNS(K) SPLITS (X'01', X'02', X'03')")
	defer db.Close()
	for minute := range 6 {
		exec(db, "INSERT INTO readings (K, Q, V) VALUES (SALT(?, 4), 'v', ?)", fmt.Sprintf("20260101T08%02d", minute), minute)
	}

	show(db, "SELECT V FROM readings WHERE K = SALT(?, 4)", "20260101T0803")
	hour := partition.RowRange{Start: []byte("20260101T0801"), End: []byte("20260101T0900")}
	condition, args, err := rowkey.SaltCondition("K", hour, 4)
	if err != nil {
		log.Fatal(err)
	}
	show(db, "SELECT UNSALT(K), V FROM readings WHERE "+condition+" ORDER BY UNSALT(K) LIMIT 3", args...)
	plan(db, "SELECT UNSALT(K), V FROM readings WHERE "+condition+" ORDER BY UNSALT(K) LIMIT 3", args...)
	// Output:
	// 3
	// 20260101T0801 1
	// 20260101T0802 2
	// 20260101T0803 3
	// range of 4 partition(s): SKIP SCAN
}

// Numbers of a sequence: as text of fixed width they sort as numbers, and their
// last digits in front spread them.
func Example_sequence() {
	db := openTable("orders", "PARTITION BY RANGE COLUMNS(K) SPLITS ('2', '4', '6', '8')")
	defer db.Close()
	for id := 98; id <= 101; id++ {
		exec(db, "INSERT INTO orders (K, Q, V) VALUES (MOD_PREFIX(?, 10), 'state', 'new')", id)
	}
	show(db, "SELECT K FROM orders")
	show(db, "SELECT K, V FROM orders WHERE K = MOD_PREFIX(?, 10)", 100)
	show(db, "SELECT FIXED_WIDTH(98, 6) < FIXED_WIDTH(100, 6), '98' < '100'")
	// Output:
	// 0100
	// 1101
	// 898
	// 999
	// 0100 new
	// 1 0
}
