package kvtest

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// The notation of a cell is row/qualifier/timestamp=value, with Go's escapes
// and NULL for the null value; several are parted by spaces. In a scan of
// several tables "1:" in front is the index of the table.

// null is how the null value is written.
const null = "NULL"

// parseCell reads a cell.
func parseCell(t testing.TB, text string) kv.Cell {
	key, value, _ := strings.Cut(text, "=")
	part := strings.Split(key, "/")
	require.Len(t, part, 3, text)
	timestamp, err := strconv.ParseInt(part[2], 10, 64)
	require.NoError(t, err)
	c := kv.Cell{Row: unescape(t, part[0]), Qualifier: unescape(t, part[1]), Timestamp: timestamp}
	if value != null {
		c.Value = unescape(t, value)
	}
	return c
}

// PutLines writes cells into a table, a line each: row, qualifier, timestamp and value
// with spaces between.
func PutLines(t testing.TB, s kv.Store, database, table, lines string) {
	t.Helper()
	ctx := context.Background()
	txn := Begin(s, kv.TxnOptions{})
	defer txn.Rollback()
	for line := range strings.Lines(lines) {
		c := kv.Cell{}
		var row, qualifier, v string
		_, err := fmt.Sscan(line, &row, &qualifier, &c.Timestamp, &v)
		require.NoError(t, err)
		c.Row, c.Qualifier, c.Value = []byte(row), []byte(qualifier), []byte(v)
		require.NoError(t, txn.Put(ctx, txn.Catalog().Table(database, table), c))
	}
	require.NoError(t, txn.Commit(ctx))
}

func unescape(t testing.TB, s string) []byte {
	out, err := strconv.Unquote(`"` + s + `"`)
	require.NoError(t, err)
	return []byte(out)
}

func escape(b []byte) string {
	quoted := strconv.QuoteToASCII(string(b))
	return quoted[1 : len(quoted)-1]
}

// valueText shortens what nobody wants to read.
func valueText(b []byte) string {
	switch {
	case b == nil:
		return null
	case len(b) > 32:
		return fmt.Sprintf("%d bytes %08x", len(b), crc32.ChecksumIEEE(b))
	}
	return escape(b)
}

func cellText(c kv.Cell, withValue bool) string {
	text := fmt.Sprintf("%s/%s/%d", escape(c.Row), escape(c.Qualifier), c.Timestamp)
	if withValue {
		text += "=" + valueText(c.Value)
	}
	return text
}

// scanCells reads a scan to its end, and copies its cells.
func scanCells(ctx context.Context, tx kv.Txn, tables []*kv.Table, s *kv.Scan) ([]kv.Cell, error) {
	cursor, err := tx.Scan(ctx, tables, s)
	if err != nil {
		return nil, err
	}
	cells, err := take(cursor, -1, s.NeedValue)
	return cells, errors.Join(err, cursor.Close())
}

// take reads the next n cells of a cursor, or all where n is negative: some one
// by one and some in batches, where the cursor has them.
func take(cursor kv.Cursor, n int, values bool) (cells []kv.Cell, err error) {
	batcher, _ := cursor.(kv.Batcher)
	var batch kv.Batch
	for len(cells) != n {
		batch.Shares = len(cells)%2 == 0
		if batcher != nil && len(cells)%4 != 1 {
			most := len(cells)%7 + 2
			if n > 0 {
				most = min(most, n-len(cells))
			}
			if !batcher.NextBatch(&batch, most) {
				break
			}
			isNil := func(part []byte) bool { return part == nil }
			if slices.ContainsFunc(batch.Rows(), isNil) || slices.ContainsFunc(batch.Qualifiers(), isNil) {
				return cells, errors.New("a cell of a batch has no row or no qualifier")
			}
			cells = append(cells, copyBatch(&batch, values)...)
			continue
		}
		if !cursor.Next() {
			break
		}
		c, err := copyCell(cursor, values)
		if err != nil {
			return cells, err
		}
		cells = append(cells, c)
	}
	return cells, cursor.Err()
}

