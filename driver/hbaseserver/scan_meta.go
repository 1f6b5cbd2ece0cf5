package hbaseserver

import (
	"context"

	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// metaScanner returns rows of hbase:meta that have been read.
type metaScanner struct{ left []rowapi.Result }

// NextIn returns whole rows, in memory of their own: each has some hundred
// bytes.
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

// Stats returns nothing: no client asks for it.
func (m *metaScanner) Stats() rowapi.Stats { return rowapi.Stats{} }

// Close drops the rows that were not returned.
func (m *metaScanner) Close() error {
	m.left = nil
	return nil
}
