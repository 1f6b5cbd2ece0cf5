package hidden

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
)

func name(namespace, table string) *pb.TableName {
	return &pb.TableName{Namespace: []byte(namespace), Qualifier: []byte(table)}
}

func region(of string, families ...string) *pb.RegionLoad {
	r := &pb.RegionLoad{RegionSpecifier: &pb.RegionSpecifier{Value: []byte(of)}}
	for _, f := range families {
		r.StoreCompleteSequenceId = append(r.StoreCompleteSequenceId, &pb.StoreSequenceId{FamilyName: []byte(f)})
	}
	return r
}

func TestDescribe(t *testing.T) {
	described := []*pb.TableSchema{{TableName: name("default", "mine")}}
	names := Names([]*pb.TableName{name("default", "mine"), name("shop", "mine"), name("default", "theirs"), name("shop", "closed")}, described)
	require.Len(t, names, 3)
	tables := Describe(names, &pb.ClusterStatus{LiveServers: []*pb.LiveServerInfo{
		{ServerLoad: &pb.ServerLoad{RegionLoads: []*pb.RegionLoad{region("mine,,1.0.", "x"), region("shop:mine,,1.a.", "f", "g")}}},
		{ServerLoad: &pb.ServerLoad{RegionLoads: []*pb.RegionLoad{region("theirs,a,b,1.c.", "h"), region("theirs,,1.b.", "h")}}}}})
	got := map[string][]string{}
	for _, schema := range tables {
		got[tablename.Of(schema.GetTableName())] = []string{}
		for _, f := range schema.GetColumnFamilies() {
			got[tablename.Of(schema.GetTableName())] = append(got[tablename.Of(schema.GetTableName())], string(f.GetName()))
		}
	}
	require.Equal(t, map[string][]string{"shop:mine": {"f", "g"}, "theirs": {"h"}, "shop:closed": {}}, got)

	var namespaces []string
	for _, n := range Namespaces([]*pb.NamespaceDescriptor{{Name: []byte("own")}}, append(described, tables...)) {
		namespaces = append(namespaces, string(n.GetName()))
	}
	require.Equal(t, []string{"own", "default", "shop"}, namespaces)
}
