package main

import (
	"database/sql"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The reports are questions over rows of five columns of 100 bytes and over
// flights with three short ones, as a load leaves them: nothing is compacted.
var (
	reportRows   = flag.Int("reports.rows", 100_000, "rows of each table that reports are asked of")
	reportMemory = flag.String("reports.memory", "512MiB", "queryMemory of hbasekv while it is asked for reports")
)

// reportQuestion is a question in hbasekv's SQL, and in SQLite's if that differs.
type reportQuestion struct{ name, query, sqlite string }

const (
	flights = "(SELECT K, MAX(CASE WHEN Q = 'carrier' THEN V END) AS c, MAX(CASE WHEN Q = 'delay' THEN V END) AS d FROM f GROUP BY K) p"
	tails   = "(SELECT K, MAX(CASE WHEN Q = 'carrier' THEN V END) AS c, MAX(CASE WHEN Q = 'tail' THEN V END) AS x FROM f GROUP BY K) p"
	halves  = "(SELECT K, MAX(CASE WHEN Q = 'carrier' THEN V END) AS c, MAX(CASE WHEN Q = 'delay' THEN V END) AS d FROM (SELECT * FROM f WHERE K < '15' UNION ALL SELECT * FROM f WHERE K >= '15') u GROUP BY K) p"
	wide    = "(SELECT K, MAX(CASE WHEN Q = 'b' THEN V END) AS b, MAX(CASE WHEN Q = 'd' THEN V END) AS d FROM w GROUP BY K) p"
)

// reports are questions of report tools. Texts of digits are cast, so that both databases
// treat them as numbers.
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
	{"pivotjoin", "SELECT p.c, COUNT(*), MIN(r.K) FROM " + tails + " JOIN (SELECT K, MAX(CASE WHEN Q = 'tail' THEN V END) AS x FROM f WHERE K < '010' GROUP BY K) r ON r.x = p.x AND r.K <> p.K GROUP BY p.c", "SELECT p.c, COUNT(*), MIN(r.K) FROM " + tails + " JOIN (SELECT K, MAX(CASE WHEN Q = 'tail' THEN V END) AS x FROM f WHERE K < CAST('010' AS BLOB) GROUP BY K) r ON r.x = p.x AND r.K <> p.K GROUP BY p.c"},
	{"celljoin", "SELECT a.V, COUNT(*), AVG(CAST(b.V AS SIGNED)) FROM f a JOIN f b ON b.K = a.K AND b.Q = 'delay' WHERE a.Q = 'carrier' GROUP BY a.V", "SELECT a.V, COUNT(*), AVG(CAST(b.V AS INTEGER)) FROM f a JOIN f b ON b.K = a.K AND b.Q = 'delay' WHERE a.Q = 'carrier' GROUP BY a.V"},
	{"familyjoin", "SELECT a.Q, COUNT(*), MAX(b.T), MIN(b.V) FROM f a JOIN g b ON b.K = a.K AND b.Q = a.Q GROUP BY a.Q", ""},
	{"selfjoin", "SELECT a.Q, COUNT(*), MAX(b.T), MIN(b.V) FROM f a JOIN f b ON b.K = a.K AND b.Q = a.Q GROUP BY a.Q", ""},
	{"hashjoin", "SELECT LEFT(a.V, 3), COUNT(*), MAX(n.s) FROM f a JOIN (SELECT V, COUNT(*) AS c, MAX(T) AS s FROM f WHERE Q = 'tail' GROUP BY V) n ON n.V = a.V WHERE a.Q = 'tail' GROUP BY LEFT(a.V, 3)", "SELECT substr(a.V, 1, 3), COUNT(*), MAX(n.s) FROM f a JOIN (SELECT V, COUNT(*) AS c, MAX(T) AS s FROM f WHERE Q = 'tail' GROUP BY V) n ON n.V = a.V WHERE a.Q = 'tail' GROUP BY substr(a.V, 1, 3)"},
	{"semijoin", "SELECT V, COUNT(*) FROM f WHERE Q = 'carrier' AND K IN (SELECT K FROM f WHERE Q = 'delay' AND V > '5') GROUP BY V", "SELECT V, COUNT(*) FROM f WHERE Q = 'carrier' AND K IN (SELECT K FROM f WHERE Q = 'delay' AND V > CAST('5' AS BLOB)) GROUP BY V"},
	{"antijoin", "SELECT LEFT(K, 3), COUNT(*), MAX(T) FROM f WHERE V NOT IN (SELECT V FROM f WHERE Q = 'tail' AND K < '010') GROUP BY LEFT(K, 3)", "SELECT substr(K, 1, 3), COUNT(*), MAX(T) FROM f WHERE V NOT IN (SELECT V FROM f WHERE Q = 'tail' AND K < CAST('010' AS BLOB)) GROUP BY substr(K, 1, 3)"},
	{"pivotin", "SELECT COUNT(*), AVG(CAST(d AS SIGNED)) FROM " + flights + " WHERE c IN (SELECT V FROM f WHERE Q = 'carrier' AND K < '001')", "SELECT COUNT(*), AVG(CAST(d AS INTEGER)) FROM " + flights + " WHERE c IN (SELECT V FROM f WHERE Q = 'carrier' AND K < CAST('001' AS BLOB))"},
	{"exists", "SELECT a.V, COUNT(*) FROM f a WHERE a.Q = 'carrier' AND EXISTS (SELECT 1 FROM f b WHERE b.K = a.K AND b.Q = 'delay' AND b.V > '5') GROUP BY a.V", "SELECT a.V, COUNT(*) FROM f a WHERE a.Q = 'carrier' AND EXISTS (SELECT 1 FROM f b WHERE b.K = a.K AND b.Q = 'delay' AND b.V > CAST('5' AS BLOB)) GROUP BY a.V"},
	{"find", "SELECT K, Q, T, V FROM f WHERE V = 'N00017'", "SELECT K, Q, T, V FROM f WHERE V = CAST('N00017' AS BLOB)"},
	{"share", "SELECT V, COUNT(*) * 100.0 / (SELECT COUNT(*) FROM f WHERE Q = 'carrier') FROM f WHERE Q = 'carrier' GROUP BY V", "SELECT V, COUNT(*) * 100.0 / (SELECT COUNT(*) FROM f WHERE Q = CAST('carrier' AS BLOB)) FROM f WHERE Q = CAST('carrier' AS BLOB) GROUP BY V"},
	{"above", "SELECT COUNT(*), SUM(V - (SELECT MIN(CAST(V AS SIGNED)) FROM f WHERE Q = 'delay')) FROM f WHERE Q = 'delay'", "SELECT COUNT(*), SUM(CAST(V AS INTEGER) - (SELECT MIN(CAST(V AS INTEGER)) FROM f WHERE Q = CAST('delay' AS BLOB))) FROM f WHERE Q = CAST('delay' AS BLOB)"},
	{"firstwith", "SELECT a.K, a.V, (SELECT COUNT(*) FROM f b WHERE b.K = a.K) FROM f a WHERE a.Q = 'delay' ORDER BY a.V DESC, a.K LIMIT 10", "SELECT a.K, a.V, (SELECT COUNT(*) FROM f b WHERE b.K = a.K) FROM f a WHERE a.Q = CAST('delay' AS BLOB) ORDER BY a.V DESC, a.K LIMIT 10"},
	{"later", "SELECT COUNT(*) FROM f a WHERE NOT EXISTS (SELECT 1 FROM f b WHERE b.K = a.K AND b.T > a.T)", ""},
	{"document", "SELECT K, JSON_OBJECTAGG(Q, V) FROM f GROUP BY K", "SELECT K, json_group_object(CAST(Q AS TEXT), CAST(V AS TEXT)) FROM f GROUP BY K"},
	{"rowdocument", "SELECT JSON_OBJECT('k', K, 'q', Q, 'v', V) FROM f", "SELECT json_object('k', CAST(K AS TEXT), 'q', CAST(Q AS TEXT), 'v', CAST(V AS TEXT)) FROM f"},
	{"distinctcolumns", "SELECT COUNT(DISTINCT K, Q) FROM f", "SELECT COUNT(*) FROM (SELECT DISTINCT K, Q FROM f)"},
	{"inmany", "SELECT COUNT(*), MAX(T) FROM f WHERE V IN (" + manyTails("'%s'") + ")", "SELECT COUNT(*), MAX(T) FROM f WHERE V IN (" + manyTails("CAST('%s' AS BLOB)") + ")"},
	{"manygroups", "SELECT V, COUNT(*) AS n, MAX(T) FROM w WHERE Q = 'b' GROUP BY V HAVING n > 1", ""},
	{"manyminutes", "SELECT T DIV 120000 AS m, COUNT(*) AS n, SUM(LENGTH(V)) FROM f GROUP BY m HAVING n > 6", "SELECT T / 120000 AS m, COUNT(*) AS n, SUM(LENGTH(V)) FROM f GROUP BY m HAVING n > 6"},
	{"rowavg", "SELECT K, AVG(T) AS a, SUM(LENGTH(V)) AS s FROM f GROUP BY K HAVING s > 15 AND a > 0", ""},
	{"rowcolumns", "SELECT K, Q, COUNT(*) AS n, AVG(LENGTH(V)) FROM f GROUP BY K, Q HAVING n > 1", ""},
	{"manyvalues", "SELECT COUNT(*) FROM (SELECT DISTINCT V FROM w WHERE Q = 'b') u", ""},
	{"union", "SELECT COUNT(*) FROM (SELECT V FROM f UNION SELECT LEFT(V, 5) FROM w) u", "SELECT COUNT(*) FROM (SELECT V FROM f UNION SELECT substr(V, 1, 5) FROM w) u"},
	{"unionall", "SELECT Q, COUNT(*), MAX(T) FROM (SELECT * FROM f UNION ALL SELECT * FROM w) u GROUP BY Q", ""},
	{"unionpivot", "SELECT c, COUNT(*), AVG(CAST(d AS SIGNED)) FROM " + halves + " GROUP BY c", "SELECT c, COUNT(*), AVG(CAST(d AS INTEGER)) FROM " + halves + " GROUP BY c"},
}

