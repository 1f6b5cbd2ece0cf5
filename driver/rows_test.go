package driver

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScanDestinations(t *testing.T) {
	db := openTable(t)
	_, err := db.Exec("INSERT INTO g$f VALUES (?, '', ?, NULL), ('l', ?, ?, 'text')", []byte{0, 'k', 0xff}, math.MinInt64, []byte{0xff}, math.MaxInt64)
	require.NoError(t, err)
	var k, q, v any
	var n int64
	require.NoError(t, db.QueryRow("SELECT * FROM g$f WHERE Q = ''").Scan(&k, &q, &n, &v))
	require.Equal(t, []any{[]byte{0, 'k', 0xff}, []byte{}, int64(math.MinInt64), nil}, []any{k, q, n, v})
	var text string
	var b []byte
	var null sql.NullString
	require.NoError(t, db.QueryRow("SELECT K, Q, V, V FROM g$f WHERE K = 'l'").Scan(&text, &b, &v, &null))
	require.Equal(t, "l", text)
	require.Equal(t, []byte{0xff}, b)
	require.Equal(t, []byte("text"), v)
	require.Equal(t, sql.NullString{String: "text", Valid: true}, null)
	var u uint64
	var f float64
	require.NoError(t, db.QueryRow("SELECT CAST(18446744073709551615 AS UNSIGNED), 0.5 + 1e0").Scan(&u, &f))
	require.Equal(t, uint64(math.MaxUint64), u)
	require.Equal(t, 1.5, f)
}

// keeper is a Scanner that keeps its slice.
type keeper struct{ b []byte }

func (k *keeper) Scan(v any) error {
	k.b, _ = v.([]byte)
	return nil
}

// TestBytesOfARow: what RawBytes and a Scanner receive is valid until the next
// row, everything else for ever.
func TestBytesOfARow(t *testing.T) {
	db := openTable(t)
	fill(t, db, 3000)
	rows, err := db.Query("SELECT K, V, K, V, T, Q FROM g$f")
	require.NoError(t, err)
	defer rows.Close()
	var kept [][5]any
	for i := 0; rows.Next(); i++ {
		var raw sql.RawBytes
		var scanner keeper
		var b []byte
		var s string
		var v, n any
		require.NoError(t, rows.Scan(&raw, &scanner, &b, &s, &n, &v))
		require.Equal(t, fmt.Sprintf("row%06d", i), string(raw))
		require.Equal(t, fmt.Sprintf("value%d", i), string(scanner.b))
		require.Equal(t, len(raw), cap(raw), "no capacity behind")
		require.Equal(t, len(scanner.b), cap(scanner.b))
		kept = append(kept, [5]any{string(raw), b, s, n, v})
	}
	require.NoError(t, rows.Err())
	require.Len(t, kept, 3000)
	for i, k := range kept {
		require.Equal(t, k[0], string(k[1].([]byte)))
		require.Equal(t, fmt.Sprintf("value%d", i), k[2])
		require.IsType(t, int64(0), k[3])
		require.IsType(t, []byte{}, k[4])
	}
}

// TestBytesOutliveACancellation: the rows of a cancelled statement are closed at
// any time, and bytes that a Scanner has kept do not change.
func TestBytesOutliveACancellation(t *testing.T) {
	db := openTable(t)
	fill(t, db, 100)
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		rows, err := db.QueryContext(ctx, "SELECT K, V FROM g$f")
		require.NoError(t, err)
		require.True(t, rows.Next())
		var k, v keeper
		require.NoError(t, rows.Scan(&k, &v))
		cancel()
		var n int // uses the connection, and the memory that the rows have left
		require.NoError(t, db.QueryRow("SELECT COUNT(*), MAX(K), MAX(V) FROM g$f WHERE K > 'row000003'").Scan(&n, new(string), new(string)))
		require.Equal(t, "row000000", string(k.b))
		require.Equal(t, "value0", string(v.b))
		rows.Close()
	}
}

