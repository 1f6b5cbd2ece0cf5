package hbaseserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// TestMetaScanner reads hbase:meta page by page, as asynchbase does, which expects a scanner's number even if
// all rows come at once.
func TestMetaScanner(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("a", "f")
	s.create("b", "f")
	c := s.raw("ClientService")
	open := func(rows uint32, limit uint64) *pb.ScanResponse {
		t.Helper()
		m := &pb.ScanRequest{Region: named("hbase:meta,,1"), Scan: &pb.Scan{}, NumberOfRows: proto.Uint32(rows)}
		if limit > 0 {
			m.ProtoReflect().SetUnknown([]byte{11 << 3, byte(limit)})
		}
		answer := &pb.ScanResponse{}
		require.Empty(t, c.call("Scan", m, answer))
		require.NotZero(t, answer.GetScannerId())
		return answer
	}
	next := func(id *uint64, seq uint64) (*pb.ScanResponse, string) {
		answer := &pb.ScanResponse{}
		m := &pb.ScanRequest{ScannerId: id, NumberOfRows: proto.Uint32(1), NextCallSeq: &seq}
		return answer, c.call("Scan", m, answer)
	}

	all := open(100, 0)
	require.Len(t, all.GetResults(), 4, "two tables and their regions")
	require.False(t, all.GetMoreResultsInRegion())

	opened := open(0, 0)
	require.Empty(t, opened.GetResults())
	for i, want := range all.GetResults() {
		got, thrown := next(opened.ScannerId, uint64(i))
		require.Empty(t, thrown)
		require.Len(t, got.GetResults(), 1)
		require.True(t, proto.Equal(want, got.GetResults()[0]))
		require.Equal(t, i < 3, got.GetMoreResultsInRegion())
	}
	_, thrown := next(opened.ScannerId, 4)
	require.Equal(t, "UnknownScannerException", thrown)

	limited := open(1, 2)
	require.True(t, limited.GetMoreResults())
	got, thrown := next(limited.ScannerId, 0)
	require.Empty(t, thrown)
	require.False(t, got.GetMoreResults(), "it has its two rows")
	_, thrown = next(open(1, 0).ScannerId, 7)
	require.Equal(t, "exceptions.OutOfOrderScannerNextException", thrown)
}

// TestOpenedAlone: the page size is the one that a client gave when it opened a scanner without reading, as
// HBase 1's do.
func TestOpenedAlone(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	s.exec("INSERT INTO t$f VALUES ('a', 'p', 1, 'v'), ('a', 'q', 1, 'v'), ('b', 'p', 1, 'v')")
	c := s.raw("ClientService")
	opened := &pb.ScanResponse{}
	require.Empty(t, c.call("Scan", &pb.ScanRequest{Region: named(c.regions("t")[0]), NumberOfRows: proto.Uint32(0),
		ClientHandlesPartials: proto.Bool(true), Scan: &pb.Scan{MaxResultSize: proto.Uint64(1)}}, opened))
	for seq, want := range []string{"a/p", "a/q", "b/p"} {
		answer := &pb.ScanResponse{}
		require.Empty(t, c.call("Scan", &pb.ScanRequest{ScannerId: opened.ScannerId, NumberOfRows: proto.Uint32(100),
			ClientHandlesPartials: proto.Bool(true), NextCallSeq: proto.Uint64(uint64(seq))}, answer))
		require.Len(t, answer.GetResults(), 1)
		require.Len(t, answer.GetResults()[0].GetCell(), 1)
		cell := answer.GetResults()[0].GetCell()[0]
		require.Equal(t, want, string(cell.GetRow())+"/"+string(cell.GetQualifier()))
	}
}
