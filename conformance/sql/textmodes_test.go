package sql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestModesOfTexts: ANSI_QUOTES, PIPES_AS_CONCAT and NO_BACKSLASH_ESCAPES apply where a text is parsed, and
// what was defined in one mode means the same in another.
func TestModesOfTexts(t *testing.T) {
	db := harness.OpenEmbedded(t, harness.MemoryDSN()+"&multiStatements=true")
	db.SetMaxOpenConns(1)
	single := func(query string, args ...any) string {
		t.Helper()
		return harness.Single(t, db, query, args...)
	}
	refused := func(number uint16, query string) {
		t.Helper()
		_, err := db.Exec(query)
		harness.RequireErrorNumber(t, number, err)
	}
	harness.Must(t, db, "SET sql_mode = CONCAT(@@sql_mode, ',ansi')")
	require.Contains(t, single("SELECT @@sql_mode"), "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ANSI")
	harness.Must(t, db, `CREATE TABLE "people" ("id" int PRIMARY KEY, "first name" varchar(20), "o""d`+"`d"+`" int DEFAULT 7)`,
		`INSERT INTO people (id, "first name") VALUES (1, 'Ann'), (2, 'B"ob')`,
		`CREATE VIEW called AS SELECT "id", 'is ' || "first name" || ';' AS name FROM "people"`)
	require.Equal(t, "1Ann7", single(`SELECT id || "first name" || p."o""d`+"`d"+`" FROM people p WHERE "id" = ? AND 'x' = 'x'`, 1))
	require.Equal(t, "1", single("SELECT 1 ^ '1' || 0 > 1 OR 'a' || 'b' = 'ab'"))
	require.Equal(t, "-ab", single("SELECT '-' || 'a' || CONCAT('b', '')"))
	require.Equal(t, "0", single("SELECT COUNT(*) FROM people WHERE 'a' || 'b' IS NULL"))
	require.Equal(t, `a\"b"`, single(`SELECT 'a\\"b"' /* "it's || fine */ -- it's "so"`))
	require.Equal(t, "x", single(`SELECT "id" FROM (SELECT 'x' "id") "d" /*!50000 WHERE "id" || '' = 'x' */`))
	refused(1054, `SELECT "nobody" FROM people`)
	refused(1064, `SELECT "" FROM people`)
	refused(1064, `SELECT "id FROM people`)
	require.Equal(t, "5", single(`SELECT @"my ""var" := 5`))
	harness.Must(t, db, `PREPARE s FROM 'SELECT "id" || ''!'' FROM people WHERE id = 2'`)
	harness.Must(t, db, "SET sql_mode = DEFAULT")
	require.Equal(t, "2!", single("EXECUTE s"))
	require.Equal(t, "is Ann;", single("SELECT name FROM called WHERE id = 1"))
	require.Equal(t, "id", single(`SELECT "id" FROM people LIMIT 1`))
	require.Equal(t, "1", single("SELECT 'a' || 'b' OR 1"))

	harness.Must(t, db, "SET sql_mode = 'NO_BACKSLASH_ESCAPES'")
	require.Equal(t, `\`, single(`SELECT '\'`))
	require.Equal(t, `a\n'"\`, single(`SELECT 'a\n''"\'`))
	require.Equal(t, `C:\new`, single(`SELECT "C:\new"`))
	require.Equal(t, `\é`, single(`SELECT _utf8mb4'\é'`))
	require.Equal(t, `b\`, single(`SELECT CONCAT(?, '\')`, "b"))
	harness.Must(t, db, `CREATE VIEW paths AS SELECT 'C:\' AS path; SELECT 'a\'; INSERT INTO people (id, `+"`first name`) VALUES (3, '\\')",
		"SET sql_mode = DEFAULT")
	require.Equal(t, `C:\`, single("SELECT path FROM paths"))
	require.Equal(t, `\`, single("SELECT `first name` FROM people WHERE id = 3"))
	require.Equal(t, "a\n", single(`SELECT 'a\n'`))
	refused(1064, `SELECT '\'`)
}
