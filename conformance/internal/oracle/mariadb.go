package oracle

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// The files of MariaDB's recorded answers that several packages read. They are all in
// one folder, as recorded from one server.
const (
	SelectsFile           = "../testdata/mariadb/selects.jsonl.gz"
	QueriesFile           = "../testdata/mariadb/queries.jsonl.gz"
	SetsFile              = "../testdata/mariadb/sets.jsonl.gz"
	WindowsFile           = "../testdata/mariadb/windows.jsonl.gz"
	ReportsFile           = "../testdata/mariadb/reports.jsonl.gz"
	WritesFile            = "../testdata/mariadb/writes.jsonl.gz"
	OneVersionSelectsFile = "../testdata/mariadb/oneversion_selects.jsonl.gz"
)

// OpenMariaDB opens the database oracle, recreated with its tables, on the server that
// -mariadb names, or on the package's own. It has one connection, so that the test's SETs
// persist.
func OpenMariaDB(t *testing.T) *sql.DB {
	dsn := *harness.MariaDB
	if dsn == "start" {
		dsn = harness.StartMariaDB(t)
	}
	db, err := sql.Open("mysql", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	require.Eventually(t, func() bool { return db.Ping() == nil }, 60*time.Second, 200*time.Millisecond)
	for _, s := range []string{"DROP DATABASE IF EXISTS oracle", "CREATE DATABASE oracle", "USE oracle",
		"SET time_zone = '+00:00'", "SET group_concat_max_len = 1024",
		"SET sql_mode = 'TIME_ROUND_FRACTIONAL,ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		"SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"} {
		_, err := db.Exec(s)
		require.NoError(t, err)
	}
	FillTables(t, db, "none")
	return db
}
