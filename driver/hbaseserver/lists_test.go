package hbaseserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// TestLists lists tables by Java's regular expressions, by namespace, and with hbase:meta.
func TestLists(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t.1", "f")
	s.create("tx1", "f")
	s.exec("CREATE DATABASE n", `CREATE TABLE n.t$f (K varbinary(9), Q varbinary(9), T bigint, V varbinary(9),
		PRIMARY KEY (K, Q, T))`)
	master := s.raw("MasterService")
	for _, c := range []struct {
		regex     *string
		namespace string
		system    bool
		want      []string
	}{
		{nil, "", false, []string{"n:t", "t.1", "tx1"}},
		{nil, "", true, []string{"hbase:meta", "n:t", "t.1", "tx1"}},
		{nil, "n", true, []string{"n:t"}},
		{nil, "hbase", true, []string{"hbase:meta"}},
		{nil, "hbase", false, nil},
		{proto.String(""), "", true, nil},
		{proto.String("t.1"), "", true, []string{"t.1", "tx1"}},
		{proto.String(`\Qt.1\E`), "", true, []string{"t.1"}},
		{proto.String("t|tx"), "", true, nil},
		{proto.String(".*meta.*"), "hbase", true, []string{"hbase:meta"}},
	} {
		names, schemas := &pb.GetTableNamesResponse{}, &pb.GetTableDescriptorsResponse{}
		require.Empty(t, master.call("GetTableNames", &pb.GetTableNamesRequest{Regex: c.regex, Namespace: &c.namespace,
			IncludeSysTables: &c.system}, names))
		require.Empty(t, master.call("GetTableDescriptors", &pb.GetTableDescriptorsRequest{Regex: c.regex,
			Namespace: &c.namespace, IncludeSysTables: &c.system}, schemas))
		var got, described []string
		for _, n := range names.GetTableNames() {
			got = append(got, fullName(n))
		}
		for _, schema := range schemas.GetTableSchema() {
			described = append(described, fullName(schema.GetTableName()))
		}
		require.Equal(t, c.want, got, "%v", c)
		require.Equal(t, c.want, described, "%v", c)
	}
	refused := &pb.GetTableNamesRequest{Regex: proto.String("[t&&[^x]]")} // RE2 does not support it
	require.Equal(t, "DoNotRetryIOException", master.call("GetTableNames", refused, &pb.GetTableNamesResponse{}))

	names := &pb.ListTableNamesByNamespaceResponse{}
	require.Empty(t, master.call("ListTableNamesByNamespace",
		&pb.ListTableNamesByNamespaceRequest{NamespaceName: proto.String("hbase")}, names))
	require.Len(t, names.GetTableName(), 1)
	require.Equal(t, "hbase:meta", fullName(names.GetTableName()[0]))
}

func fullName(n *pb.TableName) string {
	if string(n.GetNamespace()) == "default" {
		return string(n.GetQualifier())
	}
	return string(n.GetNamespace()) + ":" + string(n.GetQualifier())
}

// TestNotALong: the error has HBase's words, which programs look for.
func TestNotALong(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	put := must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "a", map[string]map[string][]byte{"f": {"q": []byte("abc")}}))
	must[*hrpc.Result](t)(s.client().Put(put))
	inc := must[*hrpc.Mutate](t)(hrpc.NewIncStrSingle(s.ctx, "t", "a", "f", "q", 1))
	_, err := s.client().Increment(inc)
	require.ErrorContains(t, err, "Field is not a long, it's 3 bytes wide")
}
