package hbase

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// meeting makes the scanners of two regions wait for each other before they open.
type meeting struct {
	transport
	mu        sync.Mutex
	open      map[string]bool // regions whose scanners are open
	most      int
	two       chan struct{}
	waitedOut bool
}

func newMeeting(of transport) *meeting {
	return &meeting{transport: of, open: map[string]bool{}, two: make(chan struct{})}
}

func (m *meeting) call(ctx context.Context, to server, method string, request, response proto.Message) ([]byte, error) {
	r, ok := request.(*pb.ScanRequest)
	if !ok || bytes.Equal(r.GetRegion().GetValue(), metaRegion) {
		return m.transport.call(ctx, to, method, request, response)
	}
	region := string(r.GetRegion().GetValue())
	if r.Scan != nil {
		m.mu.Lock()
		m.open[region] = true
		if m.most = max(m.most, len(m.open)); m.most == 2 {
			select {
			case <-m.two:
			default:
				close(m.two)
			}
		}
		m.mu.Unlock()
		select {
		case <-m.two:
		case <-time.After(time.Minute):
			m.waitedOut = true
		}
	}
	cells, err := m.transport.call(ctx, to, method, request, response)
	if scan, ok := response.(*pb.ScanResponse); ok && !scan.GetMoreResultsInRegion() {
		m.mu.Lock()
		delete(m.open, region)
		m.mu.Unlock()
	}
	return cells, err
}

// regioned makes the catalog show the regions.
func regioned(f *fakeServers, s *Store) *Store {
	var names []string
	var upper [][]byte
	for _, r := range f.regions {
		names, upper = append(names, r.encoded()), append(upper, r.end)
	}
	upper[len(upper)-1] = nil
	scheme, err := partition.NewRange(names, upper)
	require.NoError(f.t, err)
	t := s.layout.stored.Tables[0]
	t.Partitioning = scheme
	s.layout.catalog = s.layout.stored.Catalog()
	return s
}

// Aggregates, and scans in any order, read as many regions concurrently as the DSN
// allows, and no more.
func TestRegionsAtOnce(t *testing.T) {
	cells := someCells(60)
	for _, query := range []string{"SELECT COUNT(*) FROM `t$f`", "SELECT K, Q FROM `t$f`", "SELECT K FROM `t$f` WHERE T + 1 > 0 ORDER BY Q LIMIT 300"} {
		f := newFake(t, cells, "r010", "r025", "r040")
		f.regionsShown = true
		m := newMeeting(f)
		f.through = m
		got := rows(t, f.openSQL("?parallelism=2"), query)
		if len(got) == 1 {
			require.Equal(t, fmt.Sprint(len(cells)), got[0])
		} else {
			require.Len(t, got, len(cells), query)
		}
		require.False(t, m.waitedOut, query)
		require.Equal(t, 2, m.most, query)
	}
}

// When regions are read concurrently, the cells of a row stay together, and an error
// or the end of a context is not taken for the end of the scan.
func TestParallelRows(t *testing.T) {
	cells := someCells(60)
	for round := range 20 {
		f := newFake(t, cells, "r010", "r025", "r040")
		s := regioned(f, f.store())
		if round%2 == 1 {
			f.before = func(n int, method string, request proto.Message) (error, bool) {
				if n%7 == 0 {
					clear(f.scanners)
				}
				return nil, false
			}
		}
		got := read(t, s, []string{"t$f"}, kv.Scan{Parallel: 3, NeedValue: true})
		require.Equal(t, printed(kvCells(cells, false)), printed(regionByRegion(got)))
	}
	f := newFake(t, cells, "r010", "r025", "r040")
	s := regioned(f, f.store())
	ctx, cancel := context.WithCancel(context.Background())
	f.before = func(n int, method string, request proto.Message) (error, bool) {
		if n == 9 {
			cancel()
		}
		return nil, false
	}
	txn, err := s.Begin(context.Background(), kv.TxnOptions{ReadOnly: true})
	require.NoError(t, err)
	c, err := txn.Scan(ctx, []*kv.Table{txn.Catalog().Table("default", "t$f")}, &kv.Scan{Parallel: 3})
	require.NoError(t, err)
	for c.Next() {
	}
	require.Equal(t, context.Canceled, c.Err())
	require.NoError(t, c.Close())
}
