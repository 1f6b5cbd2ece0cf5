package stores

import (
	"database/sql"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// definitions are the statements that defineChild runs again and again. The first one succeeds whatever
// exists.
var definitions = []string{
	"DROP DATABASE IF EXISTS d",
	"CREATE DATABASE d",
	"CREATE TABLE d.t (id int PRIMARY KEY, number int NOT NULL, name varchar(20), KEY n (name))",
	"INSERT INTO d.t VALUES " + numbered(1500),
	"CREATE TABLE d.u (id int PRIMARY KEY, x int, UNIQUE KEY x (x))",
	"RENAME TABLE d.t TO d.swap, d.u TO d.t, d.swap TO d.u",
	"RENAME TABLE d.t TO d.a, d.u TO d.b",
	"ALTER TABLE d.b ADD INDEX m (number)",
	"ALTER TABLE d.b ADD UNIQUE INDEX k (number, id)",
	"ALTER TABLE d.b DROP INDEX m, ADD INDEX m (name, number), ADD INDEX o (number, name), ADD COLUMN more int",
	"ALTER TABLE d.b DROP INDEX m, DROP INDEX o",
	"ALTER TABLE d.b DROP PRIMARY KEY, ADD PRIMARY KEY (number, id)",
	"CREATE TABLE d.c (PRIMARY KEY (id), KEY n (name)) SELECT id, name, number FROM d.b",
	"CREATE TABLE d.f SELECT CAST(id AS CHAR(10)) AS K, 'q' AS Q, 1 AS T, name AS V FROM d.b",
	"CREATE VIEW d.v AS SELECT name FROM d.c",
	"DROP TABLE d.a, d.c",
}

func numbered(n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d, %d, 'name %d')", i, n-i, i%7)
	}
	return strings.Join(rows, ", ")
}

// defineChild runs the definitions until it is killed. It reports which one it begins and which one has
// ended.
func defineChild(dsn string) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	for {
		for i, statement := range definitions {
			if _, err := fmt.Println("begin", i); err != nil {
				return err
			}
			if _, err := db.Exec(statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
			if _, err := fmt.Println("end", i); err != nil {
				return err
			}
		}
	}
}

// defined lists what the definitions have created so far: tables, columns, keys and rows, without unfinished
// copies.
func defined(t *testing.T, db *sql.DB) []string {
	const named = " WHERE TABLE_SCHEMA = 'd' AND TABLE_NAME NOT LIKE '#sql-%'"
	lines := harness.Lines(t, db, "SELECT 'database', SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'd'")
	for _, query := range []string{
		"SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, COLUMN_KEY FROM information_schema.COLUMNS" + named + " ORDER BY 1, ORDINAL_POSITION",
		"SELECT TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, NON_UNIQUE FROM information_schema.STATISTICS" + named + " ORDER BY 1, 2, 3",
	} {
		lines = append(lines, harness.Lines(t, db, query)...)
	}
	tables := harness.Lines(t, db, "SELECT TABLE_NAME FROM information_schema.TABLES"+named+" AND TABLE_TYPE = 'BASE TABLE' ORDER BY 1")
	for _, table := range tables {
		rows := strings.Join(harness.Lines(t, db, "SELECT * FROM d."+table+" ORDER BY 1, 2"), "\n")
		lines = append(lines, fmt.Sprintf("%s: rows of checksum %x", table, crc32.ChecksumIEEE([]byte(rows))))
	}
	return lines
}

// TestKillDefinitions kills a process that defines tables: each statement that had ended has taken effect,
// and the one that was in progress has taken effect completely or not at all.
func TestKillDefinitions(t *testing.T) {
	var after [][]string // what exists after each statement
	whole := harness.OpenDB(t, ":memory:")
	for _, statement := range definitions {
		harness.Must(t, whole, statement)
		after = append(after, defined(t, whole))
	}
	dsn := "file:" + filepath.Join(t.TempDir(), "store") + "?sync=false"
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range *killRounds {
		said := killLater(t, "define", dsn, 2+rng.IntN(3*len(definitions)), time.Duration(rng.IntN(8000))*time.Microsecond)
		word, number, _ := strings.Cut(said[len(said)-1], " ")
		at, err := strconv.Atoi(number)
		require.NoError(t, err)
		t.Logf("killed %q", said[len(said)-1])
		db := harness.OpenDB(t, dsn)
		possible := [][]string{after[at]}
		if word == "begin" {
			possible = append(possible, after[(at+len(after)-1)%len(after)])
		}
		require.Contains(t, possible, defined(t, db), "killed behind %q: %s", said[len(said)-1], definitions[at])
		requireSoundTables(t, db)
		require.NoError(t, db.Close())
	}
}

// requireSoundTables checks the store and each table, including an unfinished copy, which DROP TABLE then
// removes.
func requireSoundTables(t *testing.T, db *sql.DB) {
	requireSound(t, db)
	tables, err := harness.TryLines(db, "SHOW TABLES FROM d")
	if harness.NumberOf(err) != 1049 { // killed between DROP and CREATE DATABASE
		require.NoError(t, err)
	}
	for _, table := range tables {
		for _, line := range harness.Lines(t, db, "CHECK TABLE d.`"+table+"` EXTENDED") {
			require.Regexp(t, "OK$", line)
		}
		if strings.HasPrefix(table, "#sql-") {
			harness.Must(t, db, "DROP TABLE d.`"+table+"`")
		}
	}
}
