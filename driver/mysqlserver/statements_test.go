package mysqlserver_test

import (
	"database/sql"
	"net"
	"strconv"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// The variables describe the server correctly.
func TestVariablesOfServer(t *testing.T) {
	s := serveClients(t, mysqlserver.Options{MaxConnections: 77})
	const variables = "SELECT CONCAT_WS('|', @@max_connections, @@port, @@socket, @@skip_networking)"
	require.Equal(t, "77|0|"+s.socket+"|1", one[string](t, s.client(t, ""), variables))
	port := strconv.Itoa(s.port)
	tcp, err := sql.Open("mysql", "root@tcp("+net.JoinHostPort("127.0.0.1", port)+")/")
	require.NoError(t, err)
	defer tcp.Close()
	require.Equal(t, "77|"+port+"||0", one[string](t, tcp, variables))
}

// infoOf is the further information that the server returns for a statement.
func infoOf(t *testing.T, s *served, statement string) string {
	t.Helper()
	return s.tool(t, statement, "mariadb", "-vvv", "default")
}

func TestInfoOfChanges(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	execAll(t, s.db, table, "INSERT INTO t VALUES ('a', 'q', 1, '1'), ('b', 'q', 1, '1')")
	for statement, info := range map[string]string{
		"UPDATE t SET V = '2' WHERE K = 'a'":                                                         "Rows matched: 1  Changed: 1  Warnings: 0",
		"UPDATE t SET V = V WHERE K IN ('a', 'b')":                                                   "Rows matched: 2  Changed: 0  Warnings: 0",
		"INSERT INTO t VALUES ('c', 'q', 1, ''), ('d', 'q', 1, '')":                                  "Records: 2  Duplicates: 0  Warnings: 0",
		"INSERT IGNORE INTO t VALUES ('a', 'q', 1, ''), ('e', 'q', 1, '')":                           "Records: 2  Duplicates: 1  Warnings: 1",
		"INSERT IGNORE INTO t VALUES ('g', 'q', 1, REPEAT('x', 5000)), ('h', 'q', 1, '')":            "Records: 2  Duplicates: 1  Warnings: 1",
		"INSERT INTO t SELECT CONCAT(K, '2'), Q, T, V FROM t WHERE K IN ('a', 'b')":                  "Records: 2  Duplicates: 0  Warnings: 0",
		"INSERT INTO t VALUES ('a', 'q', 1, 'z'), ('f', 'q', 1, '') ON DUPLICATE KEY UPDATE V = 'n'": "Records: 2  Duplicates: 1  Warnings: 0",
	} {
		require.Contains(t, infoOf(t, s, statement), info, statement)
	}
	require.NotContains(t, infoOf(t, s, "INSERT INTO t VALUES ('g', 'q', 1, '')"), "Records")
	require.NotContains(t, infoOf(t, s, "DELETE FROM t WHERE K = 'g'"), "Records")
}

// Statements of dumps and drivers that have little effect are accepted.
func TestStatementsOfClients(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	db := s.client(t, "multiStatements=true")
	db.SetMaxOpenConns(1)
	execAll(t, db, table)
	for _, statement := range []string{
		"SET session_track_system_variables='autocommit,transaction_isolation'",
		"SET session_track_schema=1, session_track_state_change=ON",
		"LOCK TABLES t READ /*!32311 LOCAL */", "UNLOCK TABLES", "LOCK TABLES t WRITE", "UNLOCK TABLES",
		"/* a comment alone */", "-- another\n",
		"/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */", "/*M!999999\\- enable the sandbox mode */",
	} {
		_, err := db.Exec(statement)
		if number := numberOf(err); number != 1065 { // the query was empty
			require.NoError(t, err, statement)
		}
	}
	for query, want := range map[string]string{
		"SELECT CONCAT_WS('|', @@tx_isolation, @@transaction_isolation, @@tx_read_only, @@transaction_read_only)": "REPEATABLE-READ|REPEATABLE-READ|0|0",
		"SELECT COUNT(*) FROM INFORMATION_SCHEMA.FILES WHERE FILE_TYPE = 'DATAFILE' AND TABLESPACE_NAME IN (SELECT DISTINCT " +
			"TABLESPACE_NAME FROM INFORMATION_SCHEMA.PARTITIONS WHERE TABLE_SCHEMA='default' AND TABLE_NAME IN ('t'))": "0",
		"SELECT GROUP_CONCAT(COLUMN_NAME) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'information_schema' " +
			"AND COLUMN_NAME IN ('SRS_ID', 'IS_VISIBLE') OR COLUMN_NAME = 'GENERATION_EXPRESSION'": "GENERATION_EXPRESSION",
	} {
		require.Equal(t, want, one[string](t, db, query), query)
	}
	var name, value string
	for _, variable := range []string{"Ssl_cipher", "Ssl_version"} {
		require.NoError(t, db.QueryRow("SHOW STATUS LIKE '"+variable+"'").Scan(&name, &value), variable)
		require.Equal(t, variable, name)
	}
}

func numberOf(err error) uint16 {
	if e, ok := err.(*mysql.MySQLError); ok {
		return e.Number
	}
	return 0
}
