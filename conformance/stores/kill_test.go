package stores

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var killRounds = flag.Int("kill.rounds", 4, "how often a process is killed")

// busyChild is insertChild with concurrent flushes, compactions and backups.
func busyChild(dsn string) error { return insertChildBeside(dsn, maintainUntilKilled) }

// insertChildBeside is insertChild with a concurrent function on the same
// store.
func insertChildBeside(dsn string, beside func(*sql.DB) error) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	errs := make(chan error)
	go func() { errs <- beside(db) }()
	go func() { errs <- insertChild(dsn) }()
	return <-errs
}

func maintainUntilKilled(db *sql.DB) error {
	dir := os.Getenv(childBackups)
	for i := 0; ; i++ {
		for _, s := range []string{"FLUSH TABLES", "OPTIMIZE TABLE t", fmt.Sprintf("BACKUP TO '%s/%d-%d'", dir, os.Getpid(), i)} {
			if _, err := db.Exec(s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
	}
}

// TestKill: a killed process loses no acknowledged commit, none is there in
// part, and the directory can be opened again and passes CHECK, as does each
// backup that was finished or in progress.
func TestKill(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "store") + "?sync=true"
	backups := t.TempDir()
	t.Setenv(childBackups, backups)
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	killTable(t, dsn, "PARTITION BY KEY(K) PARTITIONS 7")
	acknowledged := []string{}
	for range *killRounds {
		acknowledged = append(acknowledged, killAfter(t, "busy", dsn, 1+rng.IntN(150))...)
		requireWhole(t, dsn, acknowledged)
		requireBackups(t, backups)
	}
}

func killTable(t *testing.T, dsn, layout string) {
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" "+layout)
	require.NoError(t, db.Close())
}

// requireWhole checks that both halves of each key are there: of those that
// were acknowledged, and of all others both or neither. It returns the keys.
func requireWhole(t *testing.T, dsn string, acknowledged []string) map[string]bool {
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	halves := map[string]int{}
	for _, k := range harness.Lines(t, db, "SELECT K FROM t WHERE LENGTH(V) = 20 * (LENGTH(K) - 1)") {
		halves[k[:len(k)-1]]++
	}
	for _, key := range acknowledged {
		require.Equal(t, 2, halves[key], "lost: %s", key)
	}
	keys := map[string]bool{}
	for key, n := range halves {
		require.Equal(t, 2, n, "half of %s", key)
		keys[key] = true
	}
	require.Equal(t, strconv.Itoa(2*len(halves)), harness.Single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"))
	requireSound(t, db)
	harness.Must(t, db, "INSERT INTO t (K, Q, V) VALUES ('between', 'q', 'v')", "DELETE FROM t WHERE K = 'between'")
	require.NoError(t, db.Close())
	return keys
}

// requireSound runs CHECK STORE.
func requireSound(t *testing.T, db *sql.DB) {
	for _, line := range harness.Lines(t, db, "CHECK STORE EXTENDED") {
		require.Regexp(t, " status OK$| note ", line)
	}
}

// requireBackups opens the newest backup, and removes them all. One that the
// kill interrupted has a name that says so.
func requireBackups(t *testing.T, dir string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	newest := ""
	for _, e := range entries {
		if !strings.Contains(e.Name(), ".partial-") {
			newest = e.Name()
		}
	}
	if newest != "" {
		requireWhole(t, filepath.Join(dir, newest), nil)
	}
	for _, e := range entries {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
}

// TestKillUnsynced: without syncing, a killed process loses no more than the
// last commits of each writer.
func TestKillUnsynced(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "store") + "?sync=false"
	killTable(t, dsn, "PARTITION BY KEY(K) PARTITIONS 7")
	for round := range min(*killRounds, 10) {
		killAfter(t, "insert", dsn, 100+200*round)
		keys := requireWhole(t, dsn, nil)
		for key := range keys {
			writer, n := key[:len(key)-6], key[len(key)-6:]
			i, err := strconv.Atoi(n)
			require.NoError(t, err)
			if i > 0 {
				require.True(t, keys[fmt.Sprintf("%s%06d", writer, i-1)], "%s is there, the one before is not", key)
			}
		}
	}
}
