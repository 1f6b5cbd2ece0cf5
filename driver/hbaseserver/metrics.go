package hbaseserver

import (
	"context"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/kv"
)

// Cluster metrics: the load of each region as clients see it, from the store's figures of
// partitions.

// regionLoads returns the loads of a table's regions.
func regionLoads(ctx context.Context, store kv.Store, t *tables.Table) ([]*pb.RegionLoad, error) {
	out := make([]*pb.RegionLoad, len(t.Regions))
	sizes := make([]kv.PartitionStats, len(out))
	loads := make([]kv.PartitionLoad, len(out))
	for _, f := range t.Families {
		if err := addLoads(ctx, store, f, sizes, loads); err != nil {
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

// addLoads adds a family's figures to its table's regions.
func addLoads(ctx context.Context, store kv.Store, f *kv.Table, sizes []kv.PartitionStats, loads []kv.PartitionLoad) error {
	if r, ok := store.(kv.StatsReader); ok {
		stats, err := r.TableStats(ctx, f, false)
		if err != nil {
			return err
		}
		for leaf := range stats {
			sizes[tables.RegionOf(f, leaf)].Bytes += stats[leaf].Bytes
		}
	}
	if r, ok := store.(kv.LoadReader); ok {
		for leaf, l := range r.TableLoads(f) {
			loads[tables.RegionOf(f, leaf)].Reads += l.Reads
			loads[tables.RegionOf(f, leaf)].Writes += l.Writes
		}
	}
	return nil
}

func loadsOf(ctx context.Context, store kv.Store, all []*tables.Table) (out []*pb.RegionLoad, err error) {
	for _, t := range all {
		if t.Disabled {
			continue
		}
		loads, err := regionLoads(ctx, store, t)
		if err != nil {
			return nil, err
		}
		out = append(out, loads...)
	}
	return out, nil
}

// serverLoad sums up the loads of regions.
func serverLoad(regions []*pb.RegionLoad) *pb.ServerLoad {
	out, requests := &pb.ServerLoad{RegionLoads: regions}, uint64(0)
	for _, r := range regions {
		requests += r.GetReadRequestsCount() + r.GetWriteRequestsCount()
	}
	out.TotalNumberOfRequests = &requests
	return out
}
