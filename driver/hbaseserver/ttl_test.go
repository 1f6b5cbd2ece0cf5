package hbaseserver_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// TestCellTTL writes cells, some of which expire by their own TTL: SQL does not see those in any view, and
// cells that SQL writes have no TTL.
func TestCellTTL(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	require.NoError(t, s.admin().CreateTable(hrpc.NewCreateTable(s.ctx, []byte("t"),
		map[string]map[string]string{"f": {"VERSIONS": "5"}})))
	c := s.client()
	hour := uint64(time.Now().Add(-time.Hour).UnixMilli())
	put := func(row, q, value string, at uint64, options ...func(hrpc.Call) error) {
		_, err := c.Put(must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", row, values("f", q, value),
			append(options, hrpc.TimestampUint64(at))...)))
		require.NoError(t, err)
	}
	gone := hrpc.TTL(time.Minute)
	put("r", "q", "kept", hour-5)
	put("r", "q", "gone", hour, gone)
	put("r", "later", "young", hour, hrpc.TTL(3*time.Hour))
	put("s", "p", "gone", hour, gone)
	put("s", "q", "gone", hour-1, gone)
	check := func(want string) {
		t.Helper()
		for _, q := range []string{
			"SELECT GROUP_CONCAT(V ORDER BY V) FROM t$f",
			"SELECT GROUP_CONCAT(V ORDER BY V) FROM t",
			"SELECT GROUP_CONCAT(V ORDER BY V) FROM t$f FOR SYSTEM_TIME ALL",
			"SELECT GROUP_CONCAT(V ORDER BY V) FROM (SELECT V FROM t$f ORDER BY K DESC, Q DESC LIMIT 9) x",
			"SELECT /*+ VERSIONS(3) */ GROUP_CONCAT(V ORDER BY V) FROM t$f WHERE K IN ('r', 's')",
			"SELECT GROUP_CONCAT(V ORDER BY V) FROM t$f WHERE K = 'r'",
		} {
			require.Equal(t, []string{want}, s.texts(q), q)
		}
	}
	check("kept,young")
	require.Equal(t, []string{"2"}, s.texts("SELECT COUNT(*) FROM t$f"))
	require.Equal(t, []string{"r"}, s.texts("SELECT DISTINCT K FROM t$f"))
	require.Equal(t, []string{"r2"}, s.texts("SELECT CONCAT(K, COUNT(*)) FROM t$f GROUP BY K"))
	require.Equal(t, []string{"9"}, s.texts("SELECT SUM(LENGTH(V)) FROM t$f"))
	require.Equal(t, []string{"0"}, s.texts("SELECT EXISTS (SELECT 1 FROM t$f WHERE K = 's')"))

	_, err := s.db.Exec("UPDATE t$f SET V = 'set' WHERE Q = 'later'") // a version without a TTL
	require.NoError(t, err)
	_, err = s.db.Exec("INSERT INTO t$f VALUES ('s', 'p', ?, 'anew')", hour) // in place of an expired cell
	require.NoError(t, err)
	require.Equal(t, []string{"anew,kept,set"}, s.texts("SELECT GROUP_CONCAT(V ORDER BY V) FROM t$f"))
	require.Equal(t, []string{"4"}, s.texts("SELECT COUNT(*) FROM t$f FOR SYSTEM_TIME ALL"))
	_, err = s.db.Exec("ALTER TABLE t$f KV_ATTRIBUTES='{\"Hbase\": {\"MaxVersions\": 3}}'")
	require.NoError(t, err)
	require.Equal(t, []string{"4"}, s.texts("SELECT COUNT(*) FROM t$f FOR SYSTEM_TIME ALL"))
	_, err = s.db.Exec("OPTIMIZE TABLE t$f")
	require.NoError(t, err)
	require.Equal(t, []string{"4"}, s.texts("SELECT COUNT(*) FROM t$f FOR SYSTEM_TIME ALL"))
}

// TestTTLThatIsNotPositive: such cells expire at once, as in HBase.
func TestTTLThatIsNotPositive(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.raw("ClientService")
	for i, ttl := range []int64{0, -3000, math.MinInt64, 3_600_000, math.MaxInt64} {
		put := &pb.MutationProto{Row: []byte{byte('a' + i)}, MutateType: pb.MutationProto_PUT.Enum(),
			ColumnValue: []*pb.MutationProto_ColumnValue{{Family: []byte("f"),
				QualifierValue: []*pb.MutationProto_ColumnValue_QualifierValue{{Qualifier: []byte("q")}}}},
			Attribute: []*pb.NameBytesPair{{Name: proto.String("_ttl"), Value: binary.BigEndian.AppendUint64(nil, uint64(ttl))}}}
		m := &pb.MutateRequest{Region: named(c.regions("t")[0]), Mutation: put}
		require.Empty(t, c.call("Mutate", m, &pb.MutateResponse{}))
	}
	require.Eventually(t, func() bool { // one expires at the next tick of the clock
		return slices.Equal(s.texts("SELECT K FROM t$f ORDER BY K"), []string{"d", "e"})
	}, time.Minute, time.Millisecond)
}