// TestBytesOutliveRows: what a Scanner has kept of the last row does not change,
// wherever the reading ended and whatever the connection does then.
func TestBytesOutliveRows(t *testing.T) {
	db := openTable(t)
	db.SetMaxOpenConns(1)
	const cells = 300
	fill(t, db, cells)
	tables := []struct{ table, behind string }{{"g$f", ""}, {"large$f", strings.Repeat("large", 1500)}, {"long$f", strings.Repeat("long", 20_000)}}
	for _, c := range tables[1:] {
		run(t, db, "CREATE TABLE "+c.table+" (K varbinary(1024), Q varbinary(256), T bigint, V mediumblob, PRIMARY KEY (K, Q, T))",
			"INSERT INTO "+c.table+" SELECT K, Q, T, CONCAT(V, '"+c.behind+"') FROM g$f")
	}
	for _, c := range tables {
		for at := 1; at <= cells; at += 1 + at/8 {
			for _, end := range []string{"close", "cancel", "limit"} {
				query, wanted := "SELECT K, Q, T, V FROM "+c.table, at
				if end == "limit" {
					query, wanted = fmt.Sprintf("%s LIMIT %d", query, at), cells
				}
				k, v := keepLast(t, db, query, wanted, end == "cancel")
				var other string
				for _, table := range []string{"g$f", "large$f", c.table} {
					require.NoError(t, db.QueryRow("SELECT MAX(V) FROM (SELECT K, Q, T, V FROM "+table+" LIMIT 1000000) x").Scan(&other))
					_, _ = keepLast(t, db, "SELECT Q, K, V, T FROM "+table, cells, false)
				}
				require.Equal(t, fmt.Sprintf("row%06d", at-1), string(k), "%s after %d", end, at)
				require.Equal(t, fmt.Sprintf("value%d", at-1)+c.behind, string(v), "%s after %d", end, at)
			}
		}
	}
}

// keepLast reads at most that many rows, and returns what Scanners have kept of
// the last one's first and last column.
func keepLast(t *testing.T, db *sql.DB, query string, most int, cancelled bool) (first, last []byte) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rows, err := db.QueryContext(ctx, query)
	require.NoError(t, err)
	defer rows.Close()
	for n := 0; n < most && rows.Next(); n++ {
		var k, v keeper
		require.NoError(t, rows.Scan(&k, new(any), new(any), &v))
		first, last = k.b, v.b
	}
	if cancelled {
		cancel()
	}
	return first, last
}

func TestColumnTypes(t *testing.T) {
	db := openTable(t)
	run(t, db, `CREATE TABLE blobs (K varbinary(20), Q varbinary(30), T bigint, V mediumblob NOT NULL,
		P varbinary(4) GENERATED ALWAYS AS (substring(K, 1, 4)), PRIMARY KEY (K, Q, T))`)
	for _, c := range []struct {
		query    string
		name     string
		nullable bool
		length   int64 // -1: not a type of variable length
		scan     reflect.Type
	}{
		{"SELECT K FROM g$f", "VARBINARY", false, 1024, reflect.TypeFor[[]byte]()},
		{"SELECT Q FROM g$f", "VARBINARY", false, 256, reflect.TypeFor[[]byte]()},
		{"SELECT T FROM g$f", "BIGINT", false, -1, reflect.TypeFor[int64]()},
		{"SELECT V FROM g$f", "VARBINARY", true, 1 << 20, reflect.TypeFor[[]byte]()},
		{"SELECT V FROM blobs", "MEDIUMBLOB", false, 1<<24 - 1, reflect.TypeFor[[]byte]()},
		{"SELECT P FROM blobs", "VARBINARY", true, 4, reflect.TypeFor[[]byte]()},
		{"SELECT COUNT(*) FROM g$f", "BIGINT", false, -1, reflect.TypeFor[int64]()},
		{"SELECT MAX(T) FROM g$f", "BIGINT", true, -1, reflect.TypeFor[sql.NullInt64]()},
		{"SELECT 1", "INT", false, -1, reflect.TypeFor[int32]()},
		{"SELECT 'x'", "VARCHAR", false, 1, reflect.TypeFor[string]()},
		{"SELECT NOW()", "DATETIME", false, -1, reflect.TypeFor[string]()},
		{"SELECT 1.5e0", "DOUBLE", false, -1, reflect.TypeFor[float64]()},
		{"SELECT 1.50", "DECIMAL", false, -1, reflect.TypeFor[string]()},
		{"SELECT CAST(1 AS UNSIGNED)", "UNSIGNED BIGINT", false, -1, reflect.TypeFor[uint64]()},
		{"SELECT NULL", "NULL", true, -1, reflect.TypeFor[any]()},
	} {
		rows, err := db.Query(c.query)
		require.NoError(t, err, c.query)
		types, err := rows.ColumnTypes()
		require.NoError(t, err)
		require.NoError(t, rows.Close())
		nullable, known := types[0].Nullable()
		require.True(t, known)
		length, ok := types[0].Length()
		if !ok {
			length = -1
		}
		require.Equal(t, c.name, types[0].DatabaseTypeName(), c.query)
		require.Equal(t, c.scan, types[0].ScanType(), c.query)
		require.Equal(t, c.nullable, nullable, c.query)
		require.Equal(t, c.length, length, c.query)
	}
}

