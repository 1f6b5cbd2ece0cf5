package hbase

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTemporaryTables requires that temporary tables are in the session's memory, with NULL,
// transactions over many rows and rollbacks, whatever HBase supports.
func TestTemporaryTables(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a"))
	for _, row := range []string{"k1", "k2", "k3"} {
		putRaw(t, s, name, cell{row: []byte(row), family: []byte("a"), qualifier: []byte("n"), timestamp: 5, value: []byte(row)})
	}
	stored := "`" + name + "$a`"
	c, err := openSQL(t, "").Conn(context.Background())
	require.NoError(t, err)
	defer c.Close()
	exec := func(statements ...string) {
		t.Helper()
		for _, each := range statements {
			_, err := c.ExecContext(context.Background(), each)
			require.NoError(t, err, each)
		}
	}
	exec("CREATE TEMPORARY TABLE o (K varbinary(20), Q varbinary(20), T bigint, V varbinary(20), PRIMARY KEY (K, Q, T))",
		"INSERT INTO o SELECT * FROM "+stored, "INSERT INTO o VALUES ('k2', 'm', -1, NULL), ('k9', 'n', 1, '')")
	require.Equal(t, []string{"k1|n|5|k1", "k2|m|-1|", "k2|n|5|k2", "k3|n|5|k3", "k9|n|1|"}, rows(t, c, "SELECT * FROM o ORDER BY K, Q"))
	require.Equal(t, []string{"k1", "k2", "k3"}, rows(t, c, "SELECT x.K FROM "+stored+" x JOIN o ON o.K = x.K AND o.V = x.V ORDER BY 1"))
	exec("BEGIN", "INSERT INTO o VALUES ('t1', 'n', 1, 'x'), ('t2', 'n', 1, 'x')", "UPDATE "+stored+" SET V = 'new' WHERE K = 'k1'", "ROLLBACK")
	require.Equal(t, []string{"5"}, rows(t, c, "SELECT COUNT(*) FROM o"))
	require.Equal(t, []string{"k1"}, rows(t, c, "SELECT V FROM "+stored+" WHERE K = 'k1'"))
	exec("BEGIN", "INSERT INTO o VALUES ('t1', 'n', 1, 'x'), ('t2', 'n', 1, 'x')", "UPDATE "+stored+" SET V = 'new' WHERE K = 'k1'", "COMMIT",
		"CREATE TEMPORARY TABLE "+stored+" LIKE "+stored, "INSERT INTO "+stored+" VALUES ('own', 'q', 1, 'x')")
	require.Equal(t, []string{"7"}, rows(t, c, "SELECT COUNT(*) FROM o"))
	require.Equal(t, []string{"own|x"}, rows(t, c, "SELECT K, V FROM "+stored))
	exec("DROP TABLE " + stored)
	require.Equal(t, []string{"k1|new", "k2|k2", "k3|k3"}, rows(t, c, "SELECT K, V FROM "+stored+" ORDER BY K"))
	exec("DROP TEMPORARY TABLE o")
}
