package main

import (
	"database/sql"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// The reports are questions over rows of five columns of 100 bytes and over
// flights of three short ones, as a load leaves them: nothing is compacted.
var (
	reportRows = flag.Int("reports.rows", 100_000, "rows of each table that reports are asked of")
	reportOnly = flag.String("reports.stores", "pebble,sqlite,hbasekv,hbasekv-97", "stores that are asked")
)

// reportQuestion is a question in hbasekv's SQL, and in SQLite's where that is another.
type reportQuestion struct{ name, query, sqlite string }

const (
	flights = "(SELECT K, MAX(CASE WHEN Q = 'carrier' THEN V END) AS c, MAX(CASE WHEN Q = 'delay' THEN V END) AS d FROM f GROUP BY K) p"
	wide    = "(SELECT K, MAX(CASE WHEN Q = 'b' THEN V END) AS b, MAX(CASE WHEN Q = 'd' THEN V END) AS d FROM w GROUP BY K) p"
)

// reports are what report tools ask. Texts of digits are cast, as both count then.
var reports = []reportQuestion{
	{"pivot2", "SELECT c, COUNT(*), AVG(CAST(d AS SIGNED)) FROM " + flights + " GROUP BY c", "SELECT c, COUNT(*), AVG(CAST(d AS INTEGER)) FROM " + flights + " GROUP BY c"},
	{"pivot2avg", "SELECT c, COUNT(*), AVG(d) FROM " + flights + " GROUP BY c", "SELECT c, COUNT(*), AVG(CAST(d AS REAL)) FROM " + flights + " GROUP BY c"},
	{"prefix", "SELECT LEFT(K, 3), COUNT(*), MAX(T) FROM f GROUP BY LEFT(K, 3)", "SELECT substr(K, 1, 3), COUNT(*), MAX(T) FROM f GROUP BY substr(K, 1, 3)"},
	{"sum", "SELECT SUM(V) FROM f WHERE Q = 'delay'", "SELECT SUM(CAST(V AS REAL)) FROM f WHERE Q = 'delay'"},
	{"sumint", "SELECT SUM(CAST(V AS SIGNED)) FROM f WHERE Q = 'delay'", "SELECT SUM(CAST(V AS INTEGER)) FROM f WHERE Q = 'delay'"},
	{"wide-pivot2", "SELECT LEFT(b, 1), COUNT(*), MAX(d) FROM " + wide + " GROUP BY LEFT(b, 1)", "SELECT substr(b, 1, 1), COUNT(*), MAX(d) FROM " + wide + " GROUP BY substr(b, 1, 1)"},
	{"wide-prefix", "SELECT SUBSTR(K, 1, 3), COUNT(*), MAX(T) FROM w GROUP BY SUBSTR(K, 1, 3)", "SELECT substr(K, 1, 3), COUNT(*), MAX(T) FROM w GROUP BY substr(K, 1, 3)"},
	{"wide-sum", "SELECT SUM(LENGTH(V)) FROM w WHERE Q = 'd'", ""},
	{"wide-sumall", "SELECT SUM(LENGTH(V)) FROM w", ""},
	{"hour", "SELECT HOUR(FROM_UNIXTIME(T / 1000)) AS h, COUNT(*), SUM(LENGTH(V)) FROM f GROUP BY h", "SELECT strftime('%H', T / 1000, 'unixepoch') AS h, COUNT(*), SUM(LENGTH(V)) FROM f GROUP BY h"},
	{"day", "SELECT DATE_FORMAT(FROM_UNIXTIME(T DIV 1000), '%Y-%m-%d') AS d, COUNT(*) FROM f GROUP BY d", "SELECT strftime('%Y-%m-%d', T / 1000, 'unixepoch') AS d, COUNT(*) FROM f GROUP BY d"},
	{"qualifiers", "SELECT Q, COUNT(*), MAX(LENGTH(V)) FROM f GROUP BY Q", ""},
	{"top10", "SELECT K, d FROM " + flights + " ORDER BY CAST(d AS SIGNED) DESC, K LIMIT 10", "SELECT K, d FROM " + flights + " ORDER BY CAST(d AS INTEGER) DESC, K LIMIT 10"},
	{"filter1", "SELECT COUNT(*), MAX(c) FROM " + flights + " WHERE d = '7'", "SELECT COUNT(*), MAX(c) FROM " + flights + " WHERE d = CAST('7' AS BLOB)"},
	{"having", "SELECT LEFT(K, 5), COUNT(*) AS n FROM f WHERE Q = 'delay' AND V > '5' GROUP BY LEFT(K, 5) HAVING n > 3", "SELECT substr(K, 1, 5), COUNT(*) AS n FROM f WHERE Q = CAST('delay' AS BLOB) AND V > CAST('5' AS BLOB) GROUP BY substr(K, 1, 5) HAVING n > 3"},
	{"distinct", "SELECT COUNT(DISTINCT V) FROM f WHERE Q = 'carrier'", "SELECT COUNT(DISTINCT V) FROM f WHERE Q = CAST('carrier' AS BLOB)"},
	{"distinctby", "SELECT LEFT(K, 3), COUNT(DISTINCT V) FROM f GROUP BY LEFT(K, 3)", "SELECT substr(K, 1, 3), COUNT(DISTINCT V) FROM f GROUP BY substr(K, 1, 3)"},
	{"case", "SELECT SUM(CASE WHEN Q = 'delay' AND CAST(V AS SIGNED) > 30 THEN 1 ELSE 0 END), SUM(CASE WHEN Q = 'carrier' AND V LIKE 'C1%' THEN 1 ELSE 0 END) FROM f", "SELECT SUM(CASE WHEN Q = CAST('delay' AS BLOB) AND CAST(V AS INTEGER) > 30 THEN 1 ELSE 0 END), SUM(CASE WHEN Q = CAST('carrier' AS BLOB) AND CAST(V AS TEXT) LIKE 'C1%' THEN 1 ELSE 0 END) FROM f"},
	{"pivotlike", "SELECT COUNT(*), AVG(CAST(d AS SIGNED)) FROM " + flights + " WHERE c LIKE 'C1%'", "SELECT COUNT(*), AVG(CAST(d AS INTEGER)) FROM " + flights + " WHERE CAST(c AS TEXT) LIKE 'C1%'"},
	{"pivotcount", "SELECT K, COUNT(CASE WHEN Q = 'delay' THEN 1 END) AS n, MIN(IF(Q = 'carrier', V, NULL)) AS c FROM f GROUP BY K HAVING n > 1", "SELECT K, COUNT(CASE WHEN Q = CAST('delay' AS BLOB) THEN 1 END) AS n, MIN(IIF(Q = CAST('carrier' AS BLOB), V, NULL)) AS c FROM f GROUP BY K HAVING n > 1"},
	{"like", "SELECT COUNT(*) FROM w WHERE V LIKE 'a%'", "SELECT COUNT(*) FROM w WHERE substr(V, 1, 1) = CAST('a' AS BLOB)"},
	{"month", "SELECT m, n, n - LAG(n) OVER (ORDER BY m) FROM (SELECT DATE_FORMAT(FROM_UNIXTIME(T DIV 1000), '%Y-%m') AS m, COUNT(*) AS n FROM f WHERE Q = 'delay' GROUP BY m) x", "SELECT m, n, n - LAG(n) OVER (ORDER BY m) FROM (SELECT strftime('%Y-%m', T / 1000, 'unixepoch') AS m, COUNT(*) AS n FROM f WHERE Q = CAST('delay' AS BLOB) GROUP BY m) x"},
	{"percentile", "SELECT MAX(d) FROM (SELECT CAST(V AS SIGNED) AS d, NTILE(100) OVER (ORDER BY CAST(V AS SIGNED)) AS n FROM f WHERE Q = 'delay') x WHERE n = 95", "SELECT MAX(d) FROM (SELECT CAST(V AS INTEGER) AS d, NTILE(100) OVER (ORDER BY CAST(V AS INTEGER)) AS n FROM f WHERE Q = CAST('delay' AS BLOB)) x WHERE n = 95"},
	{"twopivots", "SELECT p.c, COUNT(*), MAX(r.x) FROM " + flights + " JOIN (SELECT K, MAX(CASE WHEN Q = 'tail' THEN V END) AS x FROM f GROUP BY K) r ON r.K = p.K GROUP BY p.c", ""},
}

// ofSQLite is the question with qualifiers as blobs, which SQLite tells from texts.
func (r reportQuestion) ofSQLite() string {
	text := r.sqlite
	if text == "" {
		text = r.query
	}
	for _, q := range []string{"carrier", "delay", "tail", "a", "b", "d"} {
		text = strings.ReplaceAll(text, "Q = '"+q+"'", "Q = CAST('"+q+"' AS BLOB)")
	}
	return text
}

// eachReportCell gives the cells of both tables in the order of a load.
func eachReportCell(rows int, give func(table string, c cell)) {
	wide := table{rows: rows, columns: 5, versions: 1, value: 100}
	for row := range rows {
		k := fmt.Appendf(nil, "%03d%09d", row*7919%300, row)
		at := int64(firstTime + row*60_000)
		give("f", cell{k, []byte("carrier"), at, fmt.Appendf(nil, "C%d", row%23)})
		give("f", cell{k, []byte("delay"), at + 1, fmt.Append(nil, row*31%180-20)})
		give("f", cell{k, []byte("tail"), at + 2, fmt.Appendf(nil, "N%05d", row*17%5000)})
	}
	var value []byte
	for row := range rows {
		for column := range 5 {
			value = wide.appendValue(value[:0], row, column, 0)
			give("w", cell{fmt.Appendf(nil, "%012d", row), []byte{'a' + byte(column)}, firstTime + int64(row), value})
		}
	}
}

func loadReports(b *testing.B, driver, dsn string, create func(table string) string) *sql.DB {
	db, err := sql.Open(driver, dsn)
	require.NoError(b, err)
	for _, table := range []string{"f", "w"} {
		_, err = db.Exec(create(table))
		require.NoError(b, err)
	}
	tx, err := db.Begin()
	require.NoError(b, err)
	n := 0
	eachReportCell(*reportRows, func(table string, c cell) {
		if n++; n%1000 == 0 {
			require.NoError(b, tx.Commit())
			tx, err = db.Begin()
			require.NoError(b, err)
		}
		_, err := tx.Exec("INSERT INTO "+table+" VALUES (?, ?, ?, ?)", c.k, c.q, c.t, c.v)
		require.NoError(b, err)
	})
	require.NoError(b, tx.Commit())
	return db
}

// processorTime is what the process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// timed reports the processor time of an operation beside its time.
func timed(b *testing.B, ask func()) {
	ask()
	before := processorTime()
	for b.Loop() {
		ask()
	}
	b.ReportMetric(float64((processorTime()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
}

// BenchmarkReports asks the stores the same questions about the same cells.
func BenchmarkReports(b *testing.B) {
	const columns = "(K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))"
	for _, store := range strings.Split(*reportOnly, ",") {
		if store == "pebble" {
			benchPebbleReports(b)
			continue
		}
		var db *sql.DB
		driver, dsn, end := "hbasekv", "file:"+filepath.Join(b.TempDir(), "h")+"?sync=false&cache=512MiB", ""
		switch {
		case store == "sqlite":
			driver, dsn, end = "sqlite3", mattnDSN(filepath.Join(b.TempDir(), "s"), "OFF"), " WITHOUT ROWID"
		case strings.HasSuffix(store, "-97"):
			end = " PARTITION BY KEY(K) PARTITIONS 97"
		}
		open := func(b *testing.B) *sql.DB {
			if db == nil {
				db = loadReports(b, driver, dsn, func(t string) string { return "CREATE TABLE " + t + " " + columns + end })
			}
			return db
		}
		for _, r := range reports {
			workers := []int{1, 2}
			text := r.query
			if store == "sqlite" {
				workers, text = workers[:1], r.ofSQLite()
			}
			for _, n := range workers {
				b.Run(fmt.Sprintf("%s/%s/%d", r.name, store, n), func(b *testing.B) { benchReport(b, open(b), store, text, n) })
			}
		}
		if db != nil {
			require.NoError(b, db.Close())
		}
	}
}

func benchReport(b *testing.B, db *sql.DB, store, query string, workers int) {
	conn, err := db.Conn(b.Context())
	require.NoError(b, err)
	defer conn.Close()
	if store != "sqlite" {
		_, err := conn.ExecContext(b.Context(), fmt.Sprintf("SET time_zone = '+00:00', hbasekv_parallelism = %d", workers))
		require.NoError(b, err)
	}
	timed(b, func() {
		rows, err := conn.QueryContext(b.Context(), query)
		require.NoError(b, err)
		for rows.Next() {
		}
		require.NoError(b, rows.Err())
	})
}

// benchPebbleReports reads all keys and values of a table.
func benchPebbleReports(b *testing.B) {
	s, err := openPebble(b.TempDir(), false)
	require.NoError(b, err)
	defer s.close()
	db, loaded := s.(*rawStore).db, false
	for _, table := range []string{"f", "w"} {
		b.Run(table+"-scan/pebble/1", func(b *testing.B) {
			if !loaded {
				loadPebbleReports(b, db)
				loaded = true
			}
			timed(b, func() { scanPebble(b, db, table) })
		})
	}
}

func loadPebbleReports(b *testing.B, db *pebble.DB) {
	batch, n := db.NewBatch(), 0
	eachReportCell(*reportRows, func(table string, c cell) {
		if n++; n%1000 == 0 {
			require.NoError(b, batch.Commit(pebble.NoSync))
			batch = db.NewBatch()
		}
		require.NoError(b, batch.Set(rawKey(nil, table, c), c.v, nil))
	})
	require.NoError(b, batch.Commit(pebble.NoSync))
}

var scannedBytes int

func scanPebble(b *testing.B, db *pebble.DB, table string) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: rawPrefix(nil, table), UpperBound: append([]byte(table), 1)})
	require.NoError(b, err)
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		require.NoError(b, err)
		scannedBytes += len(it.Key()) + len(v)
	}
	require.NoError(b, it.Close())
}