func TestDecimalSize(t *testing.T) {
	rows, err := open(t, MemoryPath).Query("SELECT CAST(1.5 AS DECIMAL(10, 3)), CAST(1 AS DECIMAL(7)), 'x', NOW(3)")
	require.NoError(t, err)
	defer rows.Close()
	types, err := rows.ColumnTypes()
	require.NoError(t, err)
	var got [][2]int64
	for _, c := range types {
		precision, scale, _ := c.DecimalSize()
		got = append(got, [2]int64{precision, scale})
	}
	require.Equal(t, [][2]int64{{10, 3}, {7, 0}, {0, 0}, {3, 3}}, got)
}

// TestScanTypesScan: every value can be scanned into the type that its column
// names.
func TestScanTypesScan(t *testing.T) {
	db := openTable(t)
	run(t, db, "INSERT INTO g$f VALUES ('k', 'q', 1, NULL), ('l', 'q', 1, 'v')")
	rows, err := db.Query("SELECT K, Q, T, V, MAX(T), 1, 'x', 1.5, NOW(), NULL, COUNT(*), CAST(T AS UNSIGNED), SUM(T) FROM g$f GROUP BY K, Q, T, V")
	require.NoError(t, err)
	defer rows.Close()
	types, err := rows.ColumnTypes()
	require.NoError(t, err)
	n := 0
	for ; rows.Next(); n++ {
		dest := make([]any, len(types))
		for i, c := range types {
			require.NotEqual(t, reflect.TypeFor[sql.RawBytes](), c.ScanType())
			dest[i] = reflect.New(c.ScanType()).Interface()
		}
		require.NoError(t, rows.Scan(dest...))
	}
	require.NoError(t, rows.Err())
	require.Equal(t, 2, n)
}

func TestLabelsAreAsWritten(t *testing.T) {
	db := openTable(t)
	rows, err := db.Query("SELECT k, Q AS qual, `T`, g$f.V, COUNT( * ), 1+1, 'x y', substring(K,1,2) FROM g$f GROUP BY k, Q, T, V")
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	require.Equal(t, []string{"k", "qual", "T", "V", "COUNT( * )", "1+1", "x y", "substring(K,1,2)"}, columns)
}

// TestRowAllocations checks how much a row of a scan allocates in the driver
// and below it.
func TestRowAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("Pebble allocates more under the race detector, to find bytes that are kept too long")
	}
	db := openTable(t)
	val := bytes.Repeat([]byte{7}, 100)
	for i := range 1000 {
		for q := range 5 {
			_, err := db.Exec("REPLACE INTO g$f VALUES (?, ?, ?, ?)", fmt.Sprintf("row%013d", i), string(rune('a'+q)), 1_700_000_000_000+i, val)
			require.NoError(t, err)
		}
	}
	stmt, err := db.Prepare("SELECT K, Q, T, V FROM g$f")
	require.NoError(t, err)
	defer stmt.Close()
	var k, q, v sql.RawBytes
	var ts int64
	dest := []any{&k, &q, &ts, &v}
	scan := func() {
		rows, err := stmt.QueryContext(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	// The minimum of several runs, because the store's own goroutines allocate
	// too.
	allocs := math.Inf(1)
	for range 5 {
		allocs = min(allocs, testing.AllocsPerRun(1, scan))
	}
	t.Logf("%.2f allocations a row", allocs/5000)
	require.LessOrEqual(t, allocs/5000, 3.0)
}
