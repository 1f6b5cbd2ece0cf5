package tables

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// Region is a range of a table's rows. A table that is partitioned by RANGE has one for each
// partition, any other has one.
type Region struct {
	Table *Table
	// Start is the first row, End the one after the last; an empty one is open.
	Start, End []byte
	// ID is larger than those of the regions that this one has replaced.
	ID uint64
	// Name is table,start,id.encoded. and Encoded is the hash at its end.
	Name, Encoded string
}

// Holds reports whether a row is in the region's range.
func (r *Region) Holds(row []byte) bool {
	return bytes.Compare(row, r.Start) >= 0 && (len(r.End) == 0 || bytes.Compare(row, r.End) < 0)
}

// Info returns the region as a message.
func (r *Region) Info() *pb.RegionInfo {
	no, replica := false, int32(0)
	return &pb.RegionInfo{RegionId: &r.ID, TableName: Message(r.Table.Name), StartKey: r.Start, EndKey: r.End,
		Offline: &no, Split: &no, ReplicaId: &replica}
}

// regionsOf returns the regions of a table, in the order of their rows. named is false if some have no
// ID yet.
func regionsOf(t *Table) (out []*Region, named bool) {
	ids, ranges := t.ids(), rangesOf(t.Families[0].Partitioning)
	named = true
	for _, r := range ranges {
		id := ids[span(r.Start, r.End)]
		named = named && id > 0
		out = append(out, newRegion(t, r.Start, r.End, id))
	}
	return out, named
}

// ids are the IDs that were assigned to ranges of rows.
func (t *Table) ids() map[string]uint64 {
	out := map[string]uint64{}
	for _, r := range t.kept.Regions {
		out[span(r.Start, r.End)] = r.ID
	}
	if len(out) == 0 && t.Families[0].Partitioning.Method() != partition.Range {
		out[span(nil, nil)] = oldest(t.Families) // it has had no other region
	}
	return out
}

func span(start, end []byte) string { return fmt.Sprintf("%d:%s%s", len(start), start, end) }

// rangesOf are the ranges of rows of a table's regions.
func rangesOf(s *partition.Scheme) (out []partition.RowRange) {
	if s.Method() != partition.Range {
		return []partition.RowRange{{}}
	}
	for i := range s.Len() {
		out = append(out, s.Bounds(i))
	}
	out[len(out)-1].End = nil // rows above the last bound are refused, not lost
	return out
}

// RegionOf is the index, among the table's regions, of the region to which a leaf partition of a family
// belongs.
func RegionOf(family *kv.Table, leaf int) int {
	if family.Partitioning.Method() != partition.Range {
		return 0
	}
	row, _ := family.Partitioning.LeafAt(leaf)
	return row
}

func oldest(families []*kv.Table) uint64 {
	created := families[0].Created
	for _, f := range families {
		created = min(created, f.Created)
	}
	return uint64(max(created, 1))
}

// nameRegions assigns IDs to regions that have none, above all IDs that the table's regions have had:
// clients take a smaller ID for an older region, and continue with what they know. The IDs are kept, so that
// regions have the same names as long as they exist, across restarts too.
func (t *Table) nameRegions(now int64) {
	ids, next := t.ids(), max(uint64(max(now, 1)), oldest(t.Families)+1)
	for _, id := range ids {
		next = max(next, id+1)
	}
	t.kept.Regions = nil
	for _, r := range rangesOf(t.Families[0].Partitioning) {
		id := ids[span(r.Start, r.End)]
		if id == 0 {
			id = next
		}
		t.kept.Regions = append(t.kept.Regions, keptRegion{r.Start, r.End, id})
	}
}

func newRegion(t *Table, start, end []byte, id uint64) *Region {
	prefix := fmt.Sprintf("%s,%s,%d", t.Name, start, id)
	sum := md5.Sum([]byte(prefix))
	encoded := hex.EncodeToString(sum[:])
	return &Region{Table: t, Start: start, End: end, ID: id, Name: prefix + "." + encoded + ".", Encoded: encoded}
}

// The names of hbase:meta's only region.
const (
	MetaRegion        = "hbase:meta,,1"
	MetaRegionEncoded = "1588230740"
)

// IsMeta reports whether a request is for hbase:meta's region.
func IsMeta(m *pb.RegionSpecifier) bool {
	switch string(m.GetValue()) {
	case MetaRegion, MetaRegionEncoded, MetaRegion + "." + MetaRegionEncoded:
		return true
	}
	return false
}

// Region returns the region that a request is for. The error is NotServingRegionException if there is none of
// that name, or if its table is disabled: clients then look the row up again.
func (v *View) Region(m *pb.RegionSpecifier) (*Region, error) {
	r := v.regions[string(m.GetValue())]
	switch {
	case r == nil:
		return nil, retried("NotServingRegionException", "%.300q is not online", m.GetValue())
	case r.Table.Disabled:
		return nil, retried("NotServingRegionException", "%.300q is not online: its table is disabled", m.GetValue())
	}
	return r, nil
}
