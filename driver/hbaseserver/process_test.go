package hbaseserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// held makes calls that open a scanner wait until their context ends, and sends each to the channel.
type held chan hbaseserver.Op

func (h held) Do(ctx context.Context, op hbaseserver.Op, run func() error) error {
	if op != hbaseserver.OpScan {
		return run()
	}
	h <- op
	<-ctx.Done()
	return ctx.Err()
}

// scanOf is a call that opens a scanner of t.
func (s *served) scanOf(c *rawClient) *pb.ScanRequest {
	return &pb.ScanRequest{Region: named(c.regions("t")[0]), Scan: &pb.Scan{}, NumberOfRows: proto.Uint32(1)}
}

// TestProcessList shows a client and its call, which KILL QUERY ends; KILL ends its connection, idle or
// not.
func TestProcessList(t *testing.T) {
	calls := make(held, 1)
	s := serve(t, ":memory:", hbaseserver.Options{Faults: calls})
	s.create("t", "f")
	c := s.rawAs("ann", "ClientService")
	scan := s.scanOf(c)
	const list = `SELECT CONCAT(USER, ' ', COMMAND, ' ', IFNULL(INFO, '')) FROM information_schema.PROCESSLIST WHERE USER = 'ann'`
	require.Equal(t, []string{"ann Sleep "}, s.texts(list))
	id := s.texts("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'ann'")[0]

	ended := make(chan string, 1)
	go func() { ended <- c.call("Scan", scan, &pb.ScanResponse{}) }()
	<-calls
	require.Equal(t, []string{"ann Query Scan t"}, s.texts(list))
	s.exec("KILL QUERY " + id)
	require.Equal(t, "DoNotRetryIOException", <-ended)
	require.Equal(t, []string{"ann Sleep "}, s.texts(list))
	require.Len(t, c.regions("t"), 1) // the connection is still usable

	s.exec("KILL " + id)
	_, err := c.conn.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	require.Eventually(t, func() bool { return len(s.texts(list)) == 0 }, 30*time.Second, time.Millisecond)
}

// TestKillIsOfOwners: an account can end only its own connections.
func TestKillIsOfOwners(t *testing.T) {
	p := newProber(t)
	other := p.rawAs("root", "MasterService")
	require.Empty(t, other.call("IsMasterRunning", &pb.IsMasterRunningRequest{}, &pb.IsMasterRunningResponse{}))
	id := func(user string) string {
		return p.texts("SELECT MAX(ID) FROM information_schema.PROCESSLIST WHERE HOST LIKE '127.%' AND USER = '" + user + "'")[0]
	}
	run := func(text string) error {
		statement, err := p.sql.Prepare(p.ctx, text)
		require.NoError(t, err)
		_, err = p.sql.Exec(p.ctx, statement, nil)
		return err
	}
	require.ErrorContains(t, run("KILL "+id("root")), "not owner of thread")
	require.Empty(t, p.master.call("IsMasterRunning", &pb.IsMasterRunningRequest{}, &pb.IsMasterRunningResponse{}))
	require.NoError(t, run("KILL "+id("probe")))
}

// figure returns a figure of the store, by a regular expression for its name and labels.
func (s *served) figure(name string) (value float64) {
	s.t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(driver.Collector(s.db))
	families, err := registry.Gather()
	require.NoError(s.t, err)
	wanted := regexp.MustCompile("^" + name + "$")
	for _, f := range families {
		for _, m := range f.Metric {
			if !wanted.MatchString(fmt.Sprint(f.GetName(), m.Label)) {
				continue
			}
			if m.Histogram != nil {
				return float64(m.Histogram.GetSampleCount())
			}
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	s.t.Fatalf("no figure %s", name)
	return 0
}

// TestMetrics counts calls by kind and outcome, and clients and their bytes.
func TestMetrics(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.raw("ClientService")
	s.fill(c, "t", "a", "b", "c")
	require.Equal(t, "regionserver.NoSuchColumnFamilyException", c.call("Get", &pb.GetRequest{Region: named(c.regions("t")[0]),
		Get: &pb.Get{Row: []byte("a"), Column: []*pb.Column{{Family: []byte("no")}}}}, &pb.GetResponse{}))
	of := func(kind, outcome string) float64 {
		return s.figure("hbasekv_statements_total.*hbase_" + kind + ".*value:\"" + outcome + "\".*")
	}
	require.EqualValues(t, 3, of("mutate", "ok"))
	require.EqualValues(t, 1, of("get", "error"))
	require.Positive(t, of("admin", "ok"))
	require.EqualValues(t, 3, s.figure("hbasekv_statement_duration_seconds.*hbase_mutate.*"))
	require.Positive(t, s.figure("hbasekv_received_bytes_total.*"))
	require.Positive(t, s.figure("hbasekv_sent_bytes_total.*"))
	require.Positive(t, s.figure("hbasekv_connections.."))
}

// closed waits for the server to close a connection.
func closed(t *testing.T, c net.Conn) {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err := c.Read(make([]byte, 1))
	var timeout net.Error
	require.False(t, errors.As(err, &timeout) && timeout.Timeout(), "%v", err)
	require.Error(t, err)
}

func running(t *testing.T, c *rawClient) {
	t.Helper()
	require.Empty(t, c.call("IsMasterRunning", &pb.IsMasterRunningRequest{}, &pb.IsMasterRunningResponse{}))
}

// TestSilence disconnects clients that are silent, before their first call and afterwards.
func TestSilence(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{ConnectTimeout: 50 * time.Millisecond})
	silent, err := net.Dial("tcp", s.calls)
	require.NoError(t, err)
	defer silent.Close()
	closed(t, silent)
	s = serve(t, ":memory:", hbaseserver.Options{IdleTimeout: 50 * time.Millisecond})
	idle := s.raw("MasterService")
	running(t, idle)
	closed(t, idle.conn)
}

// TestMaxConnections turns away clients above the limit.
func TestMaxConnections(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{MaxConnections: 2})
	running(t, s.raw("MasterService"))
	running(t, s.raw("MasterService"))
	third, err := net.Dial("tcp", s.calls)
	require.NoError(t, err)
	defer third.Close()
	closed(t, third)
	require.EqualValues(t, 1, s.figure("hbasekv_connections_refused_total.."))
}
