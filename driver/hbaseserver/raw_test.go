package hbaseserver_test

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// rawClient sends single messages of the protocol, without cell blocks.
type rawClient struct {
	t    testing.TB
	conn net.Conn
}

func (s *served) raw(service string) *rawClient { return s.rawAs("somebody", service) }

// rawAs is a client that says it is the user.
func (s *served) rawAs(user, service string) *rawClient {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.calls)
	require.NoError(s.t, err)
	return s.rawOver(conn, user, service)
}

// rawOver is a client over a connection.
func (s *served) rawOver(conn net.Conn, user, service string) *rawClient {
	s.t.Helper()
	s.t.Cleanup(func() { conn.Close() })
	header, err := proto.Marshal(&pb.ConnectionHeader{ServiceName: &service, UserInfo: &pb.UserInformation{EffectiveUser: &user}})
	require.NoError(s.t, err)
	_, err = conn.Write(append(binary.BigEndian.AppendUint32([]byte("HBas\x00\x50"), uint32(len(header))), header...))
	require.NoError(s.t, err)
	return &rawClient{s.t, conn}
}

// exception returns the class of what the server sends unasked.
func (c *rawClient) exception() string {
	c.t.Helper()
	return c.answer(&pb.EmptyMsg{})
}

// call calls a method, and returns the class of its exception without HBase's package; empty if it succeeds.
func (c *rawClient) call(method string, m, into proto.Message) string {
	c.t.Helper()
	var body strings.Builder
	header := &pb.RequestHeader{CallId: proto.Uint32(1), MethodName: &method, RequestParam: proto.Bool(true)}
	for _, each := range []proto.Message{header, m} {
		_, err := protodelim.MarshalTo(&body, each)
		require.NoError(c.t, err)
	}
	_, err := c.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(body.Len())), body.String()...))
	require.NoError(c.t, err)
	return c.answer(into)
}

// answer reads the next answer, with a result like call's.
func (c *rawClient) answer(into proto.Message) string {
	c.t.Helper()
	var head [4]byte
	_, err := io.ReadFull(c.conn, head[:])
	require.NoError(c.t, err)
	answer := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err = io.ReadFull(c.conn, answer)
	require.NoError(c.t, err)
	data, n := protowire.ConsumeBytes(answer)
	got := &pb.ResponseHeader{}
	require.NoError(c.t, proto.Unmarshal(data, got))
	if got.Exception != nil {
		return strings.TrimPrefix(got.GetException().GetExceptionClassName(), "org.apache.hadoop.hbase.")
	}
	data, _ = protowire.ConsumeBytes(answer[n:])
	require.NoError(c.t, proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(data, into))
	return ""
}

func named(region string) *pb.RegionSpecifier {
	return &pb.RegionSpecifier{Type: pb.RegionSpecifier_REGION_NAME.Enum(), Value: []byte(region)}
}

// regions returns the names of a table's regions, from hbase:meta.
func (c *rawClient) regions(table string) (out []string) {
	c.t.Helper()
	scan := &pb.ScanResponse{}
	require.Empty(c.t, c.call("Scan", &pb.ScanRequest{Region: named("hbase:meta,,1"), NumberOfRows: proto.Uint32(1000),
		Scan: &pb.Scan{StartRow: []byte(table + ","), StopRow: []byte(table + " ,,"),
			Column: []*pb.Column{{Family: []byte("info"), Qualifier: [][]byte{[]byte("regioninfo")}}}}}, scan))
	for _, r := range scan.GetResults() {
		out = append(out, string(r.GetCell()[0].GetRow()))
	}
	return out
}

