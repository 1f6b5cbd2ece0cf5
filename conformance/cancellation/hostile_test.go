package cancellation

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// lookingContext counts how often it is checked, and has ended from the endAt-th
// check on; 0 is never.
type lookingContext struct {
	context.Context
	endAt, looks atomic.Int64
}

func newLookingContext(endAt int64) *lookingContext {
	c := &lookingContext{Context: context.Background()}
	c.endAt.Store(endAt)
	return c
}

func (c *lookingContext) Err() error {
	if n, end := c.looks.Add(1), c.endAt.Load(); end > 0 && n >= end {
		return context.Canceled
	}
	return nil
}

// hostile is a statement whose work, in bytes or items, is at least that many times a quarter of a million:
// it must check its context once for each, beside the checks of a statement with nothing to do.
type hostile struct {
	sql   string
	looks int
}

const mega = 1 << 20

// hostiles are short texts that take long. The looks are those of linear time;
// what cannot be linear (underscores in LIKE, regular expressions) has more.
var hostiles = []hostile{
	{"SELECT LOCATE(CONCAT(REPEAT('a', 262144), 'b'), REPEAT('a', 1048576))", 4},
	{"SELECT LOCATE(CONCAT(REPEAT('a', 262144), 'b'), REPEAT('a', 1048576) COLLATE utf8mb4_bin)", 4},
	{"SELECT LOCATE(CONCAT(REPEAT('a', 262144), 'b'), REPEAT('A', 1048576) COLLATE utf8mb4_0900_ai_ci)", 4},
	{"SELECT LOCATE(CONCAT(REPEAT('e', 262144), 'b'), REPEAT('é', 524288) COLLATE utf8mb4_0900_as_cs)", 4},
	{"SELECT REPEAT('é', 524288) LIKE CONCAT('%', REPEAT('e', 262144), 'b%') COLLATE utf8mb4_unicode_ci", 4},
	{"SELECT REPEAT('é', 524288) < CONCAT(REPEAT('e', 524288), 'b') COLLATE utf8mb4_0900_as_cs", 4},
	{"SELECT INSTR(REPEAT('ä', 524288), CONCAT(REPEAT('a', 262144), 'b'))", 4},
	{"SELECT POSITION(X'6100' IN REPEAT('a', 2097152))", 8},
	{"SELECT REPLACE(REPEAT('a', 2097152), CONCAT(REPEAT('a', 262144), 'b'), 'x')", 8},
	{"SELECT LENGTH(REPLACE(REPEAT('a', 1048576), 'a', 'bb'))", 4},
	{"SELECT SUBSTRING_INDEX(REPEAT('a', 2097152), CONCAT(REPEAT('a', 262144), 'b'), 3)", 8},
	{"SELECT LENGTH(SUBSTRING_INDEX(REPEAT('a,', 1048576), ',', -1000000))", 8},
	{"SELECT FIND_IN_SET('b', REPEAT('a,', 1048576))", 8},
	{"SELECT FIND_IN_SET(REPEAT('a', 1048576), CONCAT(REPEAT('a', 1048576), 'b'))", 4},
	{"SELECT LENGTH(TRIM(REPEAT(' ', 2097152)))", 8},
	{"SELECT LENGTH(TRIM(TRAILING 'ab' FROM REPEAT('ab', 1048576)))", 8},
	{"SELECT REPEAT('a', 50000) LIKE CONCAT('%', REPEAT('a', 25000), 'b%')", 1},
	{"SELECT REPEAT('a', 1048576) LIKE CONCAT('%', REPEAT('a', 262144), 'b%')", 4},
	{"SELECT REPEAT('a', 1048576) LIKE BINARY CONCAT('%', REPEAT('a', 262144), 'b%')", 4},
	{"SELECT REPEAT('a', 5000) LIKE CONCAT('%', REPEAT('_', 2500), 'b%')", 12},
	{"SELECT REPEAT('a', 2097152) LIKE '%a%a%a%a%a%b'", 1},
	{"SELECT REPEAT('ab', 50000) REGEXP 'a[ab]{50}c'", 20},
	{"SELECT REPEAT('ab', 50000) REGEXP BINARY 'a[ab]{50}c'", 20},
	{"SELECT REGEXP_SUBSTR(REPEAT('ab', 50000), 'a[ab]{50}c')", 20},
	{"SELECT REGEXP_INSTR(REPEAT('x', 1500), 'x*y|x', 1, 1500)", 1},
	{"SELECT LENGTH(REGEXP_REPLACE(REPEAT('ab', 25000), 'a', 'xy'))", 1},
	{"SELECT LENGTH(CONVERT(REPEAT('é', 262144) USING latin1)), LENGTH(CONVERT(REPEAT(X'E9', 524288) USING latin1))", 4},
	{"SELECT LENGTH(CONVERT(REPEAT('a', 524288) USING utf32))", 2},
	{"SELECT LENGTH(UNCOMPRESS(COMPRESS(REPEAT('ab', 262144))))", 4},
	{"SELECT LENGTH(AES_DECRYPT(AES_ENCRYPT(REPEAT('a', 1048576), 'k'), 'k'))", 8},
	{"SELECT AES_ENCRYPT('a', 'k', '', 'pbkdf2_hmac', 'salt', 20000)", 1},
	{"SELECT LENGTH(WEIGHT_STRING(REPEAT('ä', 524288)))", 4},
	{"SELECT JSON_OVERLAPS(CONCAT('[', REPEAT('1,', 25000), '1]'), CONCAT('[', REPEAT('2,', 25000), '2]'))", 1},
	{"SELECT 2 MEMBER OF (CONCAT('[', REPEAT('1,', 25000), '1]'))", 1},
	{"SELECT LENGTH(JSON_ARRAY_INSERT(CONCAT('[', REPEAT('1,', 25000), '1]'), '$[0]', 1))", 1},
	{"SELECT JSON_STORAGE_SIZE(CONCAT('[', REPEAT('1,', 25000), '1]'))", 1},
	{"SELECT MD5(REPEAT('a', 2097152)), SHA1(REPEAT('a', 2097152)), SHA2(REPEAT('a', 2097152), 512)", 24},
	{"SELECT LENGTH(UPPER(REPEAT('a', 2097152))), LENGTH(LOWER(REPEAT('ä', 1048576)))", 16},
	{"SELECT LENGTH(REVERSE(REPEAT('ä', 1048576)))", 8},
	{"SELECT LENGTH(HEX(REPEAT('a', 2097152))), LENGTH(UNHEX(REPEAT('61', 1048576)))", 16},
	{"SELECT LENGTH(TO_BASE64(REPEAT('a', 2097152))), LENGTH(FROM_BASE64(REPEAT('YWFh', 524288)))", 16},
	{"SELECT LENGTH(QUOTE(REPEAT('''', 2097152)))", 8},
	{"SELECT LENGTH(SOUNDEX(REPEAT('ab', 1048576)))", 8},
	{"SELECT LENGTH(DATE_FORMAT('2020-01-01', REPEAT('%W', 262144)))", 2},
	{"SELECT JSON_LENGTH(CONCAT('[', REPEAT('1,', 262144), '1]'))", 4},
	{"SELECT LENGTH(JSON_MERGE_PATCH(CONCAT('[', REPEAT('1,', 131072), '1]'), CONCAT('[', REPEAT('22,', 131072), '1]')))",
		4},
	{"SELECT LENGTH(JSON_EXTRACT(CONCAT('[', REPEAT('[1],', 25000), '1]'), '$**[*]'))", 1},
	{"SELECT LENGTH(JSON_QUOTE(REPEAT('\"', 2097152)))", 8},
	{"SELECT JSON_VALID(CONCAT('[', REPEAT('1,', 524288), '1]'))", 1},
	{"SELECT JSON_SEARCH(CONCAT('[', REPEAT('\"aaaaaaaa\",', 50000), '1]'), 'all', 'b%')", 2},
	{"SELECT JSON_CONTAINS(CONCAT('[', REPEAT('1,', 1000), '1]'), CONCAT('[', REPEAT('1,', 1000), '2]'))", 1},
	{"SELECT COUNT(*) FROM (SELECT 1 UNION ALL SELECT 2) d " +
		"WHERE REPEAT('a', 1048576) LIKE CONCAT('%', REPEAT('a', 262144), 'b%')", 8},
	{"SELECT REPEAT('ä', 1048576) = REPEAT('Ä', 1048576), STRCMP(REPEAT('ä', 524288), REPEAT('Ä', 524288))", 4},
	{"SELECT GREATEST(REPEAT('ä', 1048576), REPEAT('Ä', 1048576)) = 'a'", 4},
	{"SELECT JSON_EXTRACT('{}', CONCAT('$.', REPEAT('a', 2097152)), CONCAT('$', REPEAT(' ', 2097152)))", 3},
	{"SELECT STR_TO_DATE(REPEAT('1 ', 262144), REPEAT('%d ', 262144))", 3},
	{"SET @a = LOCATE(CONCAT(REPEAT('a', 262144), 'b'), REPEAT('a', 1048576))", 4},
	{"SHOW VARIABLES LIKE '%" + strings.Repeat("i", mega/16) + "'", 4},
	{"SHOW COLLATION LIKE '" + strings.Repeat("i", mega/16) + "'", 4},
	{"DO LOCATE(CONCAT(REPEAT('a', 262144), 'b'), REPEAT('a', 1048576))", 4},
	{"SELECT 1 WHERE 1 IN (" + strings.Repeat("2,", 25_000) + "3)", 16},
	{"SELECT 1 WHERE 1 IN (" + strings.Repeat("@x,", 25_000) + "3)", 16},
	{"SET @a = 1" + strings.Repeat(", @a = 1", 25_000), 64},
	{"SELECT COUNT(*) FROM t$f WHERE K IN (" + strings.Repeat("'k',", 25_000) + "'z')", 16},
	{"SELECT COUNT(*) FROM t$f WHERE (K, Q) IN (" + strings.Repeat("('k','q'),", 12_500) + "('z','z'))", 16},
	{"INSERT INTO t$f VALUES " + strings.Repeat("('k','q',NULL,'v'),", 12_500) + "('k','q',NULL,'v')", 16},
	{"SELECT '" + strings.Repeat("a", mega) + "' LIKE '" + strings.Repeat("%a", mega/4) + "'", 5},
}

