package arguments

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// asBytes and asValuer are what a program may pass instead of a []byte.
type (
	asBytes  []byte
	asValuer struct{ b []byte }
)

func (v asValuer) Value() (driver.Value, error) { return v.b, nil }

// TestArgumentsAreReadDuringTheCall: when Query or Exec has returned, the
// caller may reuse the arguments' memory.
func TestArgumentsAreReadDuringTheCall(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?multiStatements=true")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 3")
	for i := range 3000 {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('k%d', 'q', 1, '%s')", i, []string{"x", "y"}[i%2]))
	}
	queries := map[string]int{
		"SELECT K FROM t WHERE V = ?":                                                    1500,
		"SELECT K FROM t WHERE V = ? ORDER BY K":                                         1500,
		"SELECT K FROM t WHERE V <> 'z' AND V LIKE ?":                                    1500,
		"SELECT ? FROM t WHERE V = 'x'":                                                  1500,
		"SELECT a.K FROM t a JOIN t b ON a.K = b.K WHERE b.V IN (?)":                     1500,
		"SELECT K FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.K = a.K AND b.V = ?)": 1500,
		"SELECT ?": 1,
	}
	for name, wrap := range map[string]func([]byte) any{
		"bytes":  func(b []byte) any { return b },
		"named":  func(b []byte) any { return asBytes(b) },
		"json":   func(b []byte) any { return json.RawMessage(b) },
		"valuer": func(b []byte) any { return asValuer{b} },
		"raw":    func(b []byte) any { return sql.RawBytes(b) },
	} {
		t.Run(name, func(t *testing.T) {
			for query, want := range queries {
				for _, from := range openings(t, db, query) {
					arg := []byte("x")
					rows, err := from(wrap(arg))
					require.NoError(t, err, query)
					arg[0] = 'y'
					require.Equal(t, want, countWhileWriting(t, rows, arg), query)
				}
			}
			testWrittenArguments(t, db, wrap)
		})
	}
}

// countWhileWriting reads all result sets while it overwrites the argument.
func countWhileWriting(t *testing.T, rows *sql.Rows, arg []byte) (n int) {
	for more := true; more; more = rows.NextResultSet() {
		for ; rows.Next(); n++ {
			var got string
			require.NoError(t, rows.Scan(&got))
			require.NotEqual(t, "y", got)
			arg[0] = "yz"[n%2]
		}
		require.NoError(t, rows.Err())
	}
	return n
}

// openings are the ways to run a query.
func openings(t *testing.T, db *sql.DB, query string) []func(...any) (*sql.Rows, error) {
	st, err := db.Prepare(query)
	require.NoError(t, err)
	t.Cleanup(func() { _ = st.Close() })
	return []func(...any) (*sql.Rows, error){
		func(args ...any) (*sql.Rows, error) { return db.Query(query, args...) },
		func(args ...any) (*sql.Rows, error) { return db.Query("SELECT 1 FROM t WHERE FALSE; "+query, args...) },
		st.Query,
	}
}

// testWrittenArguments overwrites arguments that were stored but not committed,
// and those of variables.
func testWrittenArguments(t *testing.T, db *sql.DB, wrap func([]byte) any) {
	tx, err := db.BeginTx(context.Background(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback()) }()
	arg := []byte("first")
	for _, statement := range []string{"REPLACE INTO t VALUES ('new', 'q', 1, ?)", "SET @a = ?"} {
		_, err = tx.Exec(statement, wrap(arg))
		require.NoError(t, err)
	}
	copy(arg, "other")
	require.Equal(t, "first", harness.Single(t, tx, "SELECT V FROM t WHERE K = 'new'"))
	require.Equal(t, "first", harness.Single(t, tx, "SELECT @a"))
}
