// The program pointread reads one cell by a prepared statement until nothing is
// new any more. Then it reads it once for each directory that it is given, and
// writes there the coverage counters of that read: which functions it enters.
// It is to be built with -cover -covermode=atomic.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"runtime/coverage"

	_ "github.com/hbasekv/hbasekv/driver"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run keeps its table in the directory data, and writes counters to the others.
func run(data string, counters []string) error {
	db, err := sql.Open("hbasekv", "file:"+data)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, text := range []string{
		"CREATE TABLE t (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024) NOT NULL, " +
			"PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 7",
		"INSERT INTO t VALUES ('row', 'a', 1, 'v'), ('row', 'b', 1, 'v'), ('other', 'a', 1, 'v')",
		"FLUSH TABLES",
		"OPTIMIZE TABLE t",
	} {
		if _, err := db.Exec(text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return measure(db, counters)
}

func measure(db *sql.DB, counters []string) error {
	stmt, err := db.Prepare("SELECT K, Q, T, V FROM t WHERE K = ? AND Q = ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	for range 100 {
		if err := read(stmt); err != nil {
			return err
		}
	}
	for _, dir := range counters {
		if err := count(stmt, dir); err != nil {
			return err
		}
	}
	return nil
}

// count writes the counters of one read.
func count(stmt *sql.Stmt, dir string) error {
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if err := read(stmt); err != nil {
		return err
	}
	if err := coverage.WriteCountersDir(dir); err != nil {
		return err
	}
	return coverage.WriteMetaDir(dir)
}

func read(stmt *sql.Stmt) error {
	rows, err := stmt.Query("row", "a")
	if err != nil {
		return err
	}
	defer rows.Close()
	var k, q, v sql.RawBytes
	var t int64
	for rows.Next() {
		if err := rows.Scan(&k, &q, &t, &v); err != nil {
			return err
		}
	}
	return rows.Err()
}
