package hbase

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// readSome opens a cursor that ends after some cells, or with its context.
func readSome(t *testing.T, ctx context.Context, s *Store, table *kv.Table, scan *kv.Scan, cells int) {
	txn := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	c, err := txn.Scan(ctx, []*kv.Table{table}, scan)
	if err != nil {
		require.ErrorIs(t, err, context.Canceled)
		return
	}
	for range cells {
		if !c.Next() {
			break
		}
	}
	c.Close()
}

// However a scan ends, no scanner is left open, not even one that was being opened.
func TestScannersClosed(t *testing.T) {
	t.Parallel() // it waits most of the time
	cells := someCells(60)
	for round := range 400 {
		r := rand.New(rand.NewPCG(uint64(round), 2))
		f := newFake(t, cells, "r010", "r025", "r040")
		f.regionsShown = round%2 == 0
		ctx, cancel := context.WithCancel(context.Background())
		last := r.IntN(60)
		f.before = func(n int, method string, request proto.Message) (error, bool) {
			if n == last {
				cancel()
				time.Sleep(time.Millisecond)
			}
			// If the response that opens a scanner is lost, it stays open until its
			// lease ends.
			scan, ok := request.(*pb.ScanRequest)
			return nil, ok && scan.Scan == nil && r.IntN(30) == 0
		}
		s := f.store()
		table := s.layout.catalog.Table("default", "t$f")
		readSome(t, ctx, s, table, &kv.Scan{Ordered: r.IntN(2) == 0, Reverse: r.IntN(3) == 0, NeedValue: true}, r.IntN(200))
		cancel()
		require.NoError(t, s.Close())
		f.mu.Lock()
		require.Empty(t, f.scanners, "round %d", round)
		f.mu.Unlock()
	}
}

// activeScanners returns how many open scanners the server of hbase-local reported
// some seconds ago; -1 if it has not reported yet.
func activeScanners(t *testing.T) int {
	host, port, err := net.SplitHostPort(strings.Split(quorumOfTests, ",")[0])
	require.NoError(t, err)
	n, err := strconv.Atoi(port)
	require.NoError(t, err)
	answer, err := http.Get(fmt.Sprintf("http://%s/jmx?qry=Hadoop:service=HBase,name=RegionServer,sub=Server", net.JoinHostPort(host, strconv.Itoa(n+12))))
	if err != nil {
		t.Skipf("the region server shows no metrics: %v", err)
	}
	defer answer.Body.Close()
	var all struct {
		Beans []struct {
			Active *int `json:"activeScanners"`
		} `json:"beans"`
	}
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&all))
	for _, b := range all.Beans {
		if b.Active != nil {
			return *b.Active
		}
	}
	return -1
}

// The server's own count of open scanners is back to what it was, long before leases end.
func TestLiveScannersClosed(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, [][]byte{[]byte("r2"), []byte("r4"), []byte("r6")}, familySchema("a", behaviours["Ours"]...))
	txn := kvtest.Begin(s, kv.TxnOptions{})
	table := txn.Catalog().Table("default", name+"$a")
	txn.Rollback()
	value := bytes.Repeat([]byte("v"), 100_000)
	for i := range 80 {
		txn := kvtest.Begin(s, kv.TxnOptions{})
		require.NoError(t, txn.Put(context.Background(), table, kv.Cell{Row: fmt.Appendf(nil, "r%d%03d", i/10, i), Qualifier: []byte("q"), Timestamp: 1, Value: value}))
		require.NoError(t, txn.Commit(context.Background()))
	}
	// Scanners left by lost connections of other tests end with their leases.
	require.Eventually(t, func() bool { return activeScanners(t) == 0 }, 90*time.Second, time.Second)
	r := rand.New(rand.NewPCG(testseed.Of(t), 3))
	for range 300 {
		ctx, cancel := context.WithCancel(context.Background())
		if r.IntN(2) == 0 {
			time.AfterFunc(time.Duration(r.IntN(20_000))*time.Microsecond, cancel)
		}
		readSome(t, ctx, s, table, &kv.Scan{Ordered: r.IntN(2) == 0, Reverse: r.IntN(3) == 0, NeedValue: true}, r.IntN(90))
		cancel()
	}
	// An open scanner shows when the figure is current.
	txn = kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	c, err := txn.Scan(context.Background(), []*kv.Table{table}, &kv.Scan{Ordered: true, NeedValue: true})
	require.NoError(t, err)
	defer c.Close()
	require.True(t, c.Next())
	require.Eventually(t, func() bool { return activeScanners(t) == 1 }, time.Minute, 500*time.Millisecond)
}

// heldScans is a transport that holds scanners of regions open until released.
type heldScans struct {
	transport
	release chan struct{}
}

func (h *heldScans) call(ctx context.Context, to server, method string, request, response proto.Message) ([]byte, error) {
	cells, err := h.transport.call(ctx, to, method, request, response)
	if r, ok := request.(*pb.ScanRequest); ok && r.Scan != nil && !bytes.Equal(r.GetRegion().GetValue(), metaRegion) {
		<-h.release
	}
	return cells, err
}

// storeOf passes a Store to a sql.DB.
type storeOf struct{ *Store }

func (s storeOf) storeOfSQL() *Store { return s.Store }

// A COUNT(*) over four regions has two regions' scanners open at once, as the server
// itself reports.
func TestLiveRegionsAtOnce(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, [][]byte{[]byte("k0001000"), []byte("k0002000"), []byte("k0003000")}, familySchema("a", behaviours["Ours"]...))
	const n = 400
	fillRaw(t, s, name, n, []byte("v"))
	require.Eventually(t, func() bool { return activeScanners(t) == 0 }, 90*time.Second, 500*time.Millisecond)
	own, err := Open(context.Background(), Options{Quorum: strings.Split(quorumOfTests, ","), ScanCaching: 10})
	require.NoError(t, err)
	held := &heldScans{own.cluster.rpc, make(chan struct{})}
	own.cluster.rpc = held
	db := openSQLOf(t, storeOf{own}, "?parallelism=2")
	answer := make(chan any, 1)
	go func() {
		var got int
		if err := db.QueryRow("SELECT COUNT(*) FROM `" + name + "$a`").Scan(&got); err != nil {
			answer <- err
		} else {
			answer <- got
		}
	}()
	release := sync.OnceFunc(func() { close(held.release) })
	defer release()
	require.Eventually(t, func() bool { return activeScanners(t) == 2 }, time.Minute, 200*time.Millisecond)
	release()
	require.Equal(t, any(n), <-answer)
}
