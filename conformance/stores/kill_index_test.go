package stores

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// indexChild writes a typed table and a family with several goroutines, and adds and drops their indexes
// meanwhile, until it is killed. It reports what it has built and dropped.
func indexChild(dsn string) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	errs := make(chan error)
	for g := range 3 {
		go func() { errs <- writeIndexed(db, rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(g)))) }()
	}
	go func() { errs <- indexUntilKilled(db) }()
	return <-errs
}

func writeIndexed(db *sql.DB, r *rand.Rand) error {
	for {
		id := r.IntN(3000)
		for _, statement := range []string{
			fmt.Sprintf("REPLACE INTO rows_ VALUES (%d, %d, 'name %d')", id, r.IntN(100_000_000), r.IntN(50)),
			fmt.Sprintf("UPDATE rows_ SET name = 'name %d' WHERE id = %d", r.IntN(50), id+1),
			fmt.Sprintf("DELETE FROM rows_ WHERE id = %d", id+2),
			fmt.Sprintf("UPDATE c$f SET V = '%d' WHERE K = 'k%d'", r.IntN(50), id),
		} {
			if _, err := db.Exec(statement); err != nil && harness.NumberOf(err) != 1062 {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
	}
}

func indexUntilKilled(db *sql.DB) error {
	for {
		for _, statement := range []string{"CREATE UNIQUE INDEX u ON rows_ (number)",
			"CREATE INDEX n ON rows_ (name, id)", "CREATE INDEX v ON c$f (V(8), Q)",
			"ALTER TABLE rows_ DROP INDEX n, ADD INDEX n (name(3))",
			"DROP INDEX u ON rows_", "DROP INDEX n ON rows_", "DROP INDEX v ON c$f"} {
			_, err := db.Exec(statement)
			if n := harness.NumberOf(err); n != 0 && n != 1091 && n != 1061 {
				return fmt.Errorf("%s: %w", statement, err)
			}
			if _, err := fmt.Println(statement); err != nil {
				return err
			}
		}
	}
}

// TestKillIndexes kills a process that builds and drops indexes of tables that it writes: an index that was
// being built is complete or gone once the store is open again, and each entry belongs to a row.
func TestKillIndexes(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "store") + "?sync=false"
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	db := harness.OpenDB(t, dsn)
	harness.Must(t, db, "CREATE TABLE rows_ (id int PRIMARY KEY, number int, name varchar(20))",
		"CREATE TABLE c$f (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))")
	harness.Must(t, db, "INSERT INTO rows_ VALUES (0, 0, 'x')")
	for n := range 12 {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO rows_ SELECT id + %d, number + %[1]d, 'x' FROM rows_", 1<<n))
	}
	harness.Must(t, db, "INSERT INTO c$f SELECT CONCAT('k', id), 'q', 1, id FROM rows_")
	require.NoError(t, db.Close())
	for range *killRounds {
		killAfter(t, "index", dsn, 1+rng.IntN(12))
		db := harness.OpenDB(t, dsn)
		requireSound(t, db)
		for _, table := range []string{"rows_", "c$f"} {
			for _, line := range harness.Lines(t, db, "CHECK TABLE "+table+" EXTENDED") {
				require.Regexp(t, "OK$", line)
			}
		}
		if harness.Single(t, db, "SELECT COUNT(*) FROM information_schema.STATISTICS "+
			"WHERE INDEX_NAME = 'n' AND SEQ_IN_INDEX = 1") == "1" {
			const named = " WHERE name LIKE 'name 1%' ORDER BY id"
			require.Equal(t, harness.Lines(t, db, "SELECT id FROM rows_ IGNORE INDEX (n)"+named),
				harness.Lines(t, db, "SELECT id FROM rows_ FORCE INDEX (n)"+named))
		}
		require.NoError(t, db.Close())
	}
}
