package typed

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// fillNumbered fills t (id, a, ...) with 1<<bits rows.
func fillNumbered(t *testing.T, db *sql.DB, bits int) {
	harness.Must(t, db, "INSERT INTO t (id, a) VALUES (0, 0)")
	for n := range bits {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t (id, a) SELECT id + %d, a + %[1]d FROM t", 1<<n))
	}
}

// TestIndexBuildTakenBack: if one of the indexes of a statement that drops, renames and adds indexes cannot
// be built, nothing is changed.
func TestIndexBuildTakenBack(t *testing.T) {
	db := open(t,
		"CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(20), c int, UNIQUE a (a), KEY b (b), KEY c (c))",
		"INSERT INTO t VALUES (1, 1, 'x', 1), (2, 2, 'x', 2), (3, NULL, 'y', 3)")
	made := harness.Lines(t, db, "SHOW CREATE TABLE t")
	for _, statement := range []string{
		"ALTER TABLE t DROP INDEX a, ADD UNIQUE b_too (b)",
		"ALTER TABLE t DROP INDEX b, ADD UNIQUE b (b)",
		"ALTER TABLE t DROP INDEX a, RENAME INDEX b TO c, RENAME INDEX c TO b, ADD d int, ADD UNIQUE a (b(1))",
		"ALTER TABLE t DROP COLUMN a, ADD UNIQUE (b)",
		"ALTER TABLE t MODIFY b varchar(30) COLLATE utf8mb4_bin, ADD UNIQUE (b)",
		"ALTER TABLE t RENAME TO s, DROP INDEX c, ADD UNIQUE (b)",
	} {
		_, err := db.Exec(statement)
		require.EqualValues(t, 1062, harness.ErrorNumber(err), "%s: %v", statement, err)
		require.Equal(t, made, harness.Lines(t, db, "SHOW CREATE TABLE t"), statement)
		requireSoundTable(t, db, "t")
		require.Equal(t, []string{"1", "2"}, harness.Lines(t, db,
			"SELECT id FROM t FORCE INDEX (b) WHERE b = 'x' ORDER BY id"))
		require.Equal(t, []string{"2"}, harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (a) WHERE a = 2"), statement)
		require.Equal(t, []string{"3"}, harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (c) WHERE c = 3"), statement)
		_, err = db.Exec("INSERT INTO t VALUES (4, 2, 'z', 4)")
		require.EqualValues(t, 1062, harness.ErrorNumber(err), "%s: %v", statement, err)
	}
}

// TestIndexBuildKilled: the process list shows the progress of a build, and KILL QUERY and a cancelled
// context stop it and leave nothing.
func TestIndexBuildKilled(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int)")
	fillNumbered(t, db, 16)
	made := harness.Lines(t, db, "SHOW CREATE TABLE t")
	for _, how := range []string{"KILL QUERY", "context"} {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := db.Conn(ctx)
		require.NoError(t, err)
		id := harness.Single(t, c, "SELECT CONNECTION_ID()")
		done := make(chan error, 1)
		go func() {
			_, err := c.ExecContext(ctx, "CREATE INDEX x ON t (a, id)")
			done <- err
		}()
		require.Eventually(t, func() bool {
			return strings.Contains(strings.Join(harness.Lines(t, db, "SHOW PROCESSLIST"), "\n"), "building an index, ")
		}, time.Minute, time.Millisecond)
		if how == "context" {
			cancel()
			require.ErrorIs(t, <-done, context.Canceled)
		} else {
			harness.Must(t, db, "KILL QUERY "+id)
			harness.RequireErrorNumber(t, 1317, <-done)
		}
		c.Close()
		cancel()
		require.Equal(t, made, harness.Lines(t, db, "SHOW CREATE TABLE t"))
	}
	requireSoundTable(t, db, "t")
}

// TestUniqueRace: 16 sessions try to write the same entry of a unique index with all statements that write
// rows. Afterwards one row has it, and the entries match the rows.
func TestUniqueRace(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, email varchar(50) UNIQUE, n int DEFAULT 0)")
	var ids strings.Builder
	for i := range 16 {
		fmt.Fprintf(&ids, ", (%d)", 100+i)
	}
	for round := range harness.InShort(8, 30) {
		harness.Must(t, db, "DELETE FROM t", "INSERT INTO t (id) VALUES "+ids.String()[2:])
		email := fmt.Sprint("user", round)
		var won atomic.Int64
		errs := make(chan error, 16)
		for worker := range 16 {
			go func() {
				statement := []string{
					"INSERT INTO t (id, email) VALUES (%d, '%s')",
					"UPDATE t SET email = '%[2]s', n = n + 0 WHERE id = 100 + %[1]d",
					"INSERT INTO t (id, email) VALUES (%d, '%s') ON DUPLICATE KEY UPDATE n = n + 1",
					"REPLACE INTO t (id, email) VALUES (%d, '%s')",
					"INSERT IGNORE INTO t (id, email) VALUES (%d, '%s')",
					"UPDATE IGNORE t SET email = '%[2]s' WHERE id = 100 + %[1]d",
				}[(worker+round)%6]
				_, err := db.Exec(fmt.Sprintf(statement, worker, email))
				if err == nil {
					won.Add(1)
				} else if harness.NumberOf(err) != 1062 {
					errs <- fmt.Errorf("%s: %w", statement, err)
					return
				}
				errs <- nil
			}()
		}
		for range 16 {
			require.NoError(t, <-errs)
		}
		require.Positive(t, won.Load())
		require.Equal(t, "1", harness.Single(t, db,
			"SELECT COUNT(*) FROM t IGNORE INDEX (email) WHERE email = ?", email))
		require.Equal(t, harness.Lines(t, db, "SELECT id FROM t IGNORE INDEX (email) WHERE email = ?", email),
			harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (email) WHERE email = ?", email))
		requireSoundTable(t, db, "t")
	}
}

// TestIndexBuildBesideStatements builds indexes of a typed table, including unique ones, while sessions
// write rows and cells.
func TestIndexBuildBesideStatements(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(20) COLLATE utf8mb4_general_ci)")
	fillNumbered(t, db, 12)
	var over atomic.Bool
	var wg sync.WaitGroup
	for worker := range 3 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 3))
			for !over.Load() {
				if err := writeSome(db, r); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range harness.InShort(1, 3) {
		harness.Must(t, db, "CREATE INDEX b ON t (b, a)", "ALTER TABLE t ADD UNIQUE a (a), ADD INDEX ba (b(2))")
		harness.Must(t, db, "ALTER TABLE t DROP INDEX a, DROP INDEX ba", "ALTER TABLE t DROP INDEX b, ADD INDEX b (b)")
		requireSoundTable(t, db, "t")
		harness.Must(t, db, "DROP INDEX b ON t")
	}
	harness.Must(t, db, "CREATE INDEX b ON t (b, a)", "CREATE UNIQUE INDEX a ON t (a)")
	over.Store(true)
	wg.Wait()
	requireSoundTable(t, db, "t")
	require.Equal(t, harness.Lines(t, db, "SELECT id FROM t IGNORE INDEX (b) WHERE b LIKE 'n1%' ORDER BY id"),
		harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (b) WHERE b LIKE 'N1%' ORDER BY id"))
}

// writeSome writes a row in a random way.
func writeSome(db *sql.DB, r *rand.Rand) error {
	id := r.IntN(4000)
	statement := []string{
		fmt.Sprintf("REPLACE INTO t VALUES (%d, %d, 'n%d')", id, 10_000+r.IntN(1e9), r.IntN(30)),
		fmt.Sprintf("UPDATE t SET b = 'N%d' WHERE id BETWEEN %d AND %d", r.IntN(30), id, id+r.IntN(5)),
		fmt.Sprintf("DELETE FROM t WHERE id = %d", id),
		fmt.Sprintf("INSERT INTO t VALUES (%d, %d, NULL) ON DUPLICATE KEY UPDATE b = CONCAT('n', id)",
			id, 10_000+r.IntN(1e9)),
		fmt.Sprintf("UPDATE t$d SET V = 'n%d' WHERE Q = 'b' AND "+
			"K = (SELECT * FROM (SELECT K FROM t$d WHERE Q = 'b' LIMIT %d, 1) x)", r.IntN(30), r.IntN(20)),
	}[r.IntN(5)]
	_, err := db.Exec(statement)
	switch harness.NumberOf(err) {
	case 1062, 1213, 1205:
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
