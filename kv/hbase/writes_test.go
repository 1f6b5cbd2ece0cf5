package hbase

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// errorNumber returns the MySQL number of an error, 0 for other errors.
func errorNumber(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

func exec1(t testing.TB, db interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, query string, args ...any) int64 {
	t.Helper()
	r, err := db.ExecContext(context.Background(), query, args...)
	require.NoError(t, err, query)
	n, err := r.RowsAffected()
	require.NoError(t, err)
	return n
}

// behaviours are families with and without NEW_VERSION_BEHAVIOR.
var behaviours = map[string][]string{
	"Ours":   {"VERSIONS", "2147483647", "NEW_VERSION_BEHAVIOR", "true"},
	"Others": {"VERSIONS", "5"},
}

func TestWrites(t *testing.T) {
	s := openTest(t)
	for kind, attributes := range behaviours {
		t.Run(kind, func(t *testing.T) {
			name := newName()
			makeTable(t, s, name, [][]byte{[]byte("m")}, familySchema("a", attributes...), familySchema("b", attributes...))
			db := openSQL(t, "")
			a, b := "`"+name+"$a`", "`"+name+"$b`"
			// Strict INSERT.
			require.EqualValues(t, 1, exec1(t, db, "INSERT INTO "+a+" VALUES ('r', 'q', 5, 'v')"))
			_, err := db.Exec("INSERT INTO " + a + " VALUES ('r', 'q', 5, 'w')")
			require.Equal(t, uint16(1062), errorNumber(err), "%v", err)
			require.EqualValues(t, 0, exec1(t, db, "INSERT IGNORE INTO "+a+" VALUES ('r', 'q', 5, 'w')"))
			require.Equal(t, []string{"r|q|5|v"}, rows(t, db, "SELECT * FROM "+a))
			// An empty value is a value.
			exec1(t, db, "INSERT INTO "+a+" VALUES ('e', 'q', 5, '')")
			_, err = db.Exec("INSERT INTO " + a + " VALUES ('e', 'q', 5, 'w')")
			require.Equal(t, uint16(1062), errorNumber(err), "%v", err)
			// Without T, nothing is overwritten.
			for range 3 {
				exec1(t, db, "INSERT INTO "+a+" (K, Q, V) VALUES ('n', 'q', 'v')")
			}
			require.Equal(t, []string{"3"}, rows(t, db, "SELECT COUNT(*) FROM "+a+" FOR SYSTEM_TIME ALL WHERE K = 'n'"))
			// Several cells of one row, in both families.
			exec1(t, db, "INSERT INTO "+a+" (K, Q, V) VALUES ('m1', 'x', '1'), ('m1', 'y', '2'), ('m1', 'z', '3')")
			require.Equal(t, []string{"m1|x|1", "m1|y|2", "m1|z|3"}, rows(t, db, "SELECT K, Q, V FROM "+a+" WHERE K = 'm1'"))
			_, err = db.Exec("INSERT INTO " + a + " (K, Q, V) VALUES ('r1', 'x', '1'), ('r2', 'y', '2')")
			require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
			require.Empty(t, rows(t, db, "SELECT * FROM "+a+" WHERE K LIKE 'r_'"))
			// UPDATE, of one cell, and with what it reads of others.
			exec1(t, db, "INSERT INTO "+a+" VALUES ('u', 'n', 100, '7')")
			for i := range 3 {
				require.EqualValues(t, 1, exec1(t, db, "UPDATE "+a+" SET V = V + 1 WHERE K = 'u' AND Q = 'n'"))
				require.Equal(t, []string{fmt.Sprint(8 + i)}, rows(t, db, "SELECT V FROM "+a+" WHERE K = 'u'"))
			}
			require.EqualValues(t, 1, exec1(t, db, "UPDATE "+a+" SET V = 'changed' WHERE V = '10'"))
			require.Equal(t, []string{"changed"}, rows(t, db, "SELECT V FROM "+a+" WHERE K = 'u'"))
			// REPLACE and ON DUPLICATE KEY UPDATE.
			exec1(t, db, "REPLACE INTO "+a+" VALUES ('p', 'q', 3, 'one')")
			exec1(t, db, "REPLACE INTO "+a+" VALUES ('p', 'q', 3, 'two')")
			for range 2 {
				exec1(t, db, "INSERT INTO "+a+" VALUES ('d', 'q', 3, 'one') ON DUPLICATE KEY UPDATE V = CONCAT(V, '+')")
			}
			require.Equal(t, []string{"d|one+", "p|two"}, rows(t, db, "SELECT K, V FROM "+a+" WHERE K IN ('p', 'd')"))
			// DELETE; what is written after it is seen.
			require.EqualValues(t, 1, exec1(t, db, "DELETE FROM "+a+" WHERE K = 'n'"))
			require.Empty(t, rows(t, db, "SELECT * FROM "+a+" FOR SYSTEM_TIME ALL WHERE K = 'n'"))
			exec1(t, db, "INSERT INTO "+a+" (K, Q, V) VALUES ('n', 'q', 'again')")
			require.Equal(t, []string{"again"}, rows(t, db, "SELECT V FROM "+a+" WHERE K = 'n'"))
			// Bounds.
			for query, want := range map[string]uint16{
				"INSERT INTO " + a + " VALUES ('x', 'q', -1, 'v')":                  1264,
				"INSERT INTO " + a + " VALUES ('x', 'q', 9223372036854775807, 'v')": 1264,
				"INSERT INTO " + a + " VALUES ('', 'q', 1, 'v')":                    1406,
				"INSERT INTO " + a + " VALUES ('x', 'q', 1, NULL)":                  1048,
				"INSERT INTO " + a + " VALUES (REPEAT('x', 32768), 'q', 1, 'v')":    1406,
			} {
				_, err := db.Exec(query)
				require.Equal(t, want, errorNumber(err), "%s: %v", query, err)
			}
			exec1(t, db, "INSERT INTO "+a+" VALUES ('x', 'q', 9223372036854775806, 'v')")
			_ = b
		})
	}
}

// The first DELETE of a session warns if it hides later writes.
func TestDeleteWarns(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("ours", behaviours["Ours"]...), familySchema("others", behaviours["Others"]...))
	db := openSQL(t, "")
	db.SetMaxOpenConns(1)
	for _, c := range []struct {
		family string
		warns  int
	}{{"ours", 0}, {"others", 1}} {
		table := "`" + name + "$" + c.family + "`"
		exec1(t, db, "INSERT INTO "+table+" VALUES ('k', 'q', 1, 'v')")
		require.Empty(t, rows(t, db, "SHOW WARNINGS"))
		require.EqualValues(t, 1, exec1(t, db, "DELETE FROM "+table+" WHERE K = 'k'"))
		warnings := rows(t, db, "SHOW WARNINGS")
		require.Len(t, warnings, c.warns)
		if c.warns > 0 {
			require.Contains(t, warnings[0], "NEW_VERSION_BEHAVIOR")
			exec1(t, db, "INSERT INTO "+table+" VALUES ('k', 'q', 1, 'hidden')")
			require.Empty(t, rows(t, db, "SELECT * FROM "+table))
			exec1(t, db, "REPLACE INTO "+table+" VALUES ('k', 'q', 2, 'seen')")
			exec1(t, db, "DELETE FROM "+table)
		}
	}
}