func (s *served) fill(c *rawClient, table string, rows ...string) {
	s.t.Helper()
	for _, row := range rows {
		put := &pb.MutationProto{Row: []byte(row), MutateType: pb.MutationProto_PUT.Enum(), ColumnValue: []*pb.MutationProto_ColumnValue{
			{Family: []byte("f"), QualifierValue: []*pb.MutationProto_ColumnValue_QualifierValue{{Qualifier: []byte("q"), Value: []byte("v")}}}}}
		require.Empty(s.t, c.call("Mutate", &pb.MutateRequest{Region: named(c.regions(table)[0]), Mutation: put}, &pb.MutateResponse{}))
	}
}

// TestScannerLife opens scanners and continues them, in order and out of order, before and after their lease.
func TestScannerLife(t *testing.T) {
	t.Parallel() // it waits most of the time
	const lease = 2 * time.Second
	s := serve(t, ":memory:", hbaseserver.Options{Lease: lease, MaxScanners: 2})
	s.create("t", "f")
	c := s.raw("ClientService")
	s.fill(c, "t", "a", "b", "c", "d")
	open := func() (id uint64, class string) {
		answer := &pb.ScanResponse{}
		class = c.call("Scan", &pb.ScanRequest{Region: named(c.regions("t")[0]), Scan: &pb.Scan{}, NumberOfRows: proto.Uint32(1)}, answer)
		if class == "" {
			require.Len(t, answer.GetResults(), 1)
			require.True(t, answer.GetMoreResultsInRegion())
		}
		return answer.GetScannerId(), class
	}
	next := func(id, seq uint64) (string, *pb.ScanResponse) {
		answer := &pb.ScanResponse{}
		return c.call("Scan", &pb.ScanRequest{ScannerId: &id, NextCallSeq: &seq, NumberOfRows: proto.Uint32(1)}, answer), answer
	}
	id, class := open()
	require.Empty(t, class)
	class, answer := next(id, 0)
	require.Empty(t, class)
	require.Equal(t, "b", string(answer.GetResults()[0].GetCell()[0].GetRow()))
	for began := time.Now(); time.Since(began) < lease*5/4; { // longer than a lease, which each renewal restarts
		time.Sleep(lease / 20)
		require.Empty(t, c.call("Scan", &pb.ScanRequest{ScannerId: &id, Renew: proto.Bool(true), NextCallSeq: proto.Uint64(1)}, &pb.ScanResponse{}))
	}
	class, answer = next(id, 1)
	require.Empty(t, class)
	require.Equal(t, "c", string(answer.GetResults()[0].GetCell()[0].GetRow()))
	class, _ = next(id, 1) // its answer was lost
	require.Equal(t, "exceptions.OutOfOrderScannerNextException", class)
	class, _ = next(id, 2)
	require.Equal(t, "UnknownScannerException", class)

	first, class := open()
	require.Empty(t, class)
	_, class = open()
	require.Empty(t, class)
	_, class = open()
	require.Equal(t, "RegionTooBusyException", class)
	require.Eventually(t, func() bool { class, _ := next(first, 99); return class == "UnknownScannerException" },
		time.Minute, lease*3/2)
	_, class = open()
	require.Empty(t, class)
}

// TestNonces: an increment that is sent many times counts once.
func TestNonces(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	increment := func(c *rawClient, nonce uint64) uint64 {
		m := &pb.MutationProto{Row: []byte("n"), MutateType: pb.MutationProto_INCREMENT.Enum(), Nonce: &nonce,
			ColumnValue: []*pb.MutationProto_ColumnValue{{Family: []byte("f"), QualifierValue: []*pb.MutationProto_ColumnValue_QualifierValue{
				{Qualifier: []byte("q"), Value: binary.BigEndian.AppendUint64(nil, 1)}}}}}
		answer := &pb.MutateResponse{}
		require.Empty(t, c.call("Mutate", &pb.MutateRequest{Region: named(c.regions("t")[0]), Mutation: m, NonceGroup: proto.Uint64(3)}, answer))
		return binary.BigEndian.Uint64(answer.GetResult().GetCell()[0].GetValue())
	}
	var running sync.WaitGroup
	for range 8 {
		c := s.raw("ClientService")
		running.Go(func() {
			if got := increment(c, 5); got != 1 {
				t.Errorf("an increment that was sent again gave %d", got)
			}
		})
	}
	running.Wait()
	require.EqualValues(t, 2, increment(s.raw("ClientService"), 6))
}

