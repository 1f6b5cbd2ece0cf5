package hbase

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/timeouts"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// Whatever happens to scanners and regions, no cell is lost and none comes twice.
func TestScansSurvive(t *testing.T) {
	t.Parallel() // it waits most of the time
	cells := someCells(60)
	for _, reverse := range []bool{false, true} {
		want := kvCells(cells, reverse)
		for round := range 25 {
			r := rand.New(rand.NewPCG(uint64(round), 1))
			f := newFake(t, cells, "r010", "r025", "r040")
			f.before = func(n int, method string, request proto.Message) (error, bool) {
				switch r.IntN(20) {
				case 0:
					clear(f.scanners) // the lease has ended
				case 1: // split, merged, moved
					bounds := []string{}
					for _, b := range []string{"r005", "r010", "r025", "r031", "r040", "r059"} {
						if r.IntN(2) == 0 {
							bounds = append(bounds, b)
						}
					}
					f.layOut(bounds...)
				case 2:
					return &rpcError{lost, "", "connection reset"}, false
				case 3:
					return nil, true
				case 4:
					return &rpcError{busy, "", "try later"}, false
				}
				return nil, false
			}
			got := read(t, f.store(), []string{"t$f"}, kv.Scan{Ordered: true, Reverse: reverse, NeedValue: true})
			require.Equal(t, printed(want), printed(got), "reverse %t, round %d", reverse, round)
		}
	}
}

func kvCells(cells []cell, reverse bool) (out []kv.Cell) {
	for _, c := range cells {
		out = append(out, kv.Cell{Row: c.row, Qualifier: c.qualifier, Timestamp: c.timestamp, Value: c.value})
	}
	if reverse {
		slices.Reverse(out)
	}
	return out
}

// A refusal ends a scan with the exception's class and message, without its stack.
func TestScanRefused(t *testing.T) {
	f := newFake(t, someCells(3))
	f.before = func(n int, method string, request proto.Message) (error, bool) {
		return exception("org.apache.hadoop.hbase.security.AccessDeniedException",
			"org.apache.hadoop.hbase.security.AccessDeniedException: Insufficient permissions\n\tat org.apache.X.y(X.java:1)\n"), false
	}
	s := f.store()
	txn := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	c, err := txn.Scan(context.Background(), []*kv.Table{txn.Catalog().Table("default", "t$f")}, &kv.Scan{})
	require.NoError(t, err)
	require.False(t, c.Next())
	require.EqualError(t, c.Err(), "org.apache.hadoop.hbase.security.AccessDeniedException: Insufficient permissions")
	require.Equal(t, 1, f.calls)
}

// A server that does not answer causes an error in time, and a cancelled context its own error.
func TestScanTimeouts(t *testing.T) {
	f := newFake(t, someCells(3))
	f.before = func(n int, method string, request proto.Message) (error, bool) {
		return &rpcError{notSent, "", "connection refused"}, false
	}
	s := f.store()
	s.cluster.timeout = 300 * time.Millisecond
	err := s.cluster.onRegion(context.Background(), "t", []byte("r"), func(ctx context.Context, r *regionInfo) error {
		_, err := f.call(ctx, r.server, "Multi", &pb.MultiRequest{}, &pb.MultiResponse{})
		return err
	})
	require.ErrorIs(t, err, timeouts.Err)
	require.ErrorContains(t, err, "connection refused")
	s.cluster.timeout = time.Hour
	txn := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	c, err := txn.Scan(ctx, []*kv.Table{txn.Catalog().Table("default", "t$f")}, &kv.Scan{})
	require.NoError(t, err)
	require.False(t, c.Next())
	require.Equal(t, context.DeadlineExceeded, c.Err())
}

