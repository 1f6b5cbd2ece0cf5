package hbaseserver_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// heap is the size of the live heap.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// peakWhile is how far the heap grows while fn runs.
func peakWhile(fn func()) int64 {
	before, over := heap(), make(chan struct{})
	var peak atomic.Int64
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), int64(m.HeapAlloc)))
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	fn()
	close(over)
	looking.Wait()
	return peak.Load() - before
}

// TestIdleConnections serves a client beside a thousand idle ones, each of which takes little memory, and
// frees their memory when they disconnect.
func TestIdleConnections(t *testing.T) {
	const idle, each = 1000, 64 << 10 // of client and server
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.raw("ClientService")
	s.fill(c, "t", "a")
	goroutines, before, others := runtime.NumGoroutine(), heap(), s.figure("hbasekv_connections..")
	var conns []*rawClient
	for range idle {
		raw := s.raw("MasterService")
		running(t, raw)
		conns = append(conns, raw)
	}
	require.Less(t, heap()-before, int64(idle*each))
	s.fill(c, "t", "b")
	require.EqualValues(t, idle, s.figure("hbasekv_connections..")-others)
	for _, raw := range conns {
		require.NoError(t, raw.conn.Close())
	}
	require.Eventually(t, func() bool { return s.figure("hbasekv_connections..") <= others }, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool { return runtime.NumGoroutine() < goroutines+50 }, time.Minute, 10*time.Millisecond)
}

// TestAnswersThatNobodyReads: few answers are kept for a client that does not read them, and others are not
// affected. When it reads, all are there.
func TestAnswersThatNobodyReads(t *testing.T) {
	const calls, size = 150, 4 << 20
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	other := s.raw("ClientService")
	put := must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "long", values("f", "q", string(make([]byte, size))), hrpc.SkipBatch()))
	_, err := s.client().Put(put)
	require.NoError(t, err)
	get := frameOf(t, "Get", &pb.GetRequest{Region: named(other.regions("t")[0]), Get: &pb.Get{Row: []byte("long")}})
	conn := s.blocks()
	begun := s.figure("hbasekv_statements_total.*hbase_get.*value:\"ok\".*")
	grown := peakWhile(func() {
		for range calls {
			_, err := conn.Write(get)
			require.NoError(t, err)
		}
		require.Eventually(t, func() bool {
			return s.figure("hbasekv_statements_total.*hbase_get.*value:\"ok\".*") >= begun+8
		}, time.Minute, time.Millisecond)
		s.fill(other, "t", "a")
		in := bufio.NewReader(conn)
		for range calls {
			var head [4]byte
			_, err := io.ReadFull(in, head[:])
			require.NoError(t, err)
			n := int64(binary.BigEndian.Uint32(head[:]))
			require.Greater(t, n, int64(size))
			_, err = io.CopyN(io.Discard, in, n)
			require.NoError(t, err)
		}
	})
	t.Logf("the heap has grown by %d MiB", grown>>20)
	require.Less(t, grown, int64(calls*size)*3/2, "without a bound it is three times all answers, and garbage is a part of it")
}

// TestLongAnswers: clients repeat the Gets of a Multi for which the answer has no more room.
func TestLongAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes much memory")
	}
	const gets, size = 16, 9 << 20
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.client()
	_, err := c.Put(must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "long", values("f", "q", string(make([]byte, size))))))
	require.NoError(t, err)
	raw, all := s.raw("ClientService"), &pb.RegionAction{}
	all.Region = named(raw.regions("t")[0])
	for i := range gets {
		all.Action = append(all.Action, &pb.Action{Index: proto.Uint32(uint32(i)), Get: &pb.Get{Row: []byte("long")}})
	}
	answer := &pb.MultiResponse{}
	require.Empty(t, raw.call("Multi", &pb.MultiRequest{RegionAction: []*pb.RegionAction{all, all}}, answer))
	read := 0
	for _, region := range answer.GetRegionActionResult() {
		for _, each := range region.GetResultOrException() {
			if each.GetException() == nil {
				read++
				continue
			}
			require.Equal(t, "org.apache.hadoop.hbase.RetryImmediatelyException", each.GetException().GetName())
		}
	}
	require.Equal(t, 12, read, "the first of the twelve that exceed 100 MiB together")

	var calls []hrpc.Call
	for range gets {
		calls = append(calls, must[*hrpc.Get](t)(hrpc.NewGetStr(s.ctx, "t", "long")))
	}
	results, ok := c.SendBatch(s.ctx, calls)
	require.True(t, ok, "%v", results[gets-1].Error)
}

