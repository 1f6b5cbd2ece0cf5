package hbaseserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// TestScannerOfRevoked: a client that loses the right to read gets no more rows, and continues when it has
// the right again. It may close its scanner at any time.
func TestScannerOfRevoked(t *testing.T) {
	for name, c := range map[string]struct {
		revoke, grant string
		columns       []*pb.Column
		class         string
	}{
		"SELECT":            {"REVOKE SELECT ON t FROM probe@localhost", "GRANT SELECT ON t TO probe@localhost", nil, "security.AccessDeniedException"},
		"all":               {"REVOKE ALL PRIVILEGES, GRANT OPTION FROM probe@localhost", "GRANT SELECT ON t TO probe@localhost", nil, "security.AccessDeniedException"},
		"its family":        {"REVOKE SELECT ON t$f FROM probe@localhost", "GRANT SELECT ON t$f TO probe@localhost", []*pb.Column{{Family: []byte("f")}}, "security.AccessDeniedException"},
		"another family":    {"REVOKE SELECT ON t$g FROM probe@localhost", "GRANT SELECT ON t$g TO probe@localhost", []*pb.Column{{Family: []byte("f")}}, ""},
		"what it never had": {"REVOKE INSERT ON t FROM probe@localhost", "GRANT SELECT ON t TO probe@localhost", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProber(t)
			p.exec("CREATE TABLE t$f"+familyOfT, "CREATE TABLE t$g"+familyOfT,
				"INSERT INTO t$f VALUES ('a', 'q', 1, ''), ('b', 'q', 1, ''), ('c', 'q', 1, '')")
			if c.columns == nil {
				p.exec("GRANT SELECT, INSERT ON t TO probe@localhost")
			} else {
				p.exec("GRANT SELECT ON t$f TO probe@localhost", "GRANT SELECT ON t$g TO probe@localhost")
			}
			open := &pb.ScanRequest{Region: p.region(), Scan: &pb.Scan{Column: c.columns}, NumberOfRows: proto.Uint32(1)}
			first := &pb.ScanResponse{}
			require.Empty(t, p.rows.call("Scan", open, first))
			next := &pb.ScanRequest{ScannerId: first.ScannerId, NumberOfRows: proto.Uint32(1)}
			p.exec(c.revoke)
			require.Equal(t, c.class, p.rows.call("Scan", next, &pb.ScanResponse{}))
			require.Equal(t, c.class, p.rows.call("Scan", &pb.ScanRequest{ScannerId: first.ScannerId, Renew: proto.Bool(true)}, &pb.ScanResponse{}))
			p.exec(c.grant)
			if c.class != "" {
				require.Empty(t, p.rows.call("Scan", next, &pb.ScanResponse{}))
			}
			p.exec(c.revoke)
			end := &pb.ScanRequest{ScannerId: first.ScannerId, CloseScanner: proto.Bool(true), NumberOfRows: proto.Uint32(0)}
			require.Empty(t, p.rows.call("Scan", end, &pb.ScanResponse{}))
			require.Equal(t, "UnknownScannerException", p.rows.call("Scan", next, &pb.ScanResponse{}))
		})
	}
}

// TestScannerOfAnother: only the account that has opened a scanner may use it, on any connection.
func TestScannerOfAnother(t *testing.T) {
	p := newProber(t)
	p.exec("CREATE TABLE t$f"+familyOfT, "INSERT INTO t$f VALUES ('a', 'q', 1, ''), ('b', 'q', 1, ''), ('c', 'q', 1, '')",
		"CREATE USER other@localhost", "GRANT SELECT ON t TO other@localhost", "GRANT SELECT ON t TO probe@localhost")
	first := &pb.ScanResponse{}
	require.Empty(t, p.rows.call("Scan", &pb.ScanRequest{Region: p.region(), Scan: &pb.Scan{}, NumberOfRows: proto.Uint32(1)}, first))
	next := &pb.ScanRequest{ScannerId: first.ScannerId, NumberOfRows: proto.Uint32(1)}
	end := &pb.ScanRequest{ScannerId: first.ScannerId, CloseScanner: proto.Bool(true), NumberOfRows: proto.Uint32(0)}
	for _, user := range []string{"other", "root"} {
		c := p.rawAs(user, "ClientService")
		require.Equal(t, "security.AccessDeniedException", c.call("Scan", next, &pb.ScanResponse{}), user)
		require.Equal(t, "security.AccessDeniedException", c.call("Scan", end, &pb.ScanResponse{}), user)
	}
	rest := &pb.ScanResponse{}
	require.Empty(t, p.rawAs("probe", "ClientService").call("Scan", next, rest))
	require.Equal(t, "b", string(rest.GetResults()[0].GetCell()[0].GetRow()))
}