// manyTails are 67 values of the column tail, each in a form.
func manyTails(form string) string {
	var all []string
	for i := range 67 {
		all = append(all, fmt.Sprintf(form, fmt.Sprintf("N%05d", i*13)))
	}
	return strings.Join(all, ", ")
}

// ofMySQL is the question itself.
func (r reportQuestion) ofMySQL() string { return r.query }

// ofSQLite is the question with qualifiers as blobs, which SQLite distinguishes from
// texts.
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

// timed reports the processor time of an operation in addition to its time.
func timed(b *testing.B, ask func()) {
	ask()
	before := processorTime()
	for b.Loop() {
		ask()
	}
	b.ReportMetric(float64((processorTime()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
}

// BenchmarkReports runs the same questions on the same cells in each store, which all fit
// in the caches: Reports/store/question/workers.
func BenchmarkReports(b *testing.B) {
	cacheSize = max(cacheSize, int64(*reportRows)*1024)
	b.Run("pebble", func(b *testing.B) { benchPebbleReports(b, 1) })
	b.Run("pebble-97", func(b *testing.B) { benchPebbleReports(b, 97) })
	for _, s := range reportStores {
		b.Run(s.name, s.bench)
	}
}

// bench loads the store before its first question.
func (s reportStore) bench(b *testing.B) {
	db := sync.OnceValue(func() *sql.DB { return s.load(b) })
	for _, r := range reports {
		for workers := 1; workers <= s.workers; workers++ {
			b.Run(fmt.Sprintf("%s/%d", r.name, workers), func(b *testing.B) {
				conn, err := db().Conn(b.Context())
				require.NoError(b, err)
				defer conn.Close()
				if s.workers > 1 {
					_, err := conn.ExecContext(b.Context(), fmt.Sprintf("SET hbasekv_parallelism = %d", workers))
					require.NoError(b, err)
				}
				benchReport(b, conn, s.text(r))
			})
		}
	}
}

func benchReport(b *testing.B, conn *sql.Conn, query string) {
	timed(b, func() {
		rows, err := conn.QueryContext(b.Context(), query)
		require.NoError(b, err)
		for rows.Next() {
		}
		require.NoError(b, rows.Err())
	})
}