// TestLongCalls runs parallel calls of some 30 MiB as far as there is room, and tells the other clients to
// retry.
func TestLongCalls(t *testing.T) {
	t.Parallel() // it waits most of the time
	if testing.Short() {
		t.Skip("it takes much memory")
	}
	const clients, cells, size = 8, 8, 4 << 20
	s := serve(t, ":memory:", hbaseserver.Options{MaxQueuedBytes: 100 << 20})
	s.create("t", "f")
	var refused, done atomic.Int64
	region := s.raw("ClientService").regions("t")[0]
	var writing sync.WaitGroup
	value := make([]byte, size)
	for i := range clients {
		m := &pb.MutationProto{Row: []byte{byte(i)}, MutateType: pb.MutationProto_PUT.Enum()}
		for q := range cells {
			m.ColumnValue = append(m.ColumnValue, column("f", string(rune('a'+q)), value))
		}
		c := s.raw("ClientService")
		writing.Go(func() {
			for {
				switch class := c.call("Mutate", &pb.MutateRequest{Region: named(region), Mutation: m}, &pb.MutateResponse{}); class {
				case "":
					done.Add(1)
					return
				case "CallQueueTooBigException":
					refused.Add(1)
				default:
					t.Errorf("a long call throws %s", class)
					return
				}
			}
		})
	}
	writing.Wait()
	t.Logf("%d were done, %d refused before", done.Load(), refused.Load())
	require.EqualValues(t, clients, done.Load())
	require.Equal(t, []string{"64"}, s.texts("SELECT COUNT(*) FROM t$f"))
}

// TestCallsOfWhoHasGone: the calls of a disconnected client end, and no longer wait for the row.
func TestCallsOfWhoHasGone(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.raw("ClientService")
	s.fill(c, "t", "a")
	tx, err := s.db.BeginTx(s.ctx, nil)
	require.NoError(t, err)
	defer tx.Rollback()
	_, err = tx.Exec("UPDATE t$f SET V = 'mine' WHERE K = 'a'")
	require.NoError(t, err)
	put := &pb.MutationProto{Row: []byte("a"), MutateType: pb.MutationProto_PUT.Enum(),
		ColumnValue: []*pb.MutationProto_ColumnValue{column("f", "q", []byte("lost"))}}
	conn := s.blocks()
	_, err = conn.Write(frameOf(t, "Mutate", &pb.MutateRequest{Region: named(c.regions("t")[0]), Mutation: put}))
	require.NoError(t, err)
	const waiting = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO = 'Mutate t'"
	require.Eventually(t, func() bool { return s.texts(waiting)[0] == "1" }, time.Minute, time.Millisecond)
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return s.texts(waiting)[0] == "0" }, time.Minute, time.Millisecond)
	require.NoError(t, tx.Commit())
	require.Equal(t, []string{"mine"}, s.texts("SELECT V FROM t$f WHERE K = 'a'"))
}

// TestHalfOpen ends a connection whose call is incomplete, or that becomes silent within one.
func TestHalfOpen(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{IdleTimeout: 50 * time.Millisecond})
	conn := s.blocks()
	frame := frameOf(t, "Get", &pb.GetRequest{Region: named("none"), Get: &pb.Get{Row: []byte("a")}})
	_, err := conn.Write(frame[:2])
	require.NoError(t, err)
	closed(t, conn)
	conn = s.blocks()
	_, err = conn.Write(frame[:len(frame)-1])
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	closed(t, conn)
	require.Eventually(t, func() bool { return s.figure("hbasekv_connections..") == 0 }, time.Minute, time.Millisecond)
}

// TestShutDown answers the running calls when the server ends: what was done is acknowledged.
func TestShutDown(t *testing.T) {
	s := &served{t: t, db: openDB(t, ":memory:")}
	stop := s.start(hbaseserver.Options{Grace: time.Minute})
	s.create("t", "f")
	c := s.raw("ClientService")
	region := c.regions("t")[0]
	tx, err := s.db.BeginTx(s.ctx, nil)
	require.NoError(t, err)
	defer tx.Rollback()
	_, err = tx.Exec("INSERT INTO t$f (K, Q, V) VALUES ('a', 'other', '')")
	require.NoError(t, err)
	answered := make(chan string, 1)
	put := &pb.MutationProto{Row: []byte("a"), MutateType: pb.MutationProto_PUT.Enum(),
		ColumnValue: []*pb.MutationProto_ColumnValue{column("f", "q", []byte("v"))}}
	go func() {
		answered <- c.call("Mutate", &pb.MutateRequest{Region: named(region), Mutation: put}, &pb.MutateResponse{})
	}()
	require.Eventually(t, func() bool {
		return s.texts("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO = 'Mutate t'")[0] == "1"
	}, time.Minute, time.Millisecond)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", s.calls)
		if err == nil {
			conn.Close()
		}
		return err != nil
	}, time.Minute, time.Millisecond)
	require.NoError(t, tx.Commit())
	require.Empty(t, <-answered)
	require.NoError(t, c.conn.Close())
	<-stopped
	require.Equal(t, []string{"v"}, s.texts("SELECT V FROM t$f WHERE Q = 'q'"))
}
