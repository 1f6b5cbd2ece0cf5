package hbaseserver_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// BenchmarkCalls measures calls of a client that only sends the same bytes and reads the answer, and the
// allocations of the server; Echo is the part of the network.
func BenchmarkCalls(b *testing.B) {
	s := serve(b, ":memory:", hbaseserver.Options{})
	region := s.records(speedRows / 20)
	put := &pb.MutationProto{Row: []byte(speedRow(3)), MutateType: pb.MutationProto_PUT.Enum(),
		ColumnValue: []*pb.MutationProto_ColumnValue{column("f", "field0", speedBytes(7))}}
	add := &pb.MutationProto{Row: []byte("count"), MutateType: pb.MutationProto_INCREMENT.Enum(),
		ColumnValue: []*pb.MutationProto_ColumnValue{column("f", "n", long(1))}}
	for _, each := range []struct {
		name, method string
		message      proto.Message
	}{
		{"Get", "Get", &pb.GetRequest{Region: region, Get: &pb.Get{Row: []byte(speedRow(77))}}},
		{"GetInMulti", "Multi", &pb.MultiRequest{RegionAction: []*pb.RegionAction{{Region: region, Action: []*pb.Action{
			{Index: proto.Uint32(1), Get: &pb.Get{Row: []byte(speedRow(77))}}}}}}},
		{"Put", "Mutate", &pb.MutateRequest{Region: region, Mutation: put}},
		{"Increment", "Mutate", &pb.MutateRequest{Region: region, Mutation: add}},
		{"ScanOf10Rows", "Scan", scanOf(region, 10)},
		{"ScanOf50Rows", "Scan", scanOf(region, 50)},
	} {
		b.Run(each.name, func(b *testing.B) { pingPong(b, s.blocks(), frameOf(b, each.method, each.message)) })
	}
	b.Run("Echo", func(b *testing.B) {
		l := listen(b)
		defer l.Close()
		go func() {
			there, err := l.Accept()
			if err == nil {
				defer there.Close()
				_, err = io.Copy(there, struct{ io.Reader }{there})
			}
			_ = err // the client has gone
		}()
		conn, err := net.Dial("tcp", l.Addr().String())
		require.NoError(b, err)
		defer conn.Close()
		pingPong(b, conn, append(binary.BigEndian.AppendUint32(nil, 600), make([]byte, 600)...))
	})
}

// records creates a table t with rows of five cells of 100 bytes, and returns its region.
func (s *served) records(rows int) *pb.RegionSpecifier {
	s.t.Helper()
	s.create("t", "f")
	c := s.client()
	for i := range rows {
		_, err := c.Put(must[*hrpc.Mutate](s.t)(hrpc.NewPutStr(s.ctx, "t", speedRow(i), speedRecord(i), hrpc.SkipBatch())))
		require.NoError(s.t, err)
	}
	return named(s.raw("ClientService").regions("t")[0])
}

// scanOf reads that many rows, and closes the scanner.
func scanOf(region *pb.RegionSpecifier, rows uint32) *pb.ScanRequest {
	return &pb.ScanRequest{Region: region, NumberOfRows: &rows, CloseScanner: proto.Bool(true),
		Scan: &pb.Scan{StartRow: []byte(speedRow(10))}}
}

// TestAllocations counts those of calls, of client and server: a scan allocates no more for many cells than
// for few.
func TestAllocations(t *testing.T) {
	if raceDetector() {
		t.Skip("the race detector allocates, too")
	}
	s := serve(t, ":memory:", hbaseserver.Options{})
	region := s.records(70)
	conn, answer := s.blocks(), make([]byte, 64<<10)
	for _, c := range []struct {
		method  string
		message proto.Message
		most    float64
	}{
		{"Get", &pb.GetRequest{Region: region, Get: &pb.Get{Row: []byte(speedRow(7))}}, 22},
		{"Scan", scanOf(region, 1), 39},
		{"Scan", scanOf(region, 50), 39},
	} {
		frame := frameOf(t, c.method, c.message)
		allocated := testing.AllocsPerRun(1000, func() {
			if err := ask(conn, frame, answer); err != nil {
				t.Fatal(err)
			}
		})
		t.Log(c.method, allocated)
		require.LessOrEqual(t, allocated, c.most, c.method)
	}
}

// blocks is a connection that uses cell blocks.
func (s *served) blocks() net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.calls)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { conn.Close() })
	header, err := proto.Marshal(&pb.ConnectionHeader{ServiceName: proto.String("ClientService"),
		UserInfo:            &pb.UserInformation{EffectiveUser: proto.String("bench")},
		CellBlockCodecClass: proto.String("org.apache.hadoop.hbase.codec.KeyValueCodec")})
	require.NoError(s.t, err)
	_, err = conn.Write(append(binary.BigEndian.AppendUint32([]byte("HBas\x00\x50"), uint32(len(header))), header...))
	require.NoError(s.t, err)
	return conn
}

// frameOf is a call preceded by its length.
func frameOf(t testing.TB, method string, m proto.Message) []byte {
	t.Helper()
	var body bytes.Buffer
	header := &pb.RequestHeader{CallId: proto.Uint32(1), MethodName: &method, RequestParam: proto.Bool(true)}
	for _, each := range []proto.Message{header, m} {
		_, err := protodelim.MarshalTo(&body, each)
		require.NoError(t, err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(body.Len())), body.Bytes()...)
}

// pingPong repeats a call, each after the answer to the one before.
func pingPong(b *testing.B, conn net.Conn, frame []byte) {
	b.ReportAllocs()
	answer := make([]byte, 64<<10)
	var before, behind syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
	for b.Loop() {
		require.NoError(b, ask(conn, frame, answer))
	}
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &behind))
	spent := behind.Utime.Nano() + behind.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(spent)/float64(b.N), "cpu-ns/op")
}

// ask sends a call and reads the answer.
func ask(conn net.Conn, frame, answer []byte) error {
	if _, err := conn.Write(frame); err != nil {
		return err
	}
	for n, size := 0, 4; n < size; {
		m, err := conn.Read(answer[n:])
		if err != nil {
			return err
		}
		if n += m; n >= 4 {
			size = 4 + int(binary.BigEndian.Uint32(answer))
		}
	}
	return nil
}
