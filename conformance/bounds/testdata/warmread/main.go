// The program warmread runs a prepared SELECT until nothing is new any more. Then it runs it once
// for each directory that it is given, and writes there the coverage counters of that read: which
// functions it enters.
// It must be built with -cover -covermode=atomic.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"runtime/coverage"

	_ "github.com/hbasekv/hbasekv/driver"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// statements are the measured statements, by name: one reads a cell by its key, one groups over a
// pivot.
var statements = map[string]struct {
	text string
	args []any
}{
	"point": {"SELECT K, Q, T, V FROM t WHERE K = ? AND Q = ?", []any{"row", "a"}},
	"group": {"SELECT a, COUNT(*), SUM(b) FROM (SELECT K, MAX(CASE WHEN Q = 'a' THEN V END) a, " +
		"MAX(CASE WHEN Q = 'b' THEN V END) b FROM t GROUP BY K) p GROUP BY a", nil},
}

// run keeps its table in the directory data, and writes counters to the others.
func run(data, statement string, counters []string) error {
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
	return measure(db, statement, counters)
}

func measure(db *sql.DB, statement string, counters []string) error {
	of := statements[statement]
	stmt, err := db.Prepare(of.text)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for range 100 {
		if err := read(stmt, of.args); err != nil {
			return err
		}
	}
	for _, dir := range counters {
		if err := count(stmt, of.args, dir); err != nil {
			return err
		}
	}
	return nil
}

// count writes the counters of one read.
func count(stmt *sql.Stmt, args []any, dir string) error {
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if err := read(stmt, args); err != nil {
		return err
	}
	if err := coverage.WriteCountersDir(dir); err != nil {
		return err
	}
	return coverage.WriteMetaDir(dir)
}

func read(stmt *sql.Stmt, args []any) error {
	rows, err := stmt.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	row := make([]any, len(columns))
	for i := range row {
		row[i] = new(sql.RawBytes)
	}
	for rows.Next() {
		if err := rows.Scan(row...); err != nil {
			return err
		}
	}
	return rows.Err()
}
