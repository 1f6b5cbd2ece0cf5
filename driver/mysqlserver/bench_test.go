package mysqlserver_test

import (
	"database/sql"
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

var mariadb = flag.String("mariadb.socket", "", "the socket of a MariaDB server, with a user root without a password and a "+
	"database test, for the benchmarks beside it")

const (
	benchRows  = 10_000
	benchCells = 4 // of a row
	benchTable = "CREATE TABLE bench (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, " +
		"V varbinary(200), PRIMARY KEY (K, Q, T))"
)

// BenchmarkWire is the same client with the same statements on the same cells, by the
// server and by a MariaDB, each over a socket. Commits are left to the operating
// system: give MariaDB --innodb-flush-log-at-trx-commit=2.
func BenchmarkWire(b *testing.B) {
	s := serve(b, "file:"+b.TempDir()+"?sync=false&cache=256MiB", mysqlserver.Options{})
	sources := map[string]string{"hbasekv": s.source("default", "")}
	if *mariadb != "" {
		sources["mariadb"] = "root@unix(" + *mariadb + ")/test"
	}
	for _, name := range []string{"hbasekv", "mariadb"} {
		if sources[name] == "" {
			continue
		}
		db, err := sql.Open("mysql", sources[name])
		require.NoError(b, err)
		defer db.Close()
		fillBench(b, db)
		b.Run("RowGet/server="+name, func(b *testing.B) { benchGet(b, db, "SELECT Q, T, V FROM bench WHERE K = ?", false) })
		b.Run("CellGet/server="+name, func(b *testing.B) {
			benchGet(b, db, "SELECT V FROM bench WHERE K = ? AND Q = ? AND T = 1", true)
		})
		b.Run("Scan1000/server="+name, func(b *testing.B) {
			benchGet(b, db, "SELECT K, Q, T, V FROM bench WHERE K >= ? ORDER BY K, Q LIMIT 1000", false)
		})
		b.Run("Insert/server="+name, func(b *testing.B) { benchInsert(b, db) })
	}
}

func fillBench(b *testing.B, db *sql.DB) {
	execAll(b, db, "DROP TABLE IF EXISTS bench", benchTable)
	for i := 0; i < benchRows; i += 1000 {
		var args []any
		text := "INSERT INTO bench VALUES "
		for j := i; j < i+1000; j++ {
			for q := range benchCells {
				text += "(?, ?, 1, ?),"
				args = append(args, benchKey(j), fmt.Sprintf("column%d", q), fmt.Sprintf("the value of %d in %d, some bytes long", q, j))
			}
		}
		_, err := db.Exec(text[:len(text)-1], args...)
		require.NoError(b, err)
	}
}

func benchKey(i int) string { return fmt.Sprintf("row%08d", i) }

func benchGet(b *testing.B, db *sql.DB, query string, cell bool) {
	st, err := db.Prepare(query)
	require.NoError(b, err)
	defer st.Close()
	i, into := 0, make([]sql.RawBytes, 4)
	for b.Loop() {
		i = (i + 7919) % (benchRows - 1000)
		args := []any{benchKey(i)}
		if cell {
			args = append(args, "column2")
		}
		rows, err := st.Query(args...)
		require.NoError(b, err)
		columns, _ := rows.Columns()
		n := 0
		for ; rows.Next(); n++ {
			scanRaw(b, rows, into[:len(columns)])
		}
		if n == 0 {
			b.Fatal("no rows")
		}
		rows.Close()
	}
}

func scanRaw(b *testing.B, rows *sql.Rows, into []sql.RawBytes) {
	to := [4]any{&into[0]}
	for i := range into {
		to[i] = &into[i]
	}
	if err := rows.Scan(to[:len(into)]...); err != nil {
		b.Fatal(err)
	}
}

func benchInsert(b *testing.B, db *sql.DB) {
	st, err := db.Prepare("INSERT INTO bench VALUES (?, 'q', 1, 'a value of some length')")
	require.NoError(b, err)
	defer st.Close()
	i := 0
	execAll(b, db, "DELETE FROM bench WHERE K LIKE 'new%'")
	for b.Loop() {
		i++
		if _, err := st.Exec(fmt.Sprintf("new%010d", i)); err != nil {
			b.Fatal(err)
		}
	}
}
