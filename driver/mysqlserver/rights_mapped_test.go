package mysqlserver_test

import (
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// TestRightsOnMapped: mapping a table onto families needs rights on these, and rights on the mapped table do
// not apply to the families, nor the reverse.
func TestRightsOnMapped(t *testing.T) {
	_, root, eve := grouped(t)
	execAll(t, root, "CREATE DATABASE w", "GRANT ALL ON w.* TO eve")
	const both = "CREATE TABLE w.m (id varchar(9) PRIMARY KEY, a varchar(9), b varchar(9)) HBASE_TABLE = 'v:g' HBASE_COLUMNS = ':key, a:q, b:q'"
	const one = "CREATE TABLE w.n (id varchar(9) PRIMARY KEY, a varchar(9)) HBASE_TABLE = 'v:g' HBASE_COLUMNS = ':key, a:q'"
	denied := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			var e *mysql.MySQLError
			_, err := run(eve, statement)
			require.ErrorAs(t, err, &e, statement)
			require.EqualValues(t, 1142, e.Number, statement)
		}
	}
	denied(both)
	execAll(t, eve, one)
	denied("ALTER TABLE w.n HBASE_COLUMNS = ':key, b:q'")
	execAll(t, root, both, "REVOKE ALL ON v.g$a FROM eve")
	lines, err := run(eve, "SELECT * FROM w.m WHERE id = 'ann'") // by the right on the table
	require.NoError(t, err)
	require.Len(t, lines, 1)
	execAll(t, eve, "UPDATE w.m SET b = 'z' WHERE id = 'ann'", "DELETE FROM w.n WHERE id = 'zoe'")
	denied("SELECT * FROM v.g$b", "SELECT * FROM v.g$a", "UPDATE v.g$b SET V = 'x'")
	execAll(t, root, "REVOKE ALL ON w.* FROM eve", "GRANT ALL ON v.g$a TO eve", "GRANT ALL ON v.g$b TO eve")
	denied("SELECT * FROM w.m", "DELETE FROM w.m", "DROP TABLE w.m")
}