// A transaction writes one row, and sees its own writes.
func TestTransactions(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a", behaviours["Ours"]...), familySchema("b", behaviours["Ours"]...))
	db := openSQL(t, "")
	ctx := context.Background()
	a, b := "`"+name+"$a`", "`"+name+"$b`"
	exec1(t, db, "INSERT INTO "+a+" VALUES ('k', 'q', 5, 'v')")
	tx, err := db.Begin()
	require.NoError(t, err)
	exec1(t, tx, "UPDATE "+a+" SET V = 'w' WHERE K = 'k'")
	exec1(t, tx, "INSERT INTO "+a+" (K, Q, V) VALUES ('k', 'r', 'x')")
	exec1(t, tx, "INSERT INTO "+b+" (K, Q, V) VALUES ('k', 'q', 'y')")
	require.Equal(t, []string{"k|q|w", "k|r|x"}, rows(t, tx, "SELECT K, Q, V FROM "+a))
	require.Equal(t, []string{"r|x", "q|w"}, rows(t, tx, "SELECT Q, V FROM "+a+" ORDER BY K DESC, Q DESC"))
	require.Equal(t, []string{"k|q|v"}, rows(t, db, "SELECT K, Q, V FROM "+a))
	_, err = tx.Exec("INSERT INTO " + a + " (K, Q, V) VALUES ('other', 'r', 'x')")
	require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
	require.NoError(t, tx.Commit())
	require.Equal(t, []string{"k|a|q|w", "k|a|r|x", "k|b|q|y"}, rows(t, db, "SELECT K, F, Q, V FROM `"+name+"`"))

	tx, err = db.Begin()
	require.NoError(t, err)
	exec1(t, tx, "DELETE FROM "+a+" WHERE K = 'k'")
	require.Empty(t, rows(t, tx, "SELECT * FROM "+a))
	exec1(t, tx, "INSERT INTO "+a+" VALUES ('k', 'q', 6, 'new')")
	require.Equal(t, []string{"k|q|6|new"}, rows(t, tx, "SELECT * FROM "+a))
	require.NoError(t, tx.Commit())
	require.Equal(t, []string{"k|q|6|new"}, rows(t, db, "SELECT * FROM "+a+" FOR SYSTEM_TIME ALL"))

	// If somebody has changed what a writing statement has read, the error is 1213.
	tx, err = db.Begin()
	require.NoError(t, err)
	exec1(t, tx, "UPDATE "+a+" SET V = CONCAT(V, '1') WHERE K = 'k'")
	exec1(t, db, "UPDATE "+a+" SET V = CONCAT(V, '2') WHERE K = 'k'")
	err = tx.Commit()
	require.Equal(t, uint16(1213), errorNumber(err), "%v", err)
	require.Equal(t, []string{"new2"}, rows(t, db, "SELECT V FROM "+a))

	// A SELECT's reads do not count, and a rollback undoes everything.
	tx, err = db.BeginTx(ctx, nil)
	require.NoError(t, err)
	require.Len(t, rows(t, tx, "SELECT * FROM "+a), 1)
	exec1(t, tx, "REPLACE INTO "+b+" VALUES ('k', 'z', 1, 'z')")
	exec1(t, db, "UPDATE "+a+" SET V = CONCAT(V, '3') WHERE K = 'k'")
	require.NoError(t, tx.Commit())
	tx, err = db.Begin()
	require.NoError(t, err)
	exec1(t, tx, "DELETE FROM `"+name+"$a`")
	exec1(t, tx, "SAVEPOINT s")
	exec1(t, tx, "INSERT INTO "+a+" VALUES ('k', 'q2', 6, 'new')")
	exec1(t, tx, "ROLLBACK TO SAVEPOINT s")
	require.Empty(t, rows(t, tx, "SELECT * FROM "+a))
	require.NoError(t, tx.Rollback())
	require.Equal(t, []string{"new23"}, rows(t, db, "SELECT V FROM "+a))
}