func hostileDB(t testing.TB) *sql.DB {
	db, err := sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	harness.Must(t, db, "CREATE TABLE t$f "+harness.PlainTable)
	return db
}

// runHostile runs a statement to its end.
func runHostile(ctx context.Context, db *sql.DB, text string) error {
	if !strings.HasPrefix(text, "SELECT") {
		_, err := db.ExecContext(ctx, text)
		return err
	}
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

func (h hostile) name() string { return fmt.Sprintf("%.60s...", h.sql) }

// looksOf is how often a statement checks its context once it is cached, as long texts
// never are. It checks more often the more there is to do.
func looksOf(t *testing.T, db *sql.DB, h hostile) (looks int64) {
	runs := 3
	if len(h.sql) > 64<<10 {
		runs = 1
	}
	verb, _, _ := strings.Cut(h.sql, " ")
	for range runs {
		idle := newLookingContext(0)
		require.NoError(t, runHostile(idle, db, idleStatements[verb]))
		ctx := newLookingContext(0)
		require.NoError(t, runHostile(ctx, db, h.sql))
		looks = ctx.looks.Load()
		require.GreaterOrEqual(t, looks, idle.looks.Load()+int64(h.looks))
	}
	return looks
}

// idleStatements are statements of each kind with nothing to do.
var idleStatements = map[string]string{
	"SELECT": "SELECT 1", "DO": "DO 1", "SET": "SET @a = 1", "SHOW": "SHOW VARIABLES LIKE 'i'",
	"INSERT": "INSERT INTO t$f VALUES ('a', 'q', NULL, 'v')",
}

// TestWorkEndsWithItsContext cancels each statement at its first and its last
// check, in long runs at more of them: it ends with the context's error, after at
// most a few more checks.
func TestWorkEndsWithItsContext(t *testing.T) {
	db := hostileDB(t)
	for _, h := range hostiles {
		t.Run(h.name(), func(t *testing.T) {
			looks := looksOf(t, db, h)
			at := []int64{1, looks}
			if *harness.Long {
				at = []int64{1, 2, looks / 4, looks / 2, looks - looks/8, looks - 1, looks}
			}
			for _, k := range at {
				ctx := newLookingContext(max(k, 1))
				require.ErrorIs(t, runHostile(ctx, db, h.sql), context.Canceled, "cancelled at look %d of %d", k, looks)
				require.LessOrEqual(t, ctx.looks.Load(), k+32, "went on after look %d of %d", k, looks)
			}
		})
	}
}

// endless are expressions that take practically for ever.
var endless = []string{
	"REPEAT('a', 2000000) LIKE CONCAT('%', REPEAT('_', 1000000), 'b%')",
	"REPEAT('ab', 20000000) REGEXP 'a[ab]{900}c'",
	"JSON_CONTAINS(CONCAT('[', REPEAT('1,', 600000), '1]'), CONCAT('[', REPEAT('1,', 600000), '2]'))",
	"BENCHMARK(1000000000000, 1)",
}

// TestEndlessExpressionsEnd: max_execution_time, KILL QUERY and the caller's
// deadline end what would take forever.
func TestEndlessExpressionsEnd(t *testing.T) {
	db := hostileDB(t)
	for _, e := range endless {
		_, err := harness.TryLines(db, "SELECT /*+ MAX_EXECUTION_TIME(20) */ "+e)
		harness.RequireErrorNumber(t, 3024, err)

		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		require.ErrorIs(t, runHostile(ctx, db, "SELECT "+e), context.DeadlineExceeded)
		require.ErrorIs(t, runHostile(ctx, db, "DO "+e), context.DeadlineExceeded)
		cancel()

		for _, verb := range []string{"SELECT ", "DO ", "SET @a = "} {
			requireKilled(t, db, verb+e)
		}
	}
}

// requireKilled runs a statement and ends it with KILL QUERY: 1317.
func requireKilled(t *testing.T, db *sql.DB, text string) {
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	var id string
	require.NoError(t, conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id))
	ended := make(chan error)
	go func() {
		rows, err := conn.QueryContext(context.Background(), text)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		ended <- err
	}()
	const running = "SELECT COUNT(*) FROM information_schema.processlist WHERE COMMAND = 'Query' AND ID = "
	for harness.Lines(t, db, running+id)[0] == "0" {
		time.Sleep(time.Millisecond)
	}
	harness.Must(t, db, "KILL QUERY "+id)
	err = <-ended
	require.Equal(t, uint16(1317), harness.NumberOf(err), "%s: %v", text, err)
}
