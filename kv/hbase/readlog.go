package hbase

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// readLog is what the writing statements of a transaction have read, so far as a
// commit may depend on it.
type readLog struct {
	scans []loggedScan
	bytes int
}

// loggedScan is one scan and what it gave.
type loggedScan struct {
	table    string
	families [][]byte
	scan     kv.Scan
	done     bool // it was read to its end
	rows     map[string][]readCell
	lost     bool // rows have been left out
}

type readCell struct {
	family, qualifier []byte
	timestamp         int64
	value             []byte
	valued            bool // value was read
}

// maxLogged is how much is kept of what was read, in bytes. Of more, the cells of
// rows other than the last are forgotten.
const maxLogged = 16 << 20

// begin adds a scan.
func (l *readLog) begin(table string, families [][]byte, s *kv.Scan) int {
	kept := *s
	kept.Budget, kept.At = nil, nil
	l.scans = append(l.scans, loggedScan{table: table, families: families, scan: kept, rows: map[string][]readCell{}})
	return len(l.scans) - 1
}

// add adds a cell that a scan gave.
func (l *readLog) add(entry int, family []byte, c *kv.Cell, valued bool) {
	if entry >= len(l.scans) {
		return // of a statement whose reads count no more
	}
	s := &l.scans[entry]
	l.bytes += len(c.Row) + len(c.Qualifier) + len(c.Value) + 100
	if l.bytes > maxLogged {
		kept := s.rows[string(c.Row)]
		s.rows, s.lost, l.bytes = map[string][]readCell{string(c.Row): kept}, true, 0
	}
	s.rows[string(c.Row)] = append(s.rows[string(c.Row)], readCell{family, bytes.Clone(c.Qualifier), c.Timestamp, bytes.Clone(c.Value), valued})
}

// complete says that a scan has come to its end.
func (l *readLog) complete(entry int) {
	if entry < len(l.scans) {
		l.scans[entry].done = true
	}
}

// touches reports whether a scan reads cells of a row.
func (s *loggedScan) touches(table string, row []byte) bool {
	if s.table != table || !rowsHold(&s.scan, row) {
		return false
	}
	if s.scan.Ranges == nil {
		return true
	}
	return slices.ContainsFunc(s.scan.Ranges, func(r kv.Range) bool {
		first, last := r.Start, r.End
		return (first.Depth == kv.DepthNone || bytes.Compare(first.Row, row) < 0 || bytes.Equal(first.Row, row) && !(first.Depth == kv.DepthRow && first.After)) &&
			(last.Depth == kv.DepthNone || bytes.Compare(last.Row, row) > 0 || bytes.Equal(last.Row, row) && !(last.Depth == kv.DepthRow && !last.After))
	})
}

// rowsHold reports whether a scan's rows hold a row.
func rowsHold(s *kv.Scan, row []byte) bool {
	return bytes.Compare(row, s.Rows.Start) >= 0 && (s.Rows.End == nil || bytes.Compare(row, s.Rows.End) < 0)
}
