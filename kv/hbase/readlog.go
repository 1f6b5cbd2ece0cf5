package hbase

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// readLog is what the writing statements of a transaction have read, as far as a
// commit may depend on it.
type readLog struct {
	scans []*loggedScan
	bytes int
	byRow map[string][]*loggedScan // made at the end, when needed
}

// loggedScan is one scan and what it returned.
type loggedScan struct {
	log      *readLog
	table    string
	families [][]byte
	scan     kv.Scan
	done     bool // it was read to its end
	rows     map[string][]readCell
	lost     bool // rows have been omitted
}

type readCell struct {
	family    int // index among the scan's
	qualifier []byte
	timestamp int64
	value     []byte // if the scan asked for values
}

// maxLogged is how many bytes of what was read are kept. Beyond it, the cells of
// rows other than the last are forgotten.
const maxLogged = 16 << 20

// begin adds a scan.
func (l *readLog) begin(table string, families [][]byte, s *kv.Scan) *loggedScan {
	kept := *s
	kept.Budget, kept.At = nil, nil
	entry := &loggedScan{log: l, table: table, families: families, scan: kept, rows: map[string][]readCell{}}
	l.scans = append(l.scans, entry)
	return entry
}

// add adds a cell that the scan returned.
func (s *loggedScan) add(family int, c *kv.Cell) {
	row := string(c.Row)
	s.log.bytes += len(c.Row) + len(c.Qualifier) + len(c.Value) + 100
	if s.log.bytes > maxLogged {
		s.rows, s.lost, s.log.bytes = map[string][]readCell{row: s.rows[row]}, true, 0
	}
	s.rows[row] = append(s.rows[row], readCell{family, bytes.Clone(c.Qualifier), c.Timestamp, orEmpty(bytes.Clone(c.Value))})
}

// of returns the scans that read cells of a row.
func (l *readLog) of(table string, row []byte) (out []*loggedScan) {
	if l.byRow == nil {
		l.byRow = map[string][]*loggedScan{}
		for _, s := range l.scans {
			key := "" // for scans of several rows
			if row := oneRow(&s.scan); row != nil {
				key = rowKey(s.table, row)
			}
			l.byRow[key] = append(l.byRow[key], s)
		}
	}
	for _, scans := range [][]*loggedScan{l.byRow[""], l.byRow[rowKey(table, row)]} {
		for _, s := range scans {
			if s.table == table && touchesScan(&s.scan, row) {
				out = append(out, s)
			}
		}
	}
	return out
}

// oneRow returns the row of all ranges of a scan, nil if they are not in one row.
func oneRow(s *kv.Scan) (row []byte) {
	for i := range s.Ranges {
		r := &s.Ranges[i]
		if r.Start.Depth == kv.DepthNone || r.End.Depth == kv.DepthNone || !bytes.Equal(r.Start.Row, r.End.Row) || row != nil && !bytes.Equal(row, r.Start.Row) {
			return nil
		}
		row = r.Start.Row
	}
	return row
}

// touchesScan reports whether a scan reads cells of a row.
func touchesScan(s *kv.Scan, row []byte) bool {
	return rowsHold(s, row) && (s.Ranges == nil || slices.ContainsFunc(s.Ranges, func(r kv.Range) bool { return touchesRow(&r, row) }))
}

// touchesRow reports whether a range may hold cells of a row.
func touchesRow(r *kv.Range, row []byte) bool {
	return (r.Start.Depth == kv.DepthNone || bytes.Compare(r.Start.Row, row) < 0 ||
		bytes.Equal(r.Start.Row, row) && !(r.Start.Depth == kv.DepthRow && r.Start.After)) &&
		(r.End.Depth == kv.DepthNone || bytes.Compare(r.End.Row, row) > 0 ||
			bytes.Equal(r.End.Row, row) && !(r.End.Depth == kv.DepthRow && !r.End.After))
}

// rowsHold reports whether a scan's Rows include a row.
func rowsHold(s *kv.Scan, row []byte) bool {
	return bytes.Compare(row, s.Rows.Start) >= 0 && (s.Rows.End == nil || bytes.Compare(row, s.Rows.End) < 0)
}
