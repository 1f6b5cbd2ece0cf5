package rowapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

const fourRows = "k a:q 1 v\nm a:q 2 v\nm a:q 1 u\nm b:q 1 v\nn a:p 1 v\nn a:q 1 v\nn b:r 1 v\nz b:q 1 v"

// rowsOf returns the rows of results, one word each.
func rowsOf(lines []string) string {
	var words []string
	for _, line := range lines {
		row, _, _ := strings.Cut(line, "/")
		words = append(words, row)
	}
	return strings.Join(words, " ")
}

func TestScanRanges(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		p.put(fourRows)
		for _, c := range []struct {
			scan rowapi.Scan
			rows string
		}{
			{rowapi.Scan{}, "k m n z"},
			{rowapi.Scan{Start: []byte("m")}, "m n z"},
			{rowapi.Scan{Start: []byte("m"), StartExclusive: true}, "n z"},
			{rowapi.Scan{Stop: []byte("n")}, "k m"},
			{rowapi.Scan{Stop: []byte("n"), StopInclusive: true}, "k m n"},
			{rowapi.Scan{Start: []byte("m"), Stop: []byte("m"), StopInclusive: true}, "m"},
			{rowapi.Scan{Start: []byte("m"), Stop: []byte("m")}, ""},
			{rowapi.Scan{Start: []byte("n"), Stop: []byte("k")}, ""},
			{rowapi.Scan{Limit: 2}, "k m"},
			{rowapi.Scan{Reversed: true}, "z n m k"},
			{rowapi.Scan{Reversed: true, Start: []byte("n")}, "n m k"},
			{rowapi.Scan{Reversed: true, Start: []byte("n"), StartExclusive: true, Stop: []byte("k")}, "m"},
			{rowapi.Scan{Reversed: true, Start: []byte("n"), Stop: []byte("k"), StopInclusive: true, Limit: 2}, "n m"},
			{rowapi.Scan{Reversed: true, Start: []byte("k"), Stop: []byte("n")}, ""},
			{rowapi.Scan{Columns: rowapi.Columns{Families: []rowapi.FamilyColumns{{Family: "b", Qualifiers: bytesOf("q")}}}},
				"m z"},
		} {
			require.Equal(t, c.rows, rowsOf(p.scan(&c.scan, rowapi.PageLimits{})), "%+v", c.scan)
			require.Equal(t, c.rows, rowsOf(p.scan(&c.scan, rowapi.PageLimits{Rows: 1})), "%+v", c.scan)
		}
		require.Equal(t, "n/a:p/1=v n/a:q/1=v n/b:r/1=v|m/a:q/2=v m/a:q/1=u m/b:q/1=v", strings.Join(p.scan(&rowapi.Scan{
			Reversed: true, Start: []byte("n"), Limit: 2, Columns: rowapi.Columns{MaxVersions: 9}}, rowapi.PageLimits{}), "|"),
			"in a reversed scan cells ascend")
	})
}

func TestPieces(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		var lines []string
		for i := range 5 {
			lines = append(lines, fmt.Sprintf("r a:%d 1 v", i), fmt.Sprintf("r b:%d 1 v", i))
		}
		p.put(strings.Join(lines, "\n") + "\ns a:0 1 v\ns a:1 1 v\nt a:0 1 v")
		whole := strings.Join(p.scan(&rowapi.Scan{}, rowapi.PageLimits{}), " ")
		for _, reversed := range []bool{false, true} {
			batched := p.scan(&rowapi.Scan{Batch: 4, Reversed: reversed, Stop: []byte("")}, rowapi.PageLimits{})
			lengths := ""
			for _, line := range batched {
				lengths += fmt.Sprint(strings.Count(line, "=")) + line[len(line)-1:] + " "
			}
			want := "4+ 4+ 2v 2v 1v "
			if reversed {
				want = "1v 2v 4+ 4+ 2v "
			}
			require.Equal(t, want, lengths)
		}
		pieces := p.scan(&rowapi.Scan{}, rowapi.PageLimits{Bytes: 60, Partials: true})
		require.Greater(t, len(pieces), 5)
		require.Equal(t, whole, strings.ReplaceAll(strings.Join(pieces, " "), " +", ""))
		require.Len(t, p.scan(&rowapi.Scan{}, rowapi.PageLimits{Bytes: 1}), 3, "rows are whole unless pieces are taken")
		page := p.filtered(filter.PageFilter{Size: 2}, 1)
		require.Equal(t, "r s", rowsOf(strings.Split(page, "\n")))
		require.Len(t, p.scan(&rowapi.Scan{Batch: 2, Columns: rowapi.Columns{Filter: filter.PageFilter{Size: 2}}},
			rowapi.PageLimits{Bytes: 1, Partials: true}), 2, "a filter of whole rows gets them")
	})
}

