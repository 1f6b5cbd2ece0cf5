package hbaseserver

import (
	"context"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// openMetaScanner opens a scanner of hbase:meta, as it is now.
func (s *server) openMetaScanner(ctx context.Context, m *pb.ScanRequest) (*scanner, error) {
	if m.GetScan().GetFilter() != nil {
		return nil, rpc.Refused("filters on hbase:meta are not supported")
	}
	scan, err := wire.Scan(m.GetScan(), nil)
	if err != nil {
		return nil, err
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	limit := limitOf(m)
	most := limit
	if n := int(m.GetNumberOfRows()); m.GetCloseScanner() && n > 0 && (most == 0 || n < most) {
		most = n // it does not come back for more
	}
	return s.scanners.add(&metaScanner{v.ScanMeta(scan, s.self, most)}, guard.ReadsMeta(ctx), limit)
}

// metaScanner gives rows of hbase:meta that have been read.
type metaScanner struct{ left []rowapi.Result }

// NextIn gives whole rows, in memory of their own: one has some hundred bytes.
func (m *metaScanner) NextIn(_ context.Context, _ *rowapi.Memory, limits rowapi.PageLimits) (*rowapi.Page, error) {
	n, bytes := 0, int64(0)
	for n < len(m.left) && (limits.Rows == 0 || n < limits.Rows) && (limits.Bytes == 0 || bytes < limits.Bytes) {
		for _, c := range m.left[n].Cells {
			bytes += int64(len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value))
		}
		n++
	}
	page := &rowapi.Page{Results: m.left[:n], Done: n == len(m.left), Bytes: bytes}
	m.left = m.left[n:]
	return page, nil
}

// Stats are not counted: no client asks for them.
func (m *metaScanner) Stats() rowapi.Stats { return rowapi.Stats{} }

// Close gives up what has not been read.
func (m *metaScanner) Close() error {
	m.left = nil
	return nil
}