// copyBatch takes the cells out of a batch, and spoils what they were in.
func copyBatch(b *kv.Batch, values bool) (cells []kv.Cell) {
	for i := range b.Len() {
		c := b.Cell(i)
		out := kv.Cell{Family: c.Family, Row: append([]byte{}, c.Row...), Qualifier: append([]byte{}, c.Qualifier...),
			Timestamp: c.Timestamp}
		if values && c.Value != nil {
			out.Value = append([]byte{}, c.Value...)
		}
		if !b.Shares {
			clear(c.Row)
			clear(c.Qualifier)
		}
		clear(c.Value)
		cells = append(cells, out)
	}
	return cells
}

func copyCell(cursor kv.Cursor, values bool) (kv.Cell, error) {
	c := *cursor.Cell()
	c.Row, c.Qualifier = append([]byte{}, c.Row...), append([]byte{}, c.Qualifier...)
	if !values {
		return c, nil
	}
	v, err := cursor.Value()
	if v != nil {
		c.Value = append([]byte{}, v...)
	}
	return c, err
}

func cellsText(cells []kv.Cell, families, withValue bool) string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		if families {
			texts[i] = strconv.Itoa(c.Family) + ":"
		}
		texts[i] += cellText(c, withValue)
	}
	return strings.Join(texts, " ")
}

func scanText(ctx context.Context, tx kv.Txn, tables []*kv.Table, s *kv.Scan) (string, error) {
	cells, err := scanCells(ctx, tx, tables, s)
	return cellsText(cells, len(tables) > 1, s.NeedValue), err
}

// Positions, as the tests write them.
func atRow(row string) kv.Position {
	return kv.Position{Row: []byte(row), Depth: kv.DepthRow}
}

func atColumn(row, qualifier string) kv.Position {
	return kv.Position{Row: []byte(row), Qualifier: []byte(qualifier), Depth: kv.DepthColumn}
}

func atCell(row, qualifier string, timestamp int64) kv.Position {
	return kv.Position{Row: []byte(row), Qualifier: []byte(qualifier), Timestamp: timestamp, Depth: kv.DepthCell}
}

func after(p kv.Position) kv.Position {
	p.After = true
	return p
}

// positionText writes "<" before what is just behind the position, ">" before
// what is just in front of it.
func positionText(p kv.Position) string {
	side := map[bool]string{false: "<", true: ">"}[p.After]
	switch p.Depth {
	case kv.DepthRow:
		return side + escape(p.Row)
	case kv.DepthColumn:
		return side + escape(p.Row) + "/" + escape(p.Qualifier)
	case kv.DepthCell:
		return side + cellText(kv.Cell{Row: p.Row, Qualifier: p.Qualifier, Timestamp: p.Timestamp}, false)
	}
	return "open"
}

// describeScan is a scan in words.
func describeScan(s kv.Scan) string {
	var b strings.Builder
	if s.Ranges != nil {
		b.WriteString(" ranges")
		for _, r := range s.Ranges {
			fmt.Fprintf(&b, " [%s - %s]", positionText(r.Start), positionText(r.End))
		}
	}
	if s.Qualifiers != nil {
		b.WriteString(" qualifiers")
		for _, r := range s.Qualifiers {
			fmt.Fprintf(&b, " [%s - %s)", escape(r.Start), valueText(r.End))
		}
	}
	if s.Time.Bounded {
		fmt.Fprintf(&b, " time %d..%d", s.Time.Min, s.Time.Max)
	}
	if s.MaxVersions > 0 {
		fmt.Fprintf(&b, " versions %d", s.MaxVersions)
	}
	if s.Partitions != nil {
		fmt.Fprintf(&b, " partitions %v", s.Partitions)
	}
	if s.Slices != nil {
		fmt.Fprintf(&b, " slices %v", s.Slices)
	}
	if s.Leaves != nil {
		fmt.Fprintf(&b, " leaves %v", s.Leaves)
	}
	if s.Limit > 0 {
		fmt.Fprintf(&b, " limit %d", s.Limit)
	}
	b.WriteString(flagsText(s))
	return strings.TrimSpace(b.String())
}

func flagsText(s kv.Scan) string {
	text := ""
	for _, flag := range []struct {
		set  bool
		name string
	}{{s.Reverse, "reverse"}, {s.Ordered, "ordered"}, {s.ByPartition, "by-partition"}, {s.NeedValue, "values"},
		{s.FirstPerRow, "first-per-row"}} {
		if flag.set {
			text += " " + flag.name
		}
	}
	return text
}
