package main

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	correlatedRows   = flag.Int("correlated.rows", 200_000, "rows of the tables that questions with correlated subqueries are asked of")
	correlatedMemory = flag.String("correlated.memory", "512MiB", "queryMemory of hbasekv while it is asked these questions")
)

// correlatedViews are the views that the questions in ../subqueries/testdata/correlated name; SQLite, which
// would compute a view again for each outer row, has tables with the same rows, with indexes.
var correlatedViews = []string{
	"CREATE VIEW orders AS SELECT K AS id, CAST(MAX(CASE WHEN Q = 'customer' THEN V END) AS SIGNED) AS customer_id, CAST(MAX(CASE WHEN Q = 'day' THEN V END) AS DATE) AS day, " +
		"CAST(MAX(CASE WHEN Q = 'amount' THEN V END) AS DECIMAL(10,2)) AS amount, CAST(MAX(CASE WHEN Q = 'status' THEN V END) AS CHAR(10)) AS status, " +
		"CAST(MAX(CASE WHEN Q = 'note' THEN V END) AS CHAR(20)) AS note FROM o GROUP BY K",
	"CREATE VIEW customers AS SELECT CAST(K AS SIGNED) AS id, CAST(MAX(CASE WHEN Q = 'since' THEN V END) AS DATE) AS since, " +
		"CAST(MAX(CASE WHEN Q = 'most' THEN V END) AS DECIMAL(10,2)) AS most, CAST(MAX(CASE WHEN Q = 'city' THEN V END) AS CHAR(10)) AS city FROM c GROUP BY K",
	"CREATE VIEW pivoted AS SELECT K, MAX(CASE WHEN Q = 'note' THEN V END) AS c, MAX(CASE WHEN Q = 'day' THEN V END) AS d, MAX(CASE WHEN Q = 'status' THEN V END) AS s FROM o GROUP BY K",
	"CREATE VIEW large AS SELECT * FROM orders WHERE amount > 20",
	"CREATE VIEW united AS SELECT K, Q, T, V FROM t UNION ALL SELECT K, Q, T, V FROM u",
}

// materialized are those views as tables for SQLite.
var materialized = []string{
	"CREATE TABLE orders AS SELECT K AS id, CAST(MAX(CASE WHEN Q = 'customer' THEN V END) AS INTEGER) AS customer_id, MAX(CASE WHEN Q = 'day' THEN V END) AS day, " +
		"CAST(MAX(CASE WHEN Q = 'amount' THEN V END) AS REAL) AS amount, MAX(CASE WHEN Q = 'status' THEN V END) AS status, MAX(CASE WHEN Q = 'note' THEN V END) AS note FROM o GROUP BY K",
	"CREATE TABLE customers AS SELECT CAST(K AS INTEGER) AS id, MAX(CASE WHEN Q = 'since' THEN V END) AS since, CAST(MAX(CASE WHEN Q = 'most' THEN V END) AS REAL) AS most, " +
		"MAX(CASE WHEN Q = 'city' THEN V END) AS city FROM c GROUP BY K",
	"CREATE TABLE pivoted AS SELECT K, MAX(CASE WHEN Q = 'note' THEN V END) AS c, MAX(CASE WHEN Q = 'day' THEN V END) AS d, MAX(CASE WHEN Q = 'status' THEN V END) AS s FROM o GROUP BY K",
	"CREATE TABLE large AS SELECT * FROM orders WHERE amount > 20",
	"CREATE TABLE united AS SELECT K, Q, T, V FROM t UNION ALL SELECT K, Q, T, V FROM u",
	"CREATE INDEX t_v ON t (V, T)", "CREATE INDEX t_t ON t (T)", "CREATE INDEX u_v ON u (V, T)", "CREATE INDEX united_v ON united (V, T)",
	"CREATE INDEX orders_c ON orders (customer_id, day)", "CREATE INDEX orders_a ON orders (amount)", "CREATE INDEX orders_n ON orders (note)",
	"CREATE INDEX large_c ON large (customer_id, day)", "CREATE INDEX pivoted_c ON pivoted (c)", "CREATE INDEX pivoted_k ON pivoted (K)", "ANALYZE",
}

// inSQLite translates a question for SQLite.
var inSQLite = strings.NewReplacer("= ANY (", "IN (", "LEFT(b.K, 6)", "substr(b.K, 1, 6)", "LEFT(a.K, 6)", "substr(a.K, 1, 6)", "RIGHT(a.K, 1)", "substr(a.K, -1)")

