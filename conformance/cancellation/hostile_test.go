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

// unitsPerLook is the maximum work between two checks of the context, in bytes or
// items that a statement processes.
const unitsPerLook = 1 << 18

// hostile is a statement with at least that many units of work: it must check
// its context for each unitsPerLook of them.
type hostile struct {
	sql   string
	units int
}

const mega = 1 << 20

// hostiles are short texts that take long. The units are those of linear time;
// what cannot be linear (underscores in LIKE, regular expressions) has more.
var hostiles = []hostile{
	{"SELECT LOCATE(CONCAT(REPEAT('a', 1048576), 'b'), REPEAT('a', 4194304))", 4 * mega},
	{"SELECT LOCATE(CONCAT(REPEAT('a', 1048576), 'b'), REPEAT('a', 4194304) COLLATE utf8mb4_bin)", 4 * mega},
	{"SELECT LOCATE(CONCAT(REPEAT('a', 1048576), 'b'), REPEAT('A', 4194304) COLLATE utf8mb4_0900_ai_ci)", 4 * mega},
	{"SELECT LOCATE(CONCAT(REPEAT('e', 1048576), 'b'), REPEAT('é', 2097152) COLLATE utf8mb4_0900_as_cs)", 4 * mega},
	{"SELECT REPEAT('é', 2097152) LIKE CONCAT('%', REPEAT('e', 1048576), 'b%') COLLATE utf8mb4_unicode_ci", 4 * mega},
	{"SELECT REPEAT('é', 2097152) < CONCAT(REPEAT('e', 2097152), 'b') COLLATE utf8mb4_0900_as_cs", 4 * mega},
	{"SELECT INSTR(REPEAT('ä', 2097152), CONCAT(REPEAT('a', 1048576), 'b'))", 4 * mega},
	{"SELECT POSITION(X'6100' IN REPEAT('a', 8388608))", 8 * mega},
	{"SELECT REPLACE(REPEAT('a', 8388608), CONCAT(REPEAT('a', 1048576), 'b'), 'x')", 8 * mega},
	{"SELECT LENGTH(REPLACE(REPEAT('a', 4194304), 'a', 'bb'))", 4 * mega},
	{"SELECT SUBSTRING_INDEX(REPEAT('a', 8388608), CONCAT(REPEAT('a', 1048576), 'b'), 3)", 8 * mega},
	{"SELECT LENGTH(SUBSTRING_INDEX(REPEAT('a,', 4194304), ',', -4000000))", 8 * mega},
	{"SELECT FIND_IN_SET('b', REPEAT('a,', 4194304))", 8 * mega},
	{"SELECT FIND_IN_SET(REPEAT('a', 4194304), CONCAT(REPEAT('a', 4194304), 'b'))", 4 * mega},
	{"SELECT LENGTH(TRIM(REPEAT(' ', 8388608)))", 8 * mega},
	{"SELECT LENGTH(TRIM(TRAILING 'ab' FROM REPEAT('ab', 4194304)))", 8 * mega},
	{"SELECT REPEAT('a', 200000) LIKE CONCAT('%', REPEAT('a', 100000), 'b%')", 300_000},
	{"SELECT REPEAT('a', 4194304) LIKE CONCAT('%', REPEAT('a', 1048576), 'b%')", 4 * mega},
	{"SELECT REPEAT('a', 4194304) LIKE BINARY CONCAT('%', REPEAT('a', 1048576), 'b%')", 4 * mega},
	{"SELECT REPEAT('a', 10000) LIKE CONCAT('%', REPEAT('_', 5000), 'b%')", 12 * mega},
	{"SELECT REPEAT('a', 8388608) LIKE '%a%a%a%a%a%b'", mega},
	{"SELECT REPEAT('ab', 200000) REGEXP 'a[ab]{50}c'", 20 * mega},
	{"SELECT REPEAT('ab', 200000) REGEXP BINARY 'a[ab]{50}c'", 20 * mega},
	{"SELECT REGEXP_SUBSTR(REPEAT('ab', 200000), 'a[ab]{50}c')", 20 * mega},
	{"SELECT REGEXP_INSTR(REPEAT('x', 2000), 'x*y|x', 1, 2000)", mega},
	{"SELECT LENGTH(REGEXP_REPLACE(REPEAT('ab', 100000), 'a', 'xy'))", mega},
	{"SELECT LENGTH(CONVERT(REPEAT('é', 1048576) USING latin1)), LENGTH(CONVERT(REPEAT(X'E9', 2097152) USING latin1))", 4 * mega},
	{"SELECT LENGTH(CONVERT(REPEAT('a', 2097152) USING utf32))", 2 * mega},
	{"SELECT LENGTH(UNCOMPRESS(COMPRESS(REPEAT('ab', 1048576))))", 4 * mega},
	{"SELECT LENGTH(AES_DECRYPT(AES_ENCRYPT(REPEAT('a', 4194304), 'k'), 'k'))", 8 * mega},
	{"SELECT AES_ENCRYPT('a', 'k', '', 'pbkdf2_hmac', 'salt', 20000)", mega},
	{"SELECT LENGTH(WEIGHT_STRING(REPEAT('ä', 2097152)))", 4 * mega},
	{"SELECT JSON_OVERLAPS(CONCAT('[', REPEAT('1,', 100000), '1]'), CONCAT('[', REPEAT('2,', 100000), '2]'))", mega},
	{"SELECT 2 MEMBER OF (CONCAT('[', REPEAT('1,', 100000), '1]'))", mega},
	{"SELECT LENGTH(JSON_ARRAY_INSERT(CONCAT('[', REPEAT('1,', 100000), '1]'), '$[0]', 1))", mega},
	{"SELECT JSON_STORAGE_SIZE(CONCAT('[', REPEAT('1,', 100000), '1]'))", mega},
	{"SELECT MD5(REPEAT('a', 8388608)), SHA1(REPEAT('a', 8388608)), SHA2(REPEAT('a', 8388608), 512)", 24 * mega},
	{"SELECT LENGTH(UPPER(REPEAT('a', 8388608))), LENGTH(LOWER(REPEAT('ä', 4194304)))", 16 * mega},
	{"SELECT LENGTH(REVERSE(REPEAT('ä', 4194304)))", 8 * mega},
	{"SELECT LENGTH(HEX(REPEAT('a', 8388608))), LENGTH(UNHEX(REPEAT('61', 4194304)))", 16 * mega},
	{"SELECT LENGTH(TO_BASE64(REPEAT('a', 8388608))), LENGTH(FROM_BASE64(REPEAT('YWFh', 2097152)))", 16 * mega},
	{"SELECT LENGTH(QUOTE(REPEAT('''', 8388608)))", 8 * mega},
	{"SELECT LENGTH(SOUNDEX(REPEAT('ab', 4194304)))", 8 * mega},
	{"SELECT LENGTH(DATE_FORMAT('2020-01-01', REPEAT('%W', 1048576)))", 2 * mega},
	{"SELECT JSON_LENGTH(CONCAT('[', REPEAT('1,', 1048576), '1]'))", 4 * mega},
	{"SELECT LENGTH(JSON_MERGE_PATCH(CONCAT('[', REPEAT('1,', 524288), '1]'), CONCAT('[', REPEAT('22,', 524288), '1]')))",
		4 * mega},
	{"SELECT LENGTH(JSON_EXTRACT(CONCAT('[', REPEAT('[1],', 100000), '1]'), '$**[*]'))", mega},
	{"SELECT LENGTH(JSON_QUOTE(REPEAT('\"', 8388608)))", 8 * mega},
	{"SELECT JSON_VALID(CONCAT('[', REPEAT('1,', 2097152), '1]'))", mega / 2},
	{"SELECT JSON_SEARCH(CONCAT('[', REPEAT('\"aaaaaaaa\",', 200000), '1]'), 'all', 'b%')", 2 * mega},
	{"SELECT JSON_CONTAINS(CONCAT('[', REPEAT('1,', 2000), '1]'), CONCAT('[', REPEAT('1,', 2000), '2]'))", mega},
	{"SELECT COUNT(*) FROM (SELECT 1 UNION ALL SELECT 2) d " +
		"WHERE REPEAT('a', 4194304) LIKE CONCAT('%', REPEAT('a', 1048576), 'b%')", 8 * mega},
	{"SELECT REPEAT('ä', 4194304) = REPEAT('Ä', 4194304), STRCMP(REPEAT('ä', 2097152), REPEAT('Ä', 2097152))", 4 * mega},
	{"SELECT GREATEST(REPEAT('ä', 4194304), REPEAT('Ä', 4194304)) = 'a'", 4 * mega},
	{"SELECT JSON_EXTRACT('{}', CONCAT('$.', REPEAT('a', 8388608)), CONCAT('$', REPEAT(' ', 8388608)))", 3 * mega},
	{"SELECT STR_TO_DATE(REPEAT('1 ', 1048576), REPEAT('%d ', 1048576))", 3 * mega},
	{"SET @a = LOCATE(CONCAT(REPEAT('a', 1048576), 'b'), REPEAT('a', 4194304))", 4 * mega},
	{"SHOW VARIABLES LIKE '%" + strings.Repeat("i", mega/4) + "'", 4 * mega},
	{"SHOW COLLATION LIKE '" + strings.Repeat("i", mega/4) + "'", 4 * mega},
	{"DO LOCATE(CONCAT(REPEAT('a', 1048576), 'b'), REPEAT('a', 4194304))", 4 * mega},
	{"SELECT 1 WHERE 1 IN (" + strings.Repeat("2,", 100_000) + "3)", 16 * mega},
	{"SELECT 1 WHERE 1 IN (" + strings.Repeat("@x,", 100_000) + "3)", 16 * mega},
	{"SET @a = 1" + strings.Repeat(", @a = 1", 100_000), 64 * mega},
	{"SELECT COUNT(*) FROM t$f WHERE K IN (" + strings.Repeat("'k',", 100_000) + "'z')", 16 * mega},
	{"SELECT COUNT(*) FROM t$f WHERE (K, Q) IN (" + strings.Repeat("('k','q'),", 50_000) + "('z','z'))", 16 * mega},
	{"INSERT INTO t$f VALUES " + strings.Repeat("('k','q',NULL,'v'),", 50_000) + "('k','q',NULL,'v')", 16 * mega},
	{"SELECT '" + strings.Repeat("a", 4*mega) + "' LIKE '" + strings.Repeat("%a", mega) + "'", 5 * mega},
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
	for range runs {
		ctx := newLookingContext(0)
		require.NoError(t, runHostile(ctx, db, h.sql))
		looks = ctx.looks.Load()
		require.GreaterOrEqual(t, looks, int64(h.units/unitsPerLook))
	}
	return looks
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
