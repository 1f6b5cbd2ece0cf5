package hbaseserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// withField returns a message with bytes in a field.
func withField(m *pb.EmptyMsg, number protowire.Number, value []byte) *pb.EmptyMsg {
	m.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(m.ProtoReflect().GetUnknown(), number,
		protowire.BytesType), value))
	return m
}

func marshal(t testing.TB, m proto.Message) []byte {
	return must[[]byte](t)(proto.Marshal(m))
}

// TestSplitAndMerge splits and merges regions as HBase's Admin does.
func TestSplitAndMerge(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	master, c := s.raw("MasterService"), s.raw("ClientService")
	create := &pb.CreateTableRequest{TableSchema: &pb.TableSchema{TableName: &pb.TableName{Namespace: []byte("default"),
		Qualifier: []byte("t")}, ColumnFamilies: []*pb.ColumnFamilySchema{{Name: []byte("f")}, {Name: []byte("g")}}},
		SplitKeys: [][]byte{[]byte("m")}}
	require.Empty(t, master.call("CreateTable", create, &pb.EmptyMsg{}))
	for _, row := range []string{"a", "h", "n", "x"} {
		_, err := s.db.Exec("INSERT INTO t$f VALUES (?, 'q', 1, 'v')", row)
		require.NoError(t, err)
	}
	split := func(start, at string) string {
		region := &pb.RegionInfo{RegionId: proto.Uint64(1), TableName: create.TableSchema.TableName, StartKey: []byte(start)}
		return master.call("SplitRegion", withField(withField(&pb.EmptyMsg{}, 1, marshal(t, region)), 2, []byte(at)), &pb.EmptyMsg{})
	}
	merge := func(regions ...string) string {
		m := &pb.EmptyMsg{}
		for _, r := range regions {
			m = withField(m, 1, marshal(t, named(r)))
		}
		return master.call("MergeTableRegions", m, &pb.EmptyMsg{})
	}
	require.Equal(t, "DoNotRetryIOException", split("", ""))
	require.Equal(t, "DoNotRetryIOException", split("m", "m"))
	require.Equal(t, "DoNotRetryIOException", split("m", "a"))
	require.Equal(t, "UnknownRegionException", split("b", "c"))
	require.Empty(t, split("", "d"))
	require.Empty(t, split("m", "r"))
	regions := c.regions("t")
	require.Len(t, regions, 4)
	require.Equal(t, []string{"4"}, s.texts("SELECT COUNT(*) FROM t$f"))

	require.Equal(t, "exceptions.MergeRegionException", merge(regions[0], regions[2]))
	require.Equal(t, "exceptions.MergeRegionException", merge(regions[0], regions[0]))
	require.Equal(t, "DoNotRetryIOException", merge())
	require.Equal(t, "NotServingRegionException", merge(regions[0], "none"))
	require.Empty(t, merge(regions[3], regions[2]))
	require.Empty(t, merge(regions[:2]...))
	regions = c.regions("t")
	require.Len(t, regions, 2)
	require.Empty(t, merge(regions...), "whose cells lie apart")
	require.Len(t, c.regions("t"), 1)
	require.Equal(t, []string{"a,h,n,x"}, s.texts("SELECT GROUP_CONCAT(K ORDER BY K) FROM t$f"))
	require.Empty(t, split("", "k"))

	_, err := s.db.Exec("CREATE TABLE k$f (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3")
	require.NoError(t, err)
	create.TableSchema.TableName.Qualifier = []byte("k")
	require.Equal(t, "DoNotRetryIOException", split("", "k"))

	status := &pb.GetClusterStatusResponse{}
	require.Empty(t, master.call("GetClusterStatus", &pb.GetClusterStatusRequest{}, status))
	loads := status.GetClusterStatus().GetLiveServers()[0].GetServerLoad()
	require.Len(t, loads.GetRegionLoads(), 3)
	require.Positive(t, loads.GetTotalNumberOfRequests())
}

