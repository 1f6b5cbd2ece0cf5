package pebblekv

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

var (
	sizeHours = flag.Float64("size.hours", 0, "how many hours, by a moved clock, TestSizeUnderTTL writes; 0 skips it")
	sizeRate  = flag.Int("size.rate", 500<<10, "how many bytes it writes in a second of them")
)

// sizeSlack is how many bytes a store may take in addition to twice its live data. A third of an
// hour writes more.
const sizeSlack = 256 << 20

// TestSizeUnderTTL writes to a table with a TTL of a minute, for hours by a moved clock: half of it
// repeatedly to the same columns, half to rows that are written once. The store's size on disk
// stays in proportion to its live data.
func TestSizeUnderTTL(t *testing.T) {
	if *sizeHours == 0 {
		t.Skip("give -size.hours 0.3: in less nothing has to go")
	}
	clock, dir := &handClock{}, t.TempDir()
	s, err := Open(Options{Dir: dir, CollectEvery: time.Second, Now: clock.now})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	createTable(t, s, "g", "a", &partition.Scheme{})
	const ttl, valueBytes = 60, 500
	table := retain(t, s, "g$a", kv.Retention{TTLSeconds: ttl})
	r := rand.New(rand.NewPCG(1, 1))
	live, most := int64(ttl**sizeRate), int64(0)
	value := make([]byte, valueBytes)
	seconds := int64(*sizeHours * 3600)
	for sec := range seconds {
		clock.ms.Store(sec * 1000)
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for n := range *sizeRate / valueBytes {
			for i := range value {
				value[i] = byte(r.Uint32())
			}
			row := fmt.Sprintf("sensor%03d", n%100)
			if n%2 == 0 {
				row = fmt.Sprintf("event%010d.%d", sec, n)
			}
			cell := kv.Cell{Row: []byte(row), Qualifier: []byte("q"), Timestamp: sec*1000 + int64(n), Value: value}
			require.NoError(t, tx.Put(t.Context(), table, cell))
		}
		require.NoError(t, tx.Commit(t.Context()))
		// So little is flushed and, if due, collected within a second.
		for m := s.db.Metrics(); m.Flush.NumInProgress > 0 || s.collections.asked.Load() > 0; m = s.db.Metrics() {
			time.Sleep(time.Millisecond)
		}
		if sec%60 == 0 {
			size := bytesBelow(t, dir)
			most = max(most, size)
			require.LessOrEqual(t, size, 2*live+sizeSlack, "after %d seconds: %v", sec, s.db.Metrics())
		}
	}
	t.Logf("%d bytes written, %d live, at most %d on disk; %+v", seconds*int64(*sizeRate), live, most, s.Collected(table))
}

// bytesBelow returns the size of the files below a directory.
func bytesBelow(t testing.TB, dir string) (n int64) {
	require.NoError(t, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // it was removed meanwhile
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	}))
	return n
}
