package hbase

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

var (
	_ kv.StatsReader = (*Store)(nil)
	_ kv.LoadReader  = (*Store)(nil)
)

// regionLoad is what a server reports of a region.
type regionLoad struct {
	server        string
	bytes         int64 // of all families, in whole MB
	reads, writes int64
}

// loads are the loads of all regions, by name, as last reported by the master.
type loads struct {
	mu   sync.Mutex
	read time.Time
	of   map[string]regionLoad
}

// regionLoads returns the loads of all regions, not older than the interval at which servers
// report.
func (c *cluster) regionLoads(ctx context.Context) (map[string]regionLoad, error) {
	c.loads.mu.Lock()
	defer c.loads.mu.Unlock()
	if c.loads.of != nil && time.Since(c.loads.read) < fresh {
		return c.loads.of, nil
	}
	status, err := c.status(ctx)
	if err != nil {
		return nil, err
	}
	c.loads.of, c.loads.read = map[string]regionLoad{}, time.Now()
	for _, live := range status.GetLiveServers() {
		name := net.JoinHostPort(live.GetServer().GetHostName(), strconv.Itoa(int(live.GetServer().GetPort())))
		for _, r := range live.GetServerLoad().GetRegionLoads() {
			c.loads.of[string(r.GetRegionSpecifier().GetValue())] = regionLoad{
				server: name, bytes: int64(r.GetStoreUncompressedSize_MB()+r.GetMemstoreSize_MB()) << 20,
				reads: int64(r.GetReadRequestsCount()), writes: int64(r.GetWriteRequestsCount())}
		}
	}
	return c.loads.of, nil
}

func (c *cluster) status(ctx context.Context) (*pb.ClusterStatus, error) {
	status := &pb.GetClusterStatusResponse{}
	err := c.onMaster(ctx, "GetClusterStatus", &pb.GetClusterStatusRequest{}, status, true)
	return status.GetClusterStatus(), err
}

// leaf returns the regions of one leaf of a table's partitioning.
func leaf(t *kv.Table, i int, regions []*regionInfo) (out []*regionInfo) {
	bounds := t.Partitioning.Bounds(i)
	for _, r := range regions {
		rows := partition.RowRange{Start: r.start}
		if len(r.end) > 0 {
			rows.End = r.end
		}
		if _, some := bounds.Intersect(rows); some {
			out = append(out, r)
		}
	}
	return out
}

// FoundBounds implements kv.BoundsFinder: all bounds, since HBase does not tell which
// regions it has split by itself.
func (s *Store) FoundBounds(t *kv.Table) (found [][]byte) {
	for i := range t.Partitioning.Len() {
		if end := t.Partitioning.Bounds(i).End; end != nil {
			found = append(found, end)
		}
	}
	return found
}

// TableLoads implements kv.LoadReader: requests since a region was opened on its
// server. It returns none if the master does not answer.
func (s *Store) TableLoads(t *kv.Table) []kv.PartitionLoad {
	ctx, cancel := s.cluster.within(context.Background(), 0)
	defer cancel()
	regions, known, _, err := s.regionsOf(ctx, t)
	if err != nil {
		return nil
	}
	out := make([]kv.PartitionLoad, t.Partitioning.NumLeaves())
	for i := range out {
		for _, r := range leaf(t, i, regions) {
			l := known[string(r.name)]
			out[i].Reads += l.reads
			out[i].Writes += l.writes
		}
	}
	return out
}

// regionsOf returns a table's regions with their loads, and its family.
func (s *Store) regionsOf(ctx context.Context, t *kv.Table) (regions []*regionInfo, known map[string]regionLoad, f family, err error) {
	l, err := s.current(ctx)
	if err != nil {
		return nil, nil, f, err
	}
	f, ok := l.families[t.ID]
	if !ok {
		return nil, nil, f, kv.ErrNoTable
	}
	if regions, err = s.cluster.tableRegions(ctx, f.table); err != nil {
		return nil, nil, f, err
	}
	known, err = s.cluster.regionLoads(ctx)
	return regions, known, f, err
}

// How much is read for an estimate: the first cells of the first leaves.
const (
	sampleCells  = 5000
	sampleLeaves = 16
)

// TableStats implements kv.StatsReader. Small partitions are counted. For larger ones the
// bytes are the server's figures, which cover all families in whole MB, and the number of
// cells is extrapolated from the size of the first ones.
func (s *Store) TableStats(ctx context.Context, t *kv.Table, exact bool) ([]kv.PartitionStats, error) {
	regions, known, f, err := s.regionsOf(ctx, t)
	if err != nil {
		return nil, kvError(err)
	}
	out := make([]kv.PartitionStats, t.Partitioning.NumLeaves())
	var seen kv.PartitionStats // of all samples
	for i := range out {
		p := &out[i]
		p.Estimated = true
		if exact || i < sampleLeaves {
			if err := s.cluster.sample(ctx, f, t.Partitioning.Bounds(i), p, exact); err != nil {
				return nil, kvError(err)
			}
		}
		seen.Cells += p.Cells
		seen.Bytes += p.Bytes
		var reported int64
		for _, r := range leaf(t, i, regions) {
			l := known[string(r.name)]
			reported += l.bytes
			p.Server = l.server
			if p.Server == "" {
				p.Server = r.server.addr
			}
		}
		if p.Estimated {
			p.MaxRow = nil
			p.Bytes = max(p.Bytes, reported)
			p.Cells = max(p.Cells, p.Bytes*seen.Cells/max(seen.Bytes, 1))
		}
	}
	return out, nil
}

// sample counts a leaf's cells; unless exact is set, only the first ones, as an estimate.
func (c *cluster) sample(ctx context.Context, f family, rows partition.RowRange, p *kv.PartitionStats, exact bool) error {
	all := uint32(1<<31 - 1)
	sizes := filter("KeyOnlyFilter", &pb.KeyOnlyFilter{LenAsVal: proto.Bool(true)})
	q := query{columns: []*pb.Column{{Family: f.name}}, times: timeRange(allTimes), maxVersions: all, filter: sizes}
	t := newTableScan(c, f.table, q.scan(), []partition.RowRange{rows}, false, func() int { return sampleCells })
	defer t.close()
	for exact || p.Cells < sampleCells {
		block, err := t.next(ctx)
		if err != nil {
			return err
		}
		if len(block) == 0 {
			p.Estimated = false
			return nil
		}
		if err := addCells(block, p); err != nil {
			return err
		}
	}
	return nil
}

// addCells adds the cells of a block, whose values are their lengths.
func addCells(block []byte, p *kv.PartitionStats) (err error) {
	var at cell
	for len(block) > 0 {
		if block, err = at.decode(block); err != nil {
			return err
		}
		if len(at.value) != 4 {
			return fmt.Errorf("a value's length is encoded in %d bytes", len(at.value))
		}
		p.Cells++
		p.Bytes += int64(len(at.row) + len(at.qualifier) + 8 + int(binary.BigEndian.Uint32(at.value)))
		if p.MinRow == nil {
			p.MinRow = bytes.Clone(at.row)
		}
	}
	p.MaxRow = bytes.Clone(at.row)
	return nil
}