// No update is lost or done twice.
func TestConcurrentUpdates(t *testing.T) {
	s := openTest(t)
	for kind, attributes := range behaviours {
		t.Run(kind, func(t *testing.T) {
			name := newName()
			makeTable(t, s, name, nil, familySchema("a", attributes...))
			db := openSQL(t, "")
			db.SetMaxOpenConns(10)
			a := "`" + name + "$a`"
			exec1(t, db, "INSERT INTO "+a+" VALUES ('k', 'n', 1, '0'), ('k', 'other', 1, 'x')")
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					if _, err := db.Exec("UPDATE " + a + " SET V = V + 1 WHERE K = 'k' AND Q = 'n'"); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			require.Equal(t, []string{"100", "x"}, rows(t, db, "SELECT V FROM "+a+" ORDER BY K, Q"))
			// One of many INSERTs of one key succeeds.
			var done sync.Map
			for i := range 20 {
				all.Go(func() {
					_, err := db.Exec("INSERT INTO "+a+" VALUES ('i', 'q', 7, ?)", fmt.Sprint(i))
					if err == nil {
						done.Store(i, true)
					} else if errorNumber(err) != 1062 {
						t.Error(err)
					}
				})
			}
			all.Wait()
			n := 0
			done.Range(func(i, _ any) bool {
				n++
				require.Equal(t, []string{fmt.Sprint(i)}, rows(t, db, "SELECT V FROM "+a+" WHERE K = 'i'"))
				return true
			})
			require.Equal(t, 1, n)
		})
	}
}