// TestNamespaceConfiguration: it is kept and returned until the namespace is dropped, also by SQL.
func TestNamespaceConfiguration(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	c := s.raw("MasterService")
	of := func(value string) *pb.NamespaceDescriptor {
		return &pb.NamespaceDescriptor{Name: []byte("ns"), Configuration: []*pb.NameStringPair{{Name: proto.String("k"), Value: &value}}}
	}
	kept := func() string {
		answer := &pb.GetNamespaceDescriptorResponse{}
		if class := c.call("GetNamespaceDescriptor", &pb.GetNamespaceDescriptorRequest{NamespaceName: proto.String("ns")}, answer); class != "" {
			return class
		}
		var out []string
		for _, p := range answer.GetNamespaceDescriptor().GetConfiguration() {
			out = append(out, p.GetName()+"="+p.GetValue())
		}
		return fmt.Sprint(out)
	}
	require.Equal(t, "NamespaceNotFoundException", c.call("ModifyNamespace", &pb.ModifyNamespaceRequest{NamespaceDescriptor: of("0")}, &pb.EmptyMsg{}))
	require.Empty(t, c.call("CreateNamespace", &pb.CreateNamespaceRequest{NamespaceDescriptor: of("1")}, &pb.EmptyMsg{}))
	require.Equal(t, "[k=1]", kept())
	require.Empty(t, c.call("ModifyNamespace", &pb.ModifyNamespaceRequest{NamespaceDescriptor: of("2")}, &pb.EmptyMsg{}))
	require.Equal(t, "[k=2]", kept())
	_, err := s.db.Exec("DROP DATABASE ns")
	require.NoError(t, err)
	require.Equal(t, "NamespaceNotFoundException", kept())
	_, err = s.db.Exec("CREATE DATABASE ns")
	require.NoError(t, err)
	require.Equal(t, "[]", kept())
}

// TestDroppedBySQL: after a table is dropped by SQL, nothing is kept for a new table of that name.
func TestDroppedBySQL(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	c := s.raw("MasterService")
	schema := &pb.TableSchema{TableName: &pb.TableName{Namespace: []byte("default"), Qualifier: []byte("t")},
		Attributes:     []*pb.BytesBytesPair{{First: []byte("OWNER"), Second: []byte("ann")}},
		ColumnFamilies: []*pb.ColumnFamilySchema{{Name: []byte("f")}}}
	attributes := func() string {
		answer := &pb.GetTableDescriptorsResponse{}
		require.Empty(t, c.call("GetTableDescriptors", &pb.GetTableDescriptorsRequest{TableNames: []*pb.TableName{schema.TableName}}, answer))
		var out []string
		for _, table := range answer.GetTableSchema() {
			for _, a := range table.GetAttributes() {
				out = append(out, string(a.GetFirst())+"="+string(a.GetSecond()))
			}
		}
		return strings.Join(out, " ")
	}
	require.Empty(t, c.call("CreateTable", &pb.CreateTableRequest{TableSchema: schema}, &pb.EmptyMsg{}))
	require.Equal(t, "OWNER=ann", attributes())
	for _, text := range []string{"DROP TABLE t$f", "CREATE TABLE t$f (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T))"} {
		_, err := s.db.Exec(text)
		require.NoError(t, err)
		require.Empty(t, attributes())
	}
}

// TestSwitches: the balancer's switch is remembered; it is on at first, and setting it needs RELOAD.
func TestSwitches(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	was := true
	for _, on := range []bool{true, false, false, true} {
		before, err := s.admin().SetBalancer(must[*hrpc.SetBalancer](t)(hrpc.NewSetBalancer(s.ctx, on)))
		require.NoError(t, err)
		require.Equal(t, was, before)
		status, err := s.admin().ClusterStatus()
		require.NoError(t, err)
		require.Equal(t, on, status.GetBalancerOn())
		was = on
	}

	s.exec("CREATE USER probe@localhost")
	c := s.rawAs("probe", "MasterService")
	require.Empty(t, c.call("IsBalancerEnabled", &pb.EmptyMsg{}, &pb.EmptyMsg{}))
	set := &pb.SetBalancerRunningRequest{On: proto.Bool(false)}
	require.Equal(t, "security.AccessDeniedException", c.call("SetBalancerRunning", set, &pb.EmptyMsg{}))
	s.exec("GRANT RELOAD ON *.* TO probe@localhost")
	require.Empty(t, c.call("SetBalancerRunning", set, &pb.EmptyMsg{}))
}
