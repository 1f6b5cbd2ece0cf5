package mysqlserver

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	loadClients = flag.Int("load.clients", 300, "how many clients TestLoad connects")
	loadBusy    = flag.Int("load.busy", 64, "how many of them are at work")
	loadTime    = flag.Duration("load.time", time.Second, "how long they work")
	loadRows    = flag.Int("load.rows", 200_000, "how many rows one of them reads in one result")
)

const (
	loadKeys = 500
	// idleMost is how much an idle connection may take of the server, and loadMost how
	// much more it may take at the end of the work than after a tenth of it.
	idleMost = 64 << 10
	loadMost = 48 << 20
)

// TestLoad lets many clients, some of which work, run for some time: there is no error,
// and the server takes no more memory at the end than soon after the beginning. The
// race detector's own memory grows with what goroutines touch: with it, only errors
// count.
func TestLoad(t *testing.T) {
	t.Parallel()
	socket := startAlone(t, "file:"+t.TempDir()+"?sync=false&cache=16MiB&lockTimeout=60s")
	first := dialPlain(t, socket, "default")
	first.query("CREATE TABLE load_t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))")
	for i := range loadKeys {
		first.query(fmt.Sprintf("INSERT INTO load_t VALUES ('key%03d', 'a', 1, '0'), ('key%03d', 'b', 1, 'some value')", i, i))
	}
	before := first.resident()
	clients := make([]*plainClient, *loadClients)
	for i := range clients {
		clients[i] = dialPlain(t, socket, "default")
		clients[i].query("SELECT V FROM load_t WHERE K = 'key001'")
	}
	idle := (first.resident() - before) / len(clients)
	t.Logf("%d bytes of the server an idle connection", idle)
	require.True(t, raceDetector || idle < idleMost)

	var done atomic.Int64
	var working sync.WaitGroup
	end := time.Now().Add(*loadTime)
	for i := range min(*loadBusy, len(clients)) {
		working.Go(func() { work(clients[i], rand.New(rand.NewPCG(1, uint64(i))), end, &done) })
	}
	working.Go(func() {
		require.Equal(t, *loadRows, dialPlain(t, socket, "default").query(fmt.Sprintf(
			"SELECT a.K, a.V FROM load_t a JOIN load_t b JOIN load_t c LIMIT %d", *loadRows)))
	})
	time.Sleep(*loadTime / 10)
	early, most := first.resident(), 0
	for time.Now().Before(end) {
		most = max(most, first.resident())
		time.Sleep(*loadTime / 20)
	}
	working.Wait()
	late := first.resident()
	t.Logf("%d statements; %d MiB after a tenth of the time, at most %d, %d at the end", done.Load(), early>>20, most>>20, late>>20)
	require.True(t, raceDetector || max(most, late) < early+loadMost)
	// The first client, which reads the rows, and the server's own session.
	require.Equal(t, len(clients)+3, first.query("SHOW PROCESSLIST"))
}

// work runs statements of all kinds until the end. What it writes replaces what was
// there.
func work(c *plainClient, r *rand.Rand, end time.Time, done *atomic.Int64) {
	row := c.prepare("SELECT Q, T, V FROM load_t WHERE K = ?")
	replace := c.prepare("REPLACE INTO load_t VALUES (?, 'b', 1, ?)")
	scan := c.prepare("SELECT K, Q, T, V FROM load_t WHERE K >= ? ORDER BY K LIMIT 50")
	key := func() string { return fmt.Sprintf("key%03d", r.IntN(loadKeys)) }
	for ; time.Now().Before(end); done.Add(1) {
		switch r.IntN(10) {
		case 0:
			c.execute(replace, key(), fmt.Sprint(r.Uint64()))
		case 1:
			c.execute(scan, key())
		case 2:
			c.query("BEGIN")
			c.query("REPLACE INTO load_t VALUES ('" + key() + "', 'a', 1, 'x')")
			c.query([]string{"COMMIT", "ROLLBACK"}[r.IntN(2)])
		case 3:
			c.query("SELECT COUNT(*), MAX(V) FROM load_t WHERE K < '" + key() + "'")
		default:
			if n := c.execute(row, key()); n != 2 {
				c.fail("%d cells in place of 2", n)
			}
		}
	}
}
