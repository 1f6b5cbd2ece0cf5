package rowapi

import (
	"context"
	"time"
)

// Scanner gives the rows of a Scan. One goroutine uses it at a time.
type Scanner struct{}

// PageLimits end a page; 0 is no limit. A page has at least one Result unless nothing is left or Until
// has passed.
type PageLimits struct {
	// Rows is the most rows, of which each piece that ends a row counts one.
	Rows int
	// Results is the most Results.
	Results int
	// Bytes ends the page once its cells have as many.
	Bytes int64
	// Partials lets Bytes and Until end the page within a row.
	Partials bool
	// Until ends the page, if need be without a Result.
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
	// Bytes are those of the cells of Results.
	Bytes int64
}

// Stats are what a scanner has done.
type Stats struct {
	RowsScanned, RowsFiltered int64 // RowsFiltered are of RowsScanned
	Cells                     int64 // looked at
}

// Next gives the next rows. After an error the scanner only closes. ErrScannerClosed after Close.
func (s *Scanner) Next(ctx context.Context, limits PageLimits) (*Page, error) {
	return nil, ErrUnsupported
}

// Stats are what the scanner has done so far.
func (s *Scanner) Stats() Stats { return Stats{} }

// Close ends the scanner. It may be called again.
func (s *Scanner) Close() error { return nil }