func TestPages(t *testing.T) {
	p := newPlace(t, openPebble, nil)
	p.put(fourRows)
	next := func(s *rowapi.Scanner, l rowapi.PageLimits) *rowapi.Page {
		page, err := s.Next(p.ctx, l)
		require.NoError(t, err)
		return page
	}
	open := func(s *rowapi.Scan) *rowapi.Scanner {
		scanner, err := p.client.Scanner(p.ctx, p.table, s)
		require.NoError(t, err)
		return scanner
	}
	s := open(&rowapi.Scan{Limit: 3})
	page := next(s, rowapi.PageLimits{Rows: 2})
	require.Len(t, page.Results, 2)
	require.False(t, page.Done)
	require.Equal(t, "m", string(page.Row))
	page = next(s, rowapi.PageLimits{Rows: 2})
	require.Len(t, page.Results, 1)
	require.True(t, page.Done && page.Ended, "the limit of the scan ends it")
	require.Equal(t, &rowapi.Page{Done: true}, next(s, rowapi.PageLimits{}))
	require.EqualValues(t, 3, s.Stats().RowsScanned)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err := s.Next(p.ctx, rowapi.PageLimits{})
	require.ErrorIs(t, err, rowapi.ErrScannerClosed)

	s = open(&rowapi.Scan{Stop: []byte("n")})
	page = next(s, rowapi.PageLimits{})
	require.True(t, page.Done && !page.Ended, "the end of the range is not the end of what another may go on with")
	require.NoError(t, s.Close())

	s = open(&rowapi.Scan{Columns: rowapi.Columns{Filter: filter.RowFilter{CompareFilter: filter.CompareFilter{
		Op: filter.Equal, Comparator: filter.BinaryComparator{Value: []byte("z")}}}}})
	page = next(s, rowapi.PageLimits{})
	require.Len(t, page.Results, 1)
	require.Equal(t, rowapi.Stats{RowsScanned: 4, RowsFiltered: 3, Cells: s.Stats().Cells}, s.Stats())
	require.NoError(t, s.Close())

	for i := range 300 {
		p.put(fmt.Sprintf("w%03d a:q 1 v", i))
	}
	s = open(&rowapi.Scan{Start: []byte("w")})
	page = next(s, rowapi.PageLimits{Until: time.Now()})
	require.True(t, page.Heartbeat && !page.Done && len(page.Results) < 300)
	rest := next(s, rowapi.PageLimits{})
	require.Equal(t, 301, len(page.Results)+len(rest.Results), "with z")
	require.NoError(t, s.Close())

	ctx, cancel := context.WithCancel(p.ctx)
	s, err = p.client.Scanner(ctx, p.table, &rowapi.Scan{})
	require.NoError(t, err)
	cancel()
	_, err = s.Next(p.ctx, rowapi.PageLimits{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Next(p.ctx, rowapi.PageLimits{})
	require.ErrorIs(t, err, context.Canceled, "an error stays")
	require.NoError(t, s.Close())
}

func TestSnapshots(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		p.put("a a:q 1 v\nn a:q 1 v")
		snapshot, err := p.client.Snapshot(p.ctx)
		require.NoError(t, err)
		p.put("b a:q 1 v\no a:q 1 v")
		var lines []string
		for _, s := range []rowapi.Scan{{Stop: []byte("m")}, {Start: []byte("m")}} {
			scanner, err := snapshot.Scanner(p.ctx, p.table, &s)
			require.NoError(t, err)
			if len(s.Start) > 0 {
				snapshot.Close() // before its scanner
				snapshot.Close()
			}
			page, err := scanner.Next(p.ctx, rowapi.PageLimits{})
			require.NoError(t, err)
			for _, r := range page.Results {
				lines = append(lines, text(r.Cells))
			}
			require.NoError(t, scanner.Close())
		}
		require.Equal(t, "a n", rowsOf(lines))
		_, err = snapshot.Scanner(p.ctx, p.table, &rowapi.Scan{})
		require.ErrorIs(t, err, rowapi.ErrScannerClosed)
	})
}
