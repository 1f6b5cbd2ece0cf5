package rowapi

import (
	"bytes"
	"context"
	"time"
)

// Scanner gives the rows of a Scan. One goroutine uses it at a time.
type Scanner struct {
	snapshot *Snapshot
	rows     *rows // nil once it is closed
	limit    int   // rows that are left; below 0 there is no limit
	pending  bool  // the source is at a cell that has not been looked at
	done     bool
	stats    Stats
	fault    error
}

// PageLimits end a page; 0 is no limit. A page has at least one Result unless nothing is left or Until
// has passed.
type PageLimits struct {
	// Rows is the most rows, of which each piece that ends a row counts one.
	Rows int
	// Results is the most Results.
	Results int
	// Bytes ends the page once its cells have as many.
	Bytes int64
	// Partials lets Bytes cut rows into pieces. Else rows are whole, however large, unless Scan.Batch cuts them.
	Partials bool
	// Until ends the page, if need be without a Result; a row that is read goes on in the next page.
	Until time.Time
}

// Page is what one call of Next gives.
type Page struct {
	Results []Result
	// Done is true where the scanner has nothing more.
	Done bool
	// Ended is true where the scan is over though its range is not: by its Limit or because its Filter
	// wants no more rows. It implies Done. Who reads a table in several scans, range by range, ends here.
	Ended bool
	// Heartbeat is true where Until has ended the page.
	Heartbeat bool
	// Row is the last row that was looked at, whether or not it passed.
	Row []byte
	// Bytes are those of the cells of Results, with their keys.
	Bytes int64

	rows int
}

// Stats are what a scanner has done.
type Stats struct {
	RowsScanned, RowsFiltered int64 // RowsFiltered are of RowsScanned
	Cells                     int64 // looked at
}

// Next gives the next rows. After an error the scanner only closes. ErrScannerClosed after Close.
func (s *Scanner) Next(ctx context.Context, limits PageLimits) (*Page, error) {
	return s.NextIn(ctx, new(Memory), limits)
}

// NextIn is Next that makes the page, and all that it has, in m, where it is until m is used again.
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

// lookEvery is how many cells are read between looks at the clock and the context.
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

// step looks at the cell that the source is at, and reports whether the page is full before it, or with it.
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
	r.bytes = bytesOf(&r.cells[0]) // it is the only one
	return page.full(limits), nil
}

// pieceFull reports whether the cells of the row are a piece, if more of them come.
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

// endRow ends the row that is read, if there is one, and adds what is left of it.
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

// bytesOf is about what a cell takes in HBase's answers.
func bytesOf(c *Cell) int64 {
	return int64(len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value) + 20)
}

// Stats are what the scanner has done so far.
func (s *Scanner) Stats() Stats { return s.stats }

// Close ends the scanner. It may be called again.
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
