package rowapi

import (
	"bytes"
	"context"
	"time"
)

// Scanner returns the rows of a Scan. Only one goroutine at a time may use it.
type Scanner struct {
	snapshot *Snapshot
	rows     *rows // nil once the scanner is closed
	limit    int   // rows that are left; below 0 there is no limit
	pending  bool  // the source is at a cell that has not been read
	done     bool
	stats    Stats
	fault    error
}

// PageLimits bound a page; 0 is no limit. A page has at least one Result unless nothing is left or
// Until has passed.
type PageLimits struct {
	// Rows is the most rows; the last piece of a row counts as one.
	Rows int
	// Results is the most Results.
	Results int
	// Bytes ends the page once its cells have this many bytes.
	Bytes int64
	// Partials allows Bytes to cut rows into pieces. Otherwise rows are whole, however large, unless
	// Scan.Batch cuts them.
	Partials bool
	// Until ends the page, if necessary without a Result; an unfinished row continues in the next page.
	Until time.Time
}

// Page is the result of one call of Next.
type Page struct {
	Results []Result
	// Done is true if the scanner has nothing more.
	Done bool
	// Ended is true if the scan ends before its range: by its Limit or because its Filter wants no more rows.
	// It implies Done. A reader that reads a table in several scans, range by range, stops here.
	Ended bool
	// Heartbeat is true if Until has ended the page.
	Heartbeat bool
	// Row is the last row that was read, whether or not it passed.
	Row []byte
	// Bytes is the size of the cells of Results, with their keys.
	Bytes int64

	rows int
}

// Stats count what a scanner has done.
type Stats struct {
	RowsScanned, RowsFiltered int64 // RowsScanned includes RowsFiltered
	Cells                     int64 // cells read
}

// Next returns the next rows. After an error the scanner can only be closed. It fails with ErrScannerClosed
// after Close.
func (s *Scanner) Next(ctx context.Context, limits PageLimits) (*Page, error) {
	return s.NextIn(ctx, new(Memory), limits)
}

// NextIn is Next with the page and its contents in m, where they are valid until m is used again.
func (s *Scanner) NextIn(ctx context.Context, m *Memory, limits PageLimits) (*Page, error) {
	switch {
	case s.rows == nil:
		return nil, ErrScannerClosed
	case s.fault != nil:
		return nil, s.fault
	}
	m.reset()
	page := &m.page
	if page.Done = s.done; s.done {
		return page, nil
	}
	s.rows.memory, page.Results = m, m.results
	err := s.fill(ctx, page, &limits)
	s.rows.memory, m.results = nil, page.Results
	s.rows.detach()
	if err != nil {
		s.fault = mapError(err)
		return nil, s.fault
	}
	if s.stats = s.rows.stats; len(s.rows.row) > 0 {
		page.Row = m.bytes.copy(s.rows.row)
	}
	if s.rows.ended || s.limit == 0 {
		page.Done, page.Ended, s.done = true, true, true
	}
	return page, nil
}

// lookEvery is how many cells are read between two checks of the clock and the context.
const lookEvery = 64

// fill reads until the page is full or nothing is left.
func (s *Scanner) fill(ctx context.Context, page *Page, limits *PageLimits) error {
	r := s.rows
	for looked := 1; !r.ended && s.limit != 0; looked++ {
		if looked%lookEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !limits.Until.IsZero() && !time.Now().Before(limits.Until) {
				page.Heartbeat = true
				return nil
			}
		}
		if !s.pending && !r.from.next() {
			s.done, page.Done = true, true
			s.endRow(page)
			return r.from.err()
		}
		s.pending = true
		if full, err := s.step(page, limits); full || err != nil {
			return err
		}
	}
	s.endRow(page)
	return nil
}

// step reads the source's current cell, and reports whether the page is full before or with it.
func (s *Scanner) step(page *Page, limits *PageLimits) (full bool, err error) {
	r := s.rows
	c, value, err := r.from.cell()
	if err != nil {
		return false, err
	}
	if r.open && !bytes.Equal(r.row, c.Row) {
		s.endRow(page)
		if page.full(limits) || s.limit == 0 || r.ended {
			return true, nil
		}
	}
	if !r.open {
		r.begin(c.Row)
	}
	s.pending = false
	n, whole := len(r.cells), s.pieceFull(page, limits)
	if !r.take(c, value) || !whole {
		return false, nil
	}
	page.add(Result{Cells: r.cells[:n:n], Exists: true, Partial: true})
	r.memory.keep(n)
	r.cells, r.placed, r.given = r.cells[n:], 1, true
	r.bytes = bytesOf(&r.cells[0]) // the only cell
	return page.full(limits), nil
}

// pieceFull reports whether the cells of the row fill a piece, in case more of them come.
func (s *Scanner) pieceFull(page *Page, limits *PageLimits) bool {
	p, n := s.rows.plan, len(s.rows.cells)
	switch {
	case p.wholeRows || n == 0:
		return false
	case p.batch > 0 && n >= p.batch:
		return true
	}
	return limits.Partials && limits.Bytes > 0 && page.Bytes+s.rows.bytes >= limits.Bytes
}

// endRow ends the current row, if there is one, and adds what is left of it.
func (s *Scanner) endRow(page *Page) {
	r := s.rows
	if !r.open || !r.end() {
		return
	}
	page.add(Result{Cells: r.cells[:len(r.cells):len(r.cells)], Exists: true})
	r.memory.keep(r.placed)
	page.rows++
	if s.limit > 0 {
		s.limit--
	}
}

func (p *Page) add(r Result) {
	p.Results = append(p.Results, r)
	for i := range r.Cells {
		p.Bytes += bytesOf(&r.Cells[i])
	}
}

// full reports whether a limit is reached.
func (p *Page) full(l *PageLimits) bool {
	return l.Rows > 0 && p.rows >= l.Rows || l.Results > 0 && len(p.Results) >= l.Results ||
		l.Bytes > 0 && p.Bytes >= l.Bytes
}

// bytesOf returns about how many bytes a cell takes in HBase's responses.
func bytesOf(c *Cell) int64 {
	return int64(len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value) + 20)
}

// Stats returns what the scanner has done so far.
func (s *Scanner) Stats() Stats { return s.stats }

// Close closes the scanner. It may be called again.
func (s *Scanner) Close() error {
	if s.rows == nil {
		return nil
	}
	s.stats = s.rows.stats
	err := s.rows.from.close()
	s.rows = nil
	s.snapshot.release()
	return err
}
