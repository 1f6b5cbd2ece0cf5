package hbase

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// TestCrash kills the one HBase in the middle of writes and scans and starts it
// again: what was acknowledged is there, and a scan is complete or an error. It ends
// the HBase that HBASEKV_TEST_DIR is the folder of, and so only runs where that is set.
func TestCrash(t *testing.T) {
	s := openTest(t)
	dir := os.Getenv("HBASEKV_TEST_DIR")
	if dir == "" {
		t.Skip("HBASEKV_TEST_DIR does not name the folder of hbase-local")
	}
	name := newName()
	makeTable(t, s, name, splits, familySchema("a", behaviours["Ours"]...))
	db := openSQL(t, "")
	db.SetMaxOpenConns(8)
	a := "`" + name + "$a`"
	const before = 500
	for i := range before {
		exec1(t, db, "INSERT INTO "+a+" VALUES (?, 'q', 1, 'v')", fmt.Sprintf("b%05d", i))
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	acknowledged, unknown := map[string]bool{}, 0
	stop := make(chan struct{})
	running := func() bool {
		select {
		case <-stop:
			return false
		default:
			return true
		}
	}
	for w := range 4 {
		all.Go(func() {
			for i := 0; running(); i++ {
				k := fmt.Sprintf("w%d-%06d", w, i)
				_, err := db.Exec("INSERT INTO "+a+" VALUES (?, 'q', 1, 'v')", k)
				mu.Lock()
				if err == nil {
					acknowledged[k] = true
				} else {
					unknown++
				}
				mu.Unlock()
			}
		})
	}
	all.Go(func() {
		for running() {
			var n int
			err := db.QueryRow("SELECT COUNT(*) FROM " + a + " WHERE K LIKE 'b%'").Scan(&n)
			if err == nil && n != before {
				t.Errorf("a scan gave %d of %d rows", n, before)
			}
		}
	})
	time.Sleep(time.Second)
	_, err := localHBase("kill", dir)
	require.NoError(t, err)
	_, err = localHBase("start", dir)
	require.NoError(t, err)
	deadline := time.Now().Add(90 * time.Second)
	for mu.Lock(); len(acknowledged) == 0; mu.Lock() {
		mu.Unlock()
		require.True(t, time.Now().Before(deadline))
	}
	mu.Unlock()
	for {
		_, err := db.Exec("REPLACE INTO " + a + " VALUES ('z', 'q', 1, 'v')")
		if err == nil {
			break
		}
		require.True(t, time.Now().Before(deadline), "%v", err)
	}
	close(stop)
	all.Wait()
	there := map[string]bool{}
	for _, c := range read(t, s, []string{name + "$a"}, kv.Scan{Ordered: true}) {
		there[string(c.Row)] = true
	}
	for k := range acknowledged {
		require.True(t, there[k], "%s was acknowledged", k)
	}
	t.Logf("%d writes acknowledged, %d failed, %d rows there", len(acknowledged), unknown, len(there))
}
