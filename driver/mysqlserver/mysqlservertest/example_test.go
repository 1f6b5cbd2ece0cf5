package mysqlservertest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

// TestClient is a test of a program that uses go-sql-driver/mysql.
func TestClient(t *testing.T) {
	db := hbasekvtest.Open(t, hbasekvtest.Schema("CREATE TABLE users (id bigint AUTO_INCREMENT PRIMARY KEY, name varchar(50))"))
	client := mysqlservertest.Client(t, db, ":memory:?parseTime=true", mysqlservertest.Prepared)
	_, err := client.Exec("INSERT INTO users (name) VALUES (?)", "ann")
	require.NoError(t, err)
	var name string
	require.NoError(t, db.QueryRow("SELECT name FROM users WHERE id = 1").Scan(&name))
	require.Equal(t, "ann", name)
}
