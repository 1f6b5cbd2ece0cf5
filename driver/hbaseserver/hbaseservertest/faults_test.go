package hbaseservertest_test

import (
	"context"
	"database/sql"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
	"github.com/hbasekv/hbasekv/driver/hbaseserver"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/hbaseservertest"
)

const fixture = "u0 info:n @1 0\nu1 info:n @1 1\nu2 info:n @1 2\nu3 info:n @1 3\n"

// open opens a store with a few users, its faults and a client.
func open(t *testing.T, options ...gohbase.Option) (context.Context, *sql.DB, *hbaseservertest.Faults, gohbase.Client) {
	t.Helper()
	faults := hbaseservertest.NewFaults()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users), hbasekvtest.WithClock(hbasekvtest.NewClock(time.UnixMilli(1000))))
	hbasekvtest.Load(t, db, "users", fixture)
	quorum := hbaseservertest.HBase(t, db, hbaseserver.Options{Faults: faults})
	client := gohbase.NewClient(quorum, append(options, quiet)...)
	t.Cleanup(client.Close)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx, db, faults, client
}

func put(ctx context.Context, c gohbase.Client, row, value string, options ...func(hrpc.Call) error) error {
	p, err := hrpc.NewPutStr(ctx, "users", row, map[string]map[string][]byte{"info": {"n": []byte(value)}}, options...)
	if err == nil {
		_, err = c.Put(p)
	}
	return err
}

// TestFaultsAreBorne makes calls fail in ways that gohbase handles itself: the program sees none of them.
func TestFaultsAreBorne(t *testing.T) {
	for name, fault := range map[string]error{"NotServingRegion": hbaseservertest.NotServingRegion,
		"RegionMoved": hbaseservertest.RegionMoved, "RegionOpening": hbaseservertest.RegionOpening,
		"RegionTooBusy": hbaseservertest.RegionTooBusy, "CallQueueTooBig": hbaseservertest.CallQueueTooBig,
		"ServerStopped": hbaseservertest.ServerStopped, "LostReply": hbaseservertest.LostReply} {
		t.Run(name, func(t *testing.T) {
			ctx, db, faults, c := open(t)
			faults.Fail(hbaseservertest.Read, 1, fault)
			faults.Fail(hbaseservertest.Write, 1, fault)
			faults.Fail(hbaseservertest.Write, 2, fault)
			get, err := hrpc.NewGetStr(ctx, "users", "u3")
			require.NoError(t, err)
			r, err := c.Get(get)
			require.NoError(t, err)
			require.Len(t, r.Cells, 1)
			require.NoError(t, put(ctx, c, "u9", "9"))
			require.NoError(t, put(ctx, c, "alone", "1", hrpc.SkipBatch()))
			require.Zero(t, faults.Pending())
			hbasekvtest.Expect(t, db, "users", fixture+"u9 info:n @1000 9\nalone info:n @1000 1\n")
		})
	}
}

// TestLostReplies does writes and loses the answers: gohbase sends them again, because it cannot know.
func TestLostReplies(t *testing.T) {
	ctx, db, faults, c := open(t)
	faults.FailAfter(hbaseservertest.Write, 1, hbaseservertest.LostReply)
	require.NoError(t, put(ctx, c, "u9", "9"))
	hbasekvtest.Expect(t, db, "users", fixture+"u9 info:n @1000 9\n")

	faults.FailAfter(hbaseservertest.Write, 1, hbaseservertest.LostReply)
	inc, err := hrpc.NewIncStrSingle(ctx, "users", "counter", "info", "n", 1)
	require.NoError(t, err)
	n, err := c.Increment(inc)
	require.NoError(t, err)
	require.EqualValues(t, 2, n) // gohbase sends no nonce, with which Java's clients count it once
	require.Zero(t, faults.Pending())
}

// scanned returns what a program reads with a scan of one row per call, up to the error.
func scanned(ctx context.Context, c gohbase.Client) (rows []string, err error) {
	scan, err := hrpc.NewScanStr(ctx, "users", hrpc.NumberOfRows(1))
	if err != nil {
		return nil, err
	}
	scanner := c.Scan(scan)
	defer scanner.Close()
	for {
		r, err := scanner.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, string(r.Cells[0].Row))
	}
}

// TestScannerFaults: a scan whose scanner is lost must not end as if everything had been read.
func TestScannerFaults(t *testing.T) {
	ctx, _, faults, c := open(t)
	all := []string{"u0", "u1", "u2", "u3"}
	faults.Fail(hbaseservertest.Scan, 1, hbaseservertest.NotServingRegion)
	faults.Delay(hbaseservertest.Next, 1, time.Millisecond)
	rows, err := scanned(ctx, c)
	require.NoError(t, err)
	require.Equal(t, all, rows)

	faults.Fail(hbaseservertest.Next, 2, hbaseservertest.LeaseExpired)
	rows, err = scanned(ctx, c)
	require.ErrorContains(t, err, "UnknownScannerException")
	require.Equal(t, all[:2], rows)

	faults.Delay(hbaseservertest.Next, 1, time.Hour)
	soon, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	rows, err = scanned(soon, c)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, all[:1], rows)
	require.Zero(t, faults.Pending())
}

// TestLookupFaults makes hbase:meta fail, which gohbase asks again, and a master, which it does not.
func TestLookupFaults(t *testing.T) {
	ctx, _, faults, c := open(t)
	faults.Fail(hbaseservertest.Lookup, 1, hbaseservertest.CallQueueTooBig)
	require.NoError(t, put(ctx, c, "u9", "9"))
	require.Zero(t, faults.Pending())
}

// TestFinalFault is an exception after which clients do not retry.
func TestFinalFault(t *testing.T) {
	ctx, _, faults, c := open(t)
	faults.Fail(hbaseservertest.Write, 1, hbaseserver.Exception("DoNotRetryIOException", "not today"))
	require.ErrorContains(t, put(ctx, c, "u9", "9"), "not today")
	require.NoError(t, put(ctx, c, "u9", "9"))
}

// BenchmarkFirstRow is the way to a first row: a new store, a server, a client, a Put and a Get.
func BenchmarkFirstRow(b *testing.B) {
	for b.Loop() {
		db := hbasekvtest.Open(b, hbasekvtest.Schema(users))
		ctx, stop := context.WithCancel(context.Background())
		quorum := hbaseservertest.HBase(b, db, hbaseserver.Options{})
		c := gohbase.NewClient(quorum, quiet)
		err := put(ctx, c, "ann", "1")
		if err == nil {
			_, err = cityOf(ctx, c, "ann")
		}
		c.Close()
		stop()
		if err != nil {
			b.Fatal(err)
		}
	}
}
