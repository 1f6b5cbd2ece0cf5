package hbase

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// told is what has been reported to the progress of a cursor.
type told struct {
	cells   int64
	ahead   []int                 // regions with rows in the spans, in reading order
	regions map[int]*passedRegion // by ordinal
}

// passedRegion is what has been read of a region's rows in the spans of a scan.
type passedRegion struct {
	rows  partition.RowRange // an open end is replaced by the existing row
	known bool               // rows are known
	part  float64            // the part that has been read
}

const (
	// tellFrom is how many cells a scan reads before its first report.
	tellFrom = 4096
	// tellEvery is how many it reads between two reports.
	tellEvery = 1024
)

// tell reports what has been read since the last call.
func (c *cursor) tell() {
	if c.s.Progress == nil || c.did.Cells < tellFrom {
		return
	}
	regions := c.passed()
	c.s.Progress.Read(c.did.Cells-c.told.cells, regions)
	c.told.cells = c.did.Cells
}

// passed returns how many regions have been read since the last call; for current
// ones it is estimated from the positions of rows.
func (c *cursor) passed() (parts float64) {
	if c.told.regions == nil {
		c.told.regions = map[int]*passedRegion{}
		if c.told.ahead = c.tables[0].Partitioning.Prune([]partition.RowRange{spanned(c.s)}); c.s.Reverse {
			slices.Reverse(c.told.ahead)
		}
	}
	p, several := c.from.(*parallelScan)
	if !several {
		return c.passedBefore(c.at.row) + c.passedTo(c.at.row)
	}
	for _, t := range p.ended {
		if i, ok := c.tables[0].Partitioning.Locate(t.region.start); ok {
			parts += c.region(i).upTo(1)
		}
	}
	for _, row := range p.reached {
		parts += c.passedTo(row)
	}
	clear(p.reached)
	p.ended = nil
	return parts + c.passedTo(c.at.row)
}

// passedBefore returns how many regions before a row have been read since the last call.
func (c *cursor) passedBefore(row []byte) (parts float64) {
	i, _ := c.tables[0].Partitioning.Locate(row)
	for slices.Contains(c.told.ahead, i) && c.told.ahead[0] != i {
		parts += c.region(c.told.ahead[0]).upTo(1)
		c.told.ahead = c.told.ahead[1:]
	}
	return parts
}

// passedTo returns which part of a row's region, up to it, has been read since the last call.
func (c *cursor) passedTo(row []byte) float64 {
	i, ok := c.tables[0].Partitioning.Locate(row)
	if !ok || row == nil {
		return 0
	}
	r := c.region(i)
	if !r.known {
		r.known, r.rows = true, c.rowsOf(i)
	}
	at := place(row, r.rows)
	if c.s.Reverse {
		at = 1 - at
	}
	return r.upTo(at)
}

func (c *cursor) region(i int) *passedRegion {
	r := c.told.regions[i]
	if r == nil {
		r = &passedRegion{}
		c.told.regions[i] = r
	}
	return r
}

// upTo notes that a part of a region has been read, and returns how much of that is new.
func (r *passedRegion) upTo(part float64) float64 {
	more := max(part-r.part, 0)
	r.part += more
	return more
}

// rowsOf returns the rows of a region that are in the spans. It looks up the row at an
// open end.
func (c *cursor) rowsOf(i int) partition.RowRange {
	rows, _ := c.tables[0].Partitioning.Bounds(i).Intersect(spanned(c.s))
	if len(rows.Start) == 0 {
		rows.Start = c.outermost(rows, false)
	}
	if rows.End == nil {
		if last := c.outermost(rows, true); last != nil {
			rows.End = following(last)
		}
	}
	return rows
}

// spanned returns the rows from the first to the last of a scan's spans.
func spanned(s *kv.Scan) partition.RowRange {
	out := s.Rows
	if n := len(s.Ranges); n > 0 {
		first, last := s.Ranges[0].Start, s.Ranges[n-1].End
		end := edge(last)
		if within(last) {
			end = following(last.Row)
		}
		out, _ = out.Intersect(partition.RowRange{Start: first.Row, End: end})
	}
	return out
}

// outermost returns the first or the last of some rows, nil if nobody answers.
func (c *cursor) outermost(rows partition.RowRange, last bool) []byte {
	s := kv.Scan{FirstPerRow: true, Reverse: last, MaxVersions: 1}
	p := wholeRows(rows)
	q, _ := queryFor(&s, c.families, &p)
	t := newTableScan(c.cluster, c.table, q.scan(), []partition.RowRange{rows}, s.Reverse, func() int { return 1 })
	defer t.close()
	block, err := t.next(c.ctx)
	var found cell
	if err != nil || len(block) == 0 {
		return nil
	}
	if _, err := found.decode(block); err != nil {
		return nil
	}
	return bytes.Clone(found.row)
}

// placeBytes is how many bytes after the common prefix count for a place.
const placeBytes = 8

// place estimates the position of a row among others, from 0 to 1, assuming that keys
// are evenly distributed: from the bytes after the common prefix.
func place(row []byte, of partition.RowRange) float64 {
	i := 0
	for i < len(of.Start) && i < len(of.End) && of.Start[i] == of.End[i] {
		i++
	}
	first, at, last, weight := 0.0, 0.0, 0.0, 1.0
	for end := i + placeBytes; i < end; i++ {
		a, b, c := byteAt(of.Start, i), byteAt(row, i), byteAt(of.End, i)
		if of.End == nil {
			c = 0xff
		}
		values := 256.0
		if digit(a) && digit(b) && digit(c) {
			a, b, c, values = a&0xf, b&0xf, c&0xf, 10
		}
		weight /= values
		first, at, last = first+weight*float64(a), at+weight*float64(b), last+weight*float64(c)
	}
	if last <= first {
		return 0
	}
	return min(max((at-first)/(last-first), 0), 1)
}

// byteAt returns a byte of a row, 0 after its end.
func byteAt(row []byte, i int) byte {
	if i < len(row) {
		return row[i]
	}
	return 0
}

// digit reports whether a byte may be a decimal digit, as the end of a row may.
func digit(b byte) bool { return b == 0 || b >= '0' && b <= '9' }