// BenchmarkCorrelated runs questions with correlated subqueries, each beside the equivalent join:
// Correlated/store/question/subquery and .../join.
func BenchmarkCorrelated(b *testing.B) {
	text, err := os.ReadFile("../subqueries/testdata/correlated")
	require.NoError(b, err)
	for _, store := range []struct{ name, driver, dsn string }{
		{"sqlite", "sqlite3", mattnDSN(filepath.Join(b.TempDir(), "s"), "OFF")},
		{"hbasekv", "hbasekv", "file:" + filepath.Join(b.TempDir(), "h") + "?sync=false&versions=all&cache=512MiB&queryMemory=" + *correlatedMemory},
	} {
		b.Run(store.name, func(b *testing.B) {
			db, err := sql.Open(store.driver, store.dsn)
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, db.Close()) })
			loadCorrelated(b, db, store.name)
			for _, paragraph := range strings.Split(string(text), "\n\n")[1:] {
				l := strings.Split(strings.TrimSpace(paragraph), "\n")
				for i, form := range []string{"subquery", "join"} {
					query := l[1+i]
					if store.name == "sqlite" {
						query = inSQLite.Replace(query)
					}
					b.Run(strings.ReplaceAll(l[0], " ", "-")+"/"+form, func(b *testing.B) {
						conn, err := db.Conn(b.Context())
						require.NoError(b, err)
						defer conn.Close()
						benchReport(b, conn, query)
					})
				}
			}
		})
	}
}

func loadCorrelated(b *testing.B, db *sql.DB, store string) {
	kind, end := "varbinary(64)", ""
	after := correlatedViews
	if store == "sqlite" {
		kind, end, after = "text", " WITHOUT ROWID", materialized
	}
	loads := map[string]*reportLoad{}
	for _, table := range []string{"t", "u", "o", "c"} {
		_, err := db.Exec(fmt.Sprintf("CREATE TABLE %s (K %[2]s, Q %[2]s, T bigint, V %[2]s, PRIMARY KEY (K, Q, T))%[3]s", table, kind, end))
		require.NoError(b, err)
		loads[table] = &reportLoad{b: b, db: db, table: table, rows: 1}
	}
	last := loads["t"]
	eachCorrelatedCell(*correlatedRows, func(table, k, q string, at int, v any) {
		if last.table != table {
			last.commit()
			last = loads[table]
		}
		last.insertValues(k, q, at, v)
	})
	last.commit()
	for _, s := range after {
		_, err := db.Exec(s)
		require.NoError(b, err, s)
	}
}

// eachCorrelatedCell yields the cells of all tables, one table after another: those of the test of
// the same questions.
func eachCorrelatedCell(rows int, give func(table, k, q string, at int, v any)) {
	texts, customers := max(1, rows/10), max(1, rows/10)
	key := func(i int) (k, q string) { return fmt.Sprintf("k%06d", i), string("ab"[i*7%3%2]) }
	for i := range rows {
		k, q := key(i)
		var v any = "v" + strconv.Itoa(i*7919%texts)
		if i%41 == 0 {
			v = nil
		}
		give("t", k, q, i*3, v)
	}
	for i := 0; i < rows; i += 2 {
		k, q := key(i)
		give("u", k, q, i*3+1+i%5, "v"+strconv.Itoa(i*31%texts+i%3))
	}
	for i := range rows {
		k, _ := key(i)
		give("o", k, "customer", 1, strconv.Itoa(i*7919%customers))
		give("o", k, "day", 1, fmt.Sprintf("20%02d-%02d-%02d", 10+i%9, 1+i*7%12, 1+i*11%28))
		give("o", k, "amount", 1, fmt.Sprintf("%d.%02d", i*13%texts, i%7))
		give("o", k, "status", 1, []string{"paid", "open", "sent"}[i*5%7%3])
		if i%29 != 0 {
			give("o", k, "note", 1, "n"+strconv.Itoa(i*17%texts))
		}
	}
	for i := range customers {
		give("c", strconv.Itoa(i), "since", 1, fmt.Sprintf("20%02d-%02d-01", 10+i*3%9, 1+i%12))
		give("c", strconv.Itoa(i), "most", 1, fmt.Sprintf("%d.5", i*29%texts))
		give("c", strconv.Itoa(i), "city", 1, []string{"open", "Rome"}[i%2])
	}
}
