package seqfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// exported are the cells that testdata/Make.java puts, in HBase's order.
func exported() []cellio.Cell {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	cell := func(row, family, qualifier string, t int64, value string) cellio.Cell {
		return cellio.Cell{Row: []byte(row), Family: family, Qualifier: []byte(qualifier), Timestamp: t, Value: []byte(value)}
	}
	cells := []cellio.Cell{
		cell("\x00\xff\\", "info", "\xe4\n", 1, string(all)),
		cell("ann", "info", "", 7, "no qualifier"),
		cell("ann", "info", "name", 200, "Anne"),
		cell("ann", "info", "name", 150, "Anna"),
		cell("ann", "info", "name", 100, "Ann"),
		cell("ann", "log", "empty", 0, ""),
		cell("bob", "log", "a:b", math.MaxInt64-1, "late"),
	}
	for i := range 40 {
		for q, family := range []string{"info", "info", "log"} {
			cells = append(cells, cell(fmt.Sprintf("row%05d", i), family, fmt.Sprintf("q%d", q), int64(1000+i),
				fmt.Sprintf("value %d.%d", i, q)))
		}
	}
	return append(cells, cell("zoe", "log", "large", 1_700_000_000_000, strings.Repeat("x", 5000)))
}

func readFile(t testing.TB, name string) []byte {
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return data
}

// readCells reads to the end or to an error.
func readCells(data []byte, max int) (cells []cellio.Cell, err error) {
	r, err := newReader(bytes.NewReader(data), max)
	for err == nil {
		var c cellio.Cell
		if c, err = r.Read(); err == nil {
			cells = append(cells, c)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return cells, err
}

// TestExport reads files that HBase's Export wrote with each codec.
func TestExport(t *testing.T) {
	for _, codec := range []string{"plain", "record", "block", "gzip", "snappy", "bzip2"} {
		var got []cellio.Cell
		files, err := filepath.Glob("testdata/" + codec + "/part-m-*")
		require.NoError(t, err)
		require.Len(t, files, 2)
		for _, name := range files {
			cells, err := readCells(readFile(t, name), maxResult)
			require.NoError(t, err, name)
			got = append(got, cells...)
		}
		require.Equal(t, exported(), got, codec)
	}
}

// TestDeleteMarker: loading a raw export must not bring deleted cells back.
func TestDeleteMarker(t *testing.T) {
	_, err := readCells(readFile(t, "testdata/raw/part-m-00001"), maxResult)
	var bad *cellio.BadLine
	require.ErrorAs(t, err, &bad)
	require.Contains(t, err.Error(), "include.deleted.rows")
}

// TestCutFiles: a file that ends too early is an error, unless it ends between
// records, and yields only cells of the whole file.
func TestCutFiles(t *testing.T) {
	for _, codec := range []string{"plain", "record", "block", "gzip", "snappy", "bzip2"} {
		data := readFile(t, "testdata/"+codec+"/part-m-00001")
		whole, err := readCells(data, maxResult)
		require.NoError(t, err)
		between := 0
		for n := 0; n < len(data); n += 1 + len(data)/1500 {
			cells, err := readCells(data[:n], maxResult)
			require.LessOrEqual(t, len(cells), len(whole))
			for i := range cells {
				require.Equal(t, whole[i], cells[i], "%s cut at %d", codec, n)
			}
			if err == nil {
				between++
			}
		}
		limit := 45 // plain records end there
		if codec != "plain" && codec != "record" {
			limit = 1 // the header's end
		}
		require.LessOrEqual(t, between, limit, codec)
	}
}

// TestTooLong: a Result that exceeds the limit is refused, even if it is
// compressed to less.
func TestTooLong(t *testing.T) {
	for _, codec := range []string{"plain", "record", "block", "gzip", "snappy", "bzip2"} {
		cells, err := readCells(readFile(t, "testdata/"+codec+"/part-m-00001"), 2000)
		require.ErrorIs(t, err, errDamaged, codec)
		require.Less(t, len(cells), 127)
	}
}

func TestOtherFiles(t *testing.T) {
	head := string(readFile(t, "testdata/plain/part-m-00000"))
	for _, c := range []struct{ text, want string }{
		{"", "not a SequenceFile"},
		{"row,family", "not a SequenceFile"},
		{"SEQ\x04", "version 4"},
		{strings.Replace(head, "client.Result", "client.Object", 1), "client.Object"},
		{"SEQ\x06\x01K\x01V\x01\x00\x04LZ77", "codec LZ77"},
		{"SEQ\x06\x01K\x01V\x00\x01", "damaged"},
		{"SEQ\x06\x88\x7f\xff\xff\xff\xff\xff\xff\xff", "damaged"},
		{"SEQ\x06\x01K\x01V\x00\x00\x7f\xff\xff\xff", "unexpected EOF"},
	} {
		_, err := NewReader(strings.NewReader(c.text))
		require.ErrorContains(t, err, c.want, "%q", c.text)
	}
}

// FuzzReader: no file makes the reader panic, or use more memory than its limit
// and decompression need.
func FuzzReader(f *testing.F) {
	files, err := filepath.Glob("testdata/*/part-m-*")
	require.NoError(f, err)
	for _, name := range files {
		f.Add(readFile(f, name))
	}
	const max = 64 << 10
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := newReader(bytes.NewReader(data), max)
		for range 10_000 {
			if err != nil {
				return
			}
			var c cellio.Cell
			if c, err = r.Read(); len(c.Row)+len(c.Value) > max {
				t.Fatal("a cell that is longer than the bound")
			}
			var bad *cellio.BadLine
			if errors.As(err, &bad) {
				err = nil
			}
		}
	})
}