// TestRegionNames: regions keep their names across restarts and whatever happens to others; what is split,
// merged or recreated gets a new name with a larger ID.
func TestRegionNames(t *testing.T) {
	dir := t.TempDir()
	run := func(name string, fn func(exec func(string), c *rawClient)) {
		t.Run(name, func(t *testing.T) {
			s := serve(t, dir, hbaseserver.Options{})
			fn(func(text string) {
				_, err := s.db.Exec(text)
				require.NoError(t, err)
			}, s.raw("ClientService"))
		})
	}
	var split []string
	run("split", func(exec func(string), c *rawClient) {
		exec("CREATE TABLE t$f (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T)) " +
			"PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('m'), PARTITION b VALUES LESS THAN (MAXVALUE))")
		first := c.regions("t")
		require.Len(t, first, 2)
		exec("SPLIT TABLE t$f BY ('x')")
		split = c.regions("t")
		require.Len(t, split, 3)
		require.Equal(t, first[0], split[0])
		require.Greater(t, split[1], first[1], "which begins at the same row")
	})
	run("restart and merge", func(exec func(string), c *rawClient) {
		require.Equal(t, split, c.regions("t"))
		exec("ALTER TABLE t$f REORGANIZE PARTITION b_1, b INTO (PARTITION b VALUES LESS THAN (MAXVALUE))")
		merged := c.regions("t")
		require.Len(t, merged, 2)
		require.Greater(t, merged[1], split[1])
		require.Equal(t, "NotServingRegionException",
			c.call("Get", &pb.GetRequest{Region: named(split[1]), Get: &pb.Get{Row: []byte("n")}}, &pb.GetResponse{}))
		require.Equal(t, "regionserver.WrongRegionException",
			c.call("Get", &pb.GetRequest{Region: named(merged[1]), Get: &pb.Get{Row: []byte("a")}}, &pb.GetResponse{}))
	})
}

// TestMethods: unknown methods and services are named in the error.
func TestMethods(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	require.Equal(t, "DoNotRetryIOException", s.raw("MasterService").call("Fly", &pb.EmptyMsg{}, &pb.EmptyMsg{}))
	require.Equal(t, "DoNotRetryIOException", s.raw("MasterService").call("Snapshot", &pb.EmptyMsg{}, &pb.EmptyMsg{}))
	require.Equal(t, "DoNotRetryIOException", s.raw("ClientService").call("CreateTable", &pb.EmptyMsg{}, &pb.EmptyMsg{}))
	require.Equal(t, "NotServingRegionException", s.raw("ClientService").call("Get", &pb.EmptyMsg{}, &pb.EmptyMsg{}))
	require.Empty(t, s.raw("ClientMetaService").call("GetClusterId", &pb.EmptyMsg{}, &pb.EmptyMsg{}))
}

// TestListeners refuses listeners that other machines can reach.
func TestListeners(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	defer l.Close()
	s := serve(t, ":memory:", hbaseserver.Options{})
	check := func(o hbaseserver.Options) error { return o.CheckListener(s.ctx, l, s.db) }
	require.ErrorContains(t, check(hbaseserver.Options{}), "can be reached from other machines")
	require.NoError(t, check(hbaseserver.Options{Insecure: true}))
	secured := hbaseserver.Options{TLS: &tls.Config{}}
	require.ErrorContains(t, check(secured), "it needs accounts")
	s.exec("CREATE USER ann@'%' REQUIRE SUBJECT '/CN=ann'")
	require.ErrorContains(t, check(secured), "root@localhost has neither")
	s.exec("ALTER USER root@localhost IDENTIFIED BY 'secret'")
	require.NoError(t, check(secured))
}