// If a scanner's request times out while the caller's time is not up, its cells are lost: the
// scan fails, and does not continue after them.
func TestScanRequestTooLate(t *testing.T) {
	f := newFake(t, someCells(30))
	f.before = func(n int, method string, request proto.Message) (error, bool) {
		if n != 2 {
			return nil, false
		}
		for _, scanner := range f.scanners {
			scanner.left = scanner.left[3:]
		}
		return context.DeadlineExceeded, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	txn := kvtest.Begin(f.store(), kv.TxnOptions{ReadOnly: true})
	c, err := txn.Scan(ctx, []*kv.Table{txn.Catalog().Table("default", "t$f")}, &kv.Scan{})
	require.NoError(t, err)
	for c.Next() {
	}
	require.Error(t, c.Err())
}

// In the latest view the servers get no filter that would change which version is the newest:
// no filter of values, nor of timestamps except the scan's own range.
func TestNothingMorePushed(t *testing.T) {
	allowed := map[string]bool{filters + "KeyOnlyFilter": true, filters + "ColumnRangeFilter": true, filters + "FilterList": true, filters + "MultiRowRangeFilter": true}
	at := func(row, q string, ts int64, d kv.Depth) kv.Position {
		return kv.Position{Row: []byte(row), Qualifier: []byte(q), Timestamp: ts, Depth: d}
	}
	for _, s := range []kv.Scan{
		{MaxVersions: 1},
		{MaxVersions: 1, NeedValue: true, FirstPerRow: true},
		{MaxVersions: 1, Ranges: []kv.Range{{Start: at("r001", "q", 5, kv.DepthCell), End: at("r003", "q", 7, kv.DepthCell)}}},
		{MaxVersions: 1, Ranges: []kv.Range{{Start: at("r001", "a", 5, kv.DepthCell), End: at("r001", "q", 7, kv.DepthCell)}}},
		{MaxVersions: 1, Qualifiers: []kv.QualifierRange{{Start: []byte("a"), End: []byte("b")}, {Start: []byte("x")}}},
		{MaxVersions: 1, Time: kv.TimeRange{Min: 3, Max: 9, Bounded: true}},
	} {
		for _, p := range piecesOf(&s, &kv.Table{Partitioning: &partition.Scheme{}}) {
			q, some := queryFor(&s, [][]byte{[]byte("f")}, &p)
			require.True(t, some)
			var names func(*pb.Filter)
			names = func(f *pb.Filter) {
				require.True(t, allowed[f.GetName()], f.GetName())
				if list := (&pb.FilterList{}); f.GetName() == filters+"FilterList" {
					require.NoError(t, proto.Unmarshal(f.GetSerializedFilter(), list))
					for _, inner := range list.GetFilters() {
						names(inner)
					}
				}
			}
			if q.filter != nil {
				names(q.filter)
			}
			require.Equal(t, uint64(max(s.Time.Min, 0)), q.times.GetFrom(), "%+v", p)
			if !s.Time.Bounded {
				require.EqualValues(t, maxTimestamp+1, q.times.GetTo())
			}
			if p.anyVersion { // the versions that the range leaves are counted here
				require.Greater(t, q.maxVersions, uint32(1))
			}
		}
	}
}

// write returns a transaction that has read a column and written it.
func write(t *testing.T, s *Store) kv.Txn {
	t.Helper()
	ctx := context.Background()
	txn := kvtest.Begin(s, kv.TxnOptions{})
	table := txn.Catalog().Table("default", "t$f")
	p := kv.Position{Row: []byte("r001"), Qualifier: []byte("q0"), Depth: kv.DepthColumn}
	c, err := txn.Scan(ctx, []*kv.Table{table}, &kv.Scan{Ranges: []kv.Range{{Start: p, End: behind(p)}}, MaxVersions: 1, NeedValue: true, Ordered: true})
	require.NoError(t, err)
	for c.Next() {
	}
	require.NoError(t, c.Err())
	require.NoError(t, txn.Put(ctx, table, kv.Cell{Row: p.Row, Qualifier: p.Qualifier, Timestamp: 99, Value: []byte("next")}))
	return txn
}

// A mutation whose response was lost is only sent again if it cannot be done twice, and an
// unknown outcome is reported.
func TestLostAnswers(t *testing.T) {
	lostAt := func(f *fakeServers, executed bool, times int) {
		n := 0
		f.before = func(_ int, method string, _ proto.Message) (error, bool) {
			if n++; method != "Mutate" || n > times {
				return nil, false
			}
			if executed {
				return nil, true
			}
			return &rpcError{lost, "", "connection reset"}, false
		}
	}
	setup := func() (*fakeServers, *Store, kv.Txn) {
		f := newFake(t, someCells(3))
		s := f.store()
		txn := write(t, s)
		f.holds = func() bool { return f.done == 0 } // the mutation ends its condition
		return f, s, txn
	}
	t.Run("NotExecuted", func(t *testing.T) {
		f, _, txn := setup()
		lostAt(f, false, 1)
		require.NoError(t, txn.Commit(context.Background()))
		require.Equal(t, 1, f.done)
	})
	t.Run("Executed", func(t *testing.T) {
		f, _, txn := setup()
		lostAt(f, true, 1)
		err := txn.Commit(context.Background())
		require.ErrorIs(t, err, kv.ErrOutcomeUnknown)
		require.NotErrorIs(t, err, kv.ErrConflict)
		require.Equal(t, 1, f.done)
	})
	t.Run("LostTwice", func(t *testing.T) {
		f, _, txn := setup()
		lostAt(f, false, 2)
		require.ErrorIs(t, txn.Commit(context.Background()), kv.ErrOutcomeUnknown)
	})
	t.Run("Unconditional", func(t *testing.T) {
		f := newFake(t, someCells(3))
		txn := kvtest.Begin(f.store(), kv.TxnOptions{})
		require.NoError(t, txn.Put(context.Background(), txn.Catalog().Table("default", "t$f"), kv.Cell{Row: []byte("r"), Timestamp: 1, Value: []byte("v")}))
		lostAt(f, true, 1)
		require.ErrorIs(t, txn.Commit(context.Background()), kv.ErrOutcomeUnknown)
		require.Equal(t, []string{"Mutate"}, f.sent)
	})
	t.Run("Conflict", func(t *testing.T) {
		f, _, txn := setup()
		f.holds = func() bool { return false }
		require.ErrorIs(t, txn.Commit(context.Background()), kv.ErrConflict)
	})
	t.Run("Moved", func(t *testing.T) {
		f, _, txn := setup()
		n := 0
		f.before = func(_ int, method string, _ proto.Message) (error, bool) {
			if n++; n == 1 {
				f.layOut("r001")
				return &rpcError{moved, "", "moved"}, false
			}
			return nil, false
		}
		require.NoError(t, txn.Commit(context.Background()))
		require.Equal(t, 1, f.done)
	})
}

// TestMasterAway uses a cluster whose master does not answer: regions are served for a while
// with the old catalog, and then the error says what is wrong.
func TestMasterAway(t *testing.T) {
	f := newFake(t, someCells(3))
	asked := 0
	f.before = func(_ int, method string, _ proto.Message) (error, bool) {
		asked++
		return errors.New("no master: " + method), false
	}
	s := f.store()
	s.cluster.find = func(context.Context, string) (string, error) { return "s0:1", nil }
	age := func(read, tried time.Duration) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.read, s.tried = time.Now().Add(-read), time.Now().Add(-tried)
	}
	ctx := context.Background()

	age(2*fresh, 2*fresh)
	txn, err := s.Begin(ctx, kv.TxnOptions{})
	require.NoError(t, err)
	require.Positive(t, asked)
	asked = 0
	require.NoError(t, txn.Renew(ctx))
	require.Zero(t, asked, "it was asked a moment ago")

	age(2*stale, 2*fresh)
	_, err = s.Catalog(ctx)
	require.ErrorContains(t, err, "no master")
	asked = 0
	_, err = s.Begin(ctx, kv.TxnOptions{})
	require.ErrorContains(t, err, "no master")
	require.ErrorContains(t, txn.Renew(ctx), "no master")
	require.Zero(t, asked, "it was asked a moment ago")

	age(2*fresh, 2*fresh)
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.Catalog(over)
	require.ErrorIs(t, err, context.Canceled)
	s.loading <- struct{}{}
	age(2*stale, 2*fresh)
	waiting, done := context.WithTimeout(ctx, time.Millisecond)
	defer done()
	require.ErrorIs(t, txn.Renew(waiting), context.DeadlineExceeded)
	<-s.loading

	s.mu.Lock()
	s.cluster.closed.Store(true)
	s.mu.Unlock()
	_, err = s.Begin(ctx, kv.TxnOptions{})
	require.ErrorIs(t, err, kv.ErrClosed)
}

