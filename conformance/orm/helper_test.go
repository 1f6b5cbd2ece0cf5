package orm

import (
	"database/sql"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	_ "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
	_ "github.com/hbasekv/hbasekv/kv/hbase"
)

var hbaseFlag = flag.String("hbase", "", "the ZooKeeper quorum of an HBase that the programs of gorm, sqlx and bun run on, in place of stores in memory")

var wire = flag.String("wire", "", "text or prepared: the tools ask a server, in that protocol, by go-sql-driver")

const (
	memory      = ":memory:"
	allVersions = ":memory:?versions=all"
)

// binary is a row key that is not text: NUL, a quote, a backslash and bytes
// that are not UTF-8.
const binary = "a\x00'\\\xff\xfe"

// open opens a database, which is closed at the test's end; with -wire, over MySQL's protocol.
func open(t *testing.T, dsn string) *sql.DB {
	if parameters, ok := strings.CutPrefix(dsn, memory); ok && *hbaseFlag != "" {
		dsn = onHBase(t, strings.TrimPrefix(parameters, "?"))
	}
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	if *wire != "" {
		return mysqlservertest.Client(t, db, dsn, mysqlservertest.Protocol(*wire))
	}
	return db
}

// onStores runs a test of ordinary models on each store that supports them, embedded and over the
// wire.
func onStores(t *testing.T, f func(t *testing.T, db *sql.DB)) {
	t.Helper()
	notOnHBase(t, "typed tables")
	run := func(name, dsn string, protocol mysqlservertest.Protocol) {
		t.Run(name, func(t *testing.T) {
			db := open(t, dsn)
			if protocol != "" && *wire == "" {
				db = mysqlservertest.Client(t, db, dsn, protocol)
			}
			f(t, db)
		})
	}
	const parameters = "?parseTime=true&foreignKeys=ignore"
	run("memory", memory+parameters, "")
	run("disk", "file:"+filepath.Join(t.TempDir(), "data")+parameters, "")
	if *wire == "" {
		run("wire text", memory+parameters, mysqlservertest.Text)
		run("wire prepared", memory+parameters, mysqlservertest.Prepared)
	}
}

// onHBase is the data source name of a namespace for the test.
func onHBase(t *testing.T, parameters string) string {
	name := fmt.Sprintf("orm%d", time.Now().UnixNano()%1e12)
	// With the parameter it shares the programs' store, which thus knows the database at once.
	db, err := sql.Open("hbasekv", "hbase://"+*hbaseFlag+"/default?multiRow=apply")
	require.NoError(t, err)
	_, err = db.Exec("CREATE DATABASE " + name)
	require.NoError(t, err)
	t.Cleanup(func() {
		defer db.Close()
		tables, err := db.Query("SELECT TABLE_NAME FROM information_schema.HBASEKV_FAMILIES WHERE TABLE_SCHEMA = ?", name)
		require.NoError(t, err)
		var names []string
		for tables.Next() {
			var table string
			require.NoError(t, tables.Scan(&table))
			names = append(names, "DROP TABLE "+name+".`"+table+"`")
		}
		require.NoError(t, tables.Err())
		for _, statement := range append(names, "DROP DATABASE "+name) {
			_, err := db.Exec(statement)
			require.NoError(t, err)
		}
	})
	return "hbase://" + *hbaseFlag + "/" + name + "?multiRow=apply&" + parameters
}

// notOnHBase skips a test that needs what HBase cannot do.
func notOnHBase(t *testing.T, why string) {
	t.Helper()
	if *hbaseFlag != "" {
		t.Skip("not on HBase: " + why)
	}
}

// createTable is the table for tools without a migrator.
const createTable = "CREATE TABLE shop$cells (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024), PRIMARY KEY (K, Q, T))"

// stored is every version in shop$cells, as K/Q/T=V.
func stored(t *testing.T, db *sql.DB) string {
	t.Helper()
	return storedIn(t, db, "shop$cells")
}

func storedIn(t *testing.T, db *sql.DB, table string) string {
	t.Helper()
	rows, err := db.Query("SELECT /*+ VERSIONS(ALL) */ CONCAT(K, '/', Q, '/', T, '=', IFNULL(V, 'NULL')) FROM " + table + " ORDER BY K, Q, T DESC")
	require.NoError(t, err)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		require.NoError(t, rows.Scan(&s))
		all = append(all, s)
	}
	require.NoError(t, rows.Err())
	return strings.Join(all, " ")
}

// definition is the SHOW CREATE TABLE of shop$cells.
func definition(t *testing.T, db *sql.DB) string {
	t.Helper()
	return definitionOf(t, db, "shop$cells")
}

func definitionOf(t *testing.T, db *sql.DB, table string) (text string) {
	t.Helper()
	require.NoError(t, db.QueryRow("SHOW CREATE TABLE `"+table+"`").Scan(&table, &text))
	return text
}

// definitions are the SHOW CREATE TABLEs of the database's tables.
func definitions(t *testing.T, db *sql.DB) (all []string) {
	t.Helper()
	var names []string
	require.NoError(t, sqlx.NewDb(db, "mysql").Select(&names, "SHOW TABLES"))
	for _, name := range names {
		all = append(all, definitionOf(t, db, name))
	}
	return all
}

func ptr[T any](v T) *T { return &v }

// check ends an example that fails.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// at is a version for a model, whose T may be nil.
func at(t int64) *int64 { return &t }

// tables are those of the names that exist.
func tables(t *testing.T, db *sql.DB, names ...string) (found []string) {
	t.Helper()
	for _, name := range names {
		var n int
		query := "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?"
		require.NoError(t, db.QueryRow(query, name).Scan(&n))
		if n > 0 {
			found = append(found, name)
		}
	}
	return found
}
