package bounds

import (
	"context"
	"database/sql"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// largeGuardTable has that many cells of large values in its first row, and as
// many rows of one cell. The cache holds all of it: blocks that are read again count as allocated in
// builds without cgo, where Pebble has them from Go, and the default cache has eight parts (on two cores),
// which are small beside blocks of 1 MiB.
func largeGuardTable(t *testing.T, cells, size int) *sql.DB {
	db := harness.OpenDB(t, "file:"+t.TempDir()+"?cache=256MiB")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V longblob, PRIMARY KEY (K, Q, T))")
	insert, err := db.Prepare("REPLACE INTO t VALUES (?, ?, 1, ?)")
	require.NoError(t, err)
	defer insert.Close()
	value := make([]byte, size)
	for i := range cells {
		for _, k := range [][2]string{{"row", string(rune('a' + i))}, {"row" + string(rune('a'+i)), "q"}} {
			value[0] = byte(i)
			_, err := insert.Exec(k[0], k[1], value)
			require.NoError(t, err)
		}
	}
	harness.Must(t, db, "FLUSH TABLES")
	return db
}

// TestBytesOfLargeValues limits the bytes allocated to read large values. With
// RawBytes it is the size of one value, the last, whatever their number,
// because all others are copied once into memory that is reused; with a []byte,
// which database/sql allocates for each, it is one value more.
func TestBytesOfLargeValues(t *testing.T) {
	if harness.RaceDetector {
		t.Skip("Pebble allocates more under the race detector, to find bytes that are kept too long")
	}
	const rest = 2 << 10 // for the statement itself
	var raw sql.RawBytes
	var owned []byte
	for _, size := range []int{10 << 10, 1 << 20} {
		const cells = 8
		db := largeGuardTable(t, cells, size)
		for _, c := range []struct {
			name, query string
			rows        int
			to          any
			values      int // allocated
		}{
			{"a cell", "SELECT K, Q, T, V FROM t WHERE K = 'row' AND Q = 'c'", 1, &raw, 1},
			{"a row", "SELECT K, Q, T, V FROM t WHERE K = 'row'", cells, &raw, 1},
			{"a scan", "SELECT K, Q, T, V FROM t", 2 * cells, &raw, 1},
			{"a scan backwards", "SELECT K, Q, T, V FROM t ORDER BY K DESC, Q DESC, T", 2 * cells, &raw, 2},
			{"a scan by V", "SELECT K, Q, T, V FROM t WHERE V > ''", 2 * cells, &raw, 1},
			{"a cell for []byte", "SELECT K, Q, T, V FROM t WHERE K = 'row' AND Q = 'c'", 1, &owned, 2},
			{"a scan for []byte", "SELECT K, Q, T, V FROM t", 2 * cells, &owned, 1 + 2*cells},
			{"keys", "SELECT K, Q, T, K FROM t", 2 * cells, &raw, 0},
			{"lengths", "SELECT K, Q, T, LENGTH(V) FROM t", 2 * cells, new(int), 0},
		} {
			stmt, err := db.Prepare(c.query)
			require.NoError(t, err)
			allocated := bytesPerRun(t, func() {
				rows, err := stmt.Query()
				n := 0
				for ; err == nil && rows.Next(); n++ {
					err = rows.Scan(new(sql.RawBytes), new(sql.RawBytes), new(int64), c.to)
				}
				if err != nil || rows.Err() != nil || n != c.rows {
					t.Fatal(c.query, n, err)
				}
			})
			require.NoError(t, stmt.Close())
			// The rest is what Go adds when it rounds sizes up.
			most := c.values*size + c.values*size/16 + rest + 64*c.rows
			require.LessOrEqual(t, allocated, most, "%s of %d bytes", c.name, size)
		}
	}
}

// bytesPerRun is the minimum of several runs, because the store's own
// goroutines allocate too.
func bytesPerRun(t *testing.T, run func()) int {
	least := math.MaxInt
	var before, after runtime.MemStats
	for range 8 {
		runtime.ReadMemStats(&before)
		run()
		runtime.ReadMemStats(&after)
		least = min(least, int(after.TotalAlloc-before.TotalAlloc))
	}
	return least
}

// TestIdleConnectionsKeepLittle limits the memory of connections that have read
// and written large values: what is free once they are closed.
func TestIdleConnectionsKeepLittle(t *testing.T) {
	const connections, size, most = 8, 2 << 20, 32 << 10
	db := largeGuardTable(t, 4, size)
	db.SetMaxIdleConns(connections)
	var all []*sql.Conn
	for range connections {
		c, err := db.Conn(context.Background())
		require.NoError(t, err)
		require.NoError(t, c.PingContext(context.Background()))
		all = append(all, c)
	}
	value := make([]byte, size)
	for _, c := range all {
		for _, query := range []string{"SELECT K, Q, T, V FROM t", "SELECT K, Q, T, V FROM t WHERE V <> 'x' ORDER BY Q", "SELECT MAX(V), MIN(V), 1, 2 FROM t"} {
			rows, err := c.QueryContext(context.Background(), query)
			require.NoError(t, err)
			for rows.Next() {
				require.NoError(t, rows.Scan(new(sql.RawBytes), new(sql.RawBytes), new(int64), new(sql.RawBytes)))
			}
			require.NoError(t, rows.Err())
		}
		_, err := c.ExecContext(context.Background(), "REPLACE INTO t VALUES ('w', 'q', 1, ?)", value)
		require.NoError(t, err)
	}
	db.SetMaxIdleConns(-1)
	kept := settledHeap()
	for _, c := range all {
		require.NoError(t, c.Close())
	}
	clear(all)
	kept -= settledHeap()
	require.LessOrEqual(t, kept, int64(connections*most), "%d bytes a connection", kept/connections)
}

// settledHeap is harness.LiveHeap without what pools keep until they are collected.
func settledHeap() int64 {
	harness.LiveHeap()
	return harness.LiveHeap()
}
