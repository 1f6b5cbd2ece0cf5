package hbaseserver

import (
	"context"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv"
)

// Cluster metrics: what a client is told of each region, by what the store knows of partitions.

// regionLoads are those of a table's regions.
func (s *server) regionLoads(ctx context.Context, t *tables.Table) ([]*pb.RegionLoad, error) {
	out := make([]*pb.RegionLoad, len(t.Regions))
	sizes := make([]kv.PartitionStats, len(out))
	loads := make([]kv.PartitionLoad, len(out))
	for _, f := range t.Families {
		if err := s.addLoads(ctx, f, sizes, loads); err != nil {
			return nil, err
		}
	}
	for i, r := range t.Regions {
		out[i] = &pb.RegionLoad{
			RegionSpecifier: &pb.RegionSpecifier{Type: pb.RegionSpecifier_REGION_NAME.Enum(), Value: []byte(r.Name)},
			Stores:          proto.Uint32(uint32(len(t.Families))), Storefiles: proto.Uint32(0), MemstoreSize_MB: proto.Uint32(0),
			StorefileSize_MB:         proto.Uint32(uint32(sizes[i].Bytes >> 20)),
			StoreUncompressedSize_MB: proto.Uint32(uint32(sizes[i].Bytes >> 20)),
			ReadRequestsCount:        proto.Uint64(uint64(loads[i].Reads)), WriteRequestsCount: proto.Uint64(uint64(loads[i].Writes)),
		}
	}
	return out, nil
}

// addLoads adds what is known of a family to its table's regions.
func (s *server) addLoads(ctx context.Context, f *kv.Table, sizes []kv.PartitionStats, loads []kv.PartitionLoad) error {
	if r, ok := s.store.(kv.StatsReader); ok {
		stats, err := r.TableStats(ctx, f, false)
		if err != nil {
			return err
		}
		for leaf := range stats {
			sizes[tables.RegionOf(f, leaf)].Bytes += stats[leaf].Bytes
		}
	}
	if r, ok := s.store.(kv.LoadReader); ok {
		for leaf, l := range r.TableLoads(f) {
			loads[tables.RegionOf(f, leaf)].Reads += l.Reads
			loads[tables.RegionOf(f, leaf)].Writes += l.Writes
		}
	}
	return nil
}

// regionLoad answers a message of HBase 2 whose first field is a table; without it, all are meant.
func (s *server) regionLoad(ctx context.Context, m *pb.EmptyMsg) (proto.Message, error) {
	var name pb.TableName
	one, err := wire.Part(m, 1, &name)
	if err != nil {
		return nil, rpc.Refused(err.Error())
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	all := v.Tables()
	if one {
		t, err := v.Table(tables.NameOf(&name))
		if err != nil {
			return nil, err
		}
		all = []*tables.Table{t}
	}
	loads, err := s.loadsOf(ctx, all)
	out := wire.Fields{}
	for _, l := range loads {
		out = out.Part(1, l)
	}
	return out.Message(), err
}

func (s *server) loadsOf(ctx context.Context, all []*tables.Table) (out []*pb.RegionLoad, err error) {
	for _, t := range all {
		if t.Disabled {
			continue
		}
		loads, err := s.regionLoads(ctx, t)
		if err != nil {
			return nil, err
		}
		out = append(out, loads...)
	}
	return out, nil
}

// serverLoad sums loads of regions up.
func serverLoad(regions []*pb.RegionLoad) *pb.ServerLoad {
	out, requests := &pb.ServerLoad{RegionLoads: regions}, uint64(0)
	for _, r := range regions {
		requests += r.GetReadRequestsCount() + r.GetWriteRequestsCount()
	}
	out.TotalNumberOfRequests = &requests
	return out
}