// TestFullDisk uses a cluster that cannot flush or write its log, since its disks are full: a
// region then refuses writes while its memory is used up, and says what is wrong. The commit
// fails in time and nothing of it is done, reads continue, and writes continue by themselves
// once there is room. If the log could not be synced, the outcome is unknown.
func TestFullDisk(t *testing.T) {
	ctx := context.Background()
	full := exception("org.apache.hadoop.hbase.RegionTooBusyException",
		"org.apache.hadoop.hbase.RegionTooBusyException: Over memstore limit=512.0 M, regionName=r1\n\tat java")
	room := false
	f := newFake(t, someCells(3))
	f.before = func(_ int, method string, _ proto.Message) (error, bool) {
		if method == "Mutate" && !room {
			return full, false
		}
		return nil, false
	}
	f.holds = func() bool { return true }
	s := f.store()
	s.cluster.timeout = 300 * time.Millisecond
	err := write(t, s).Commit(ctx)
	require.ErrorIs(t, err, timeouts.Err)
	require.ErrorContains(t, err, "RegionTooBusyException: Over memstore limit")
	require.NotErrorIs(t, err, kv.ErrOutcomeUnknown)
	require.Zero(t, f.done)
	require.Greater(t, len(slices.DeleteFunc(f.sent, func(m string) bool { return m != "Mutate" })), 1, "it is tried again")

	txn := write(t, s) // it reads first
	room = true
	require.NoError(t, txn.Commit(ctx))
	require.Equal(t, 1, f.done)

	f.before = func(_ int, method string, _ proto.Message) (error, bool) {
		if method == "Mutate" {
			return exception("org.apache.hadoop.hbase.regionserver.wal.FailedSyncBeforeLogCloseException", "no space left\n\tat java"), false
		}
		return nil, false
	}
	f.holds = func() bool { return f.done == 1 }
	require.ErrorIs(t, write(t, s).Commit(ctx), kv.ErrOutcomeUnknown)
}
