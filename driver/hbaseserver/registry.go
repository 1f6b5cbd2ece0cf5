package hbaseserver

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/zookeeper"
)

// newClusterID is a random UUID, by which clients distinguish clusters.
func newClusterID() string {
	b := make([]byte, 16)
	rand.Read(b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// name is the server's name for clients.
func (s *server) name() *pb.ServerName {
	return &pb.ServerName{HostName: &s.self.Host, Port: proto.Uint32(uint32(s.self.Port)), StartCode: &s.self.Start}
}

// clusterID is a response of several methods, which HBase 1 does not have.
func (s *server) clusterID() proto.Message {
	return wire.Fields{}.Bytes(1, []byte(s.cluster)).Message()
}

// registryMethods are those with which clients find servers without ZooKeeper. HBase 1 does not have
// their messages.
func (s *server) registryMethods() map[string]method {
	answer := func(m proto.Message) method {
		return on(func(context.Context, *pb.EmptyMsg) (proto.Message, error) { return m, nil })
	}
	server := wire.Fields{}.Part(1, s.name())
	return map[string]method{
		"GetClusterId":          answer(s.clusterID()),
		"GetConnectionRegistry": answer(s.clusterID()),
		"GetActiveMaster":       answer(server.Message()),
		"GetMasters":            answer(wire.Fields{}.Bytes(1, server.Uint(2, 1)).Message()),
		"GetBootstrapNodes":     answer(server.Message()),
		"GetMetaRegionLocations": answer(wire.Fields{}.Bytes(1,
			wire.Fields{}.Part(1, metaInfo()).Part(2, s.name()).Uint(3, 1)).Message()),
	}
}

// metaInfo is hbase:meta's region.
func metaInfo() *pb.RegionInfo {
	no, replica := false, int32(0)
	return &pb.RegionInfo{RegionId: proto.Uint64(1), TableName: tables.Message(tables.Meta),
		StartKey: []byte{}, EndKey: []byte{}, Offline: &no, Split: &no, ReplicaId: &replica}
}

// zookeeper is the tree of nodes that clients look up in ZooKeeper.
func (s *server) zookeeper() *zookeeper.Tree {
	zero := uint32(0)
	return zookeeper.NewTree(map[string][]byte{
		"/hbase/hbaseid": znode(&pb.ClusterId{ClusterId: &s.cluster}),
		"/hbase/master":  znode(&pb.Master{Master: s.name(), RpcVersion: &zero, InfoPort: &zero}),
		"/hbase/meta-region-server": znode(&pb.MetaRegionServer{Server: s.name(), RpcVersion: &zero,
			State: pb.RegionState_OPEN.Enum()}),
		"/hbase/running": znode(&pb.ClusterUp{StartDate: proto.String(fmt.Sprint(s.self.Start))}),
		fmt.Sprintf("/hbase/rs/%s,%d,%d", s.self.Host, s.self.Port, s.self.Start): znode(&pb.RegionServerInfo{}),
		"/zookeeper": nil,
	})
}

// znode is a message as in ZooKeeper: after the name of its writer, and a magic word.
func znode(m proto.Message) []byte {
	const writer, magic = "master:hbasekv", "PBUF"
	out := binary.BigEndian.AppendUint32([]byte{0xff}, uint32(len(writer)))
	out = append(append(out, writer...), magic...)
	out, err := proto.MarshalOptions{}.MarshalAppend(out, m)
	if err != nil {
		panic(err) // all required fields are set
	}
	return out
}
