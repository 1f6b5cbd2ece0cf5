package cellio_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// TestRows writes one row of each kind of column, and one of NULLs.
func TestRows(t *testing.T) {
	columns := []cellio.Column{{"b", cellio.Bytes}, {"c,d", cellio.Chars}, {"n", cellio.Number}, {"j", cellio.Document}}
	fields := [][]byte{[]byte("é\x00"), []byte("é \"x\"\n\\"), []byte("-1.50"), []byte(`{"a": [1]}`)}
	for _, c := range []struct {
		format cellio.Format
		want   string
	}{
		{cellio.CSV, `b,"c,d",n,j` + "\n" +
			`\xC3\xA9\x00,"é ""x""\x0A\x5C",-1.50,"{""a"": [1]}"` + "\n" + `\N,\N,\N,\N` + "\n"},
		{cellio.TSV, "b\tc,d\tn\tj\n" +
			"\\xC3\\xA9\\x00\té \"x\"\\x0A\\x5C\t-1.50\t{\"a\": [1]}\n" + "\\N\t\\N\t\\N\t\\N\n"},
		{cellio.JSONLines, `{"b":"é\u0000","c,d":"é \"x\"\n\\","n":-1.50,"j":{"a": [1]}}` + "\n" +
			`{"b":null,"c,d":null,"n":null,"j":null}` + "\n"},
	} {
		var out bytes.Buffer
		w, err := cellio.NewRowWriter(&out, c.format, columns)
		require.NoError(t, err)
		require.NoError(t, w.Write(fields))
		require.NoError(t, w.Write(make([][]byte, 4)))
		require.NoError(t, w.Close())
		require.Equal(t, c.want, out.String())
	}
	_, err := cellio.NewRowWriter(&bytes.Buffer{}, cellio.Shell, columns)
	require.ErrorContains(t, err, "rows are written as")
}

// TestRowsAreCells: the result of a SELECT of K, Q, T and V can be read as
// cells.
func TestRowsAreCells(t *testing.T) {
	columns := []cellio.Column{{"T", cellio.Number}, {"K", cellio.Bytes}, {"V", cellio.Bytes}, {"Q", cellio.Bytes}}
	for _, format := range []cellio.Format{cellio.CSV, cellio.TSV, cellio.JSONLines} {
		var out bytes.Buffer
		w, err := cellio.NewRowWriter(&out, format, columns)
		require.NoError(t, err)
		require.NoError(t, w.Write([][]byte{[]byte("5"), []byte("k\xff,"), []byte(""), []byte(" q\"")}))
		require.NoError(t, w.Write([][]byte{[]byte("-5"), []byte("k"), nil, []byte(`\N`)}))
		require.NoError(t, w.Close())
		cells, err := readAll(strings.NewReader(out.String()), format)
		require.NoError(t, err, out.String())
		require.Equal(t, []cellio.Cell{
			{Row: []byte("k\xff,"), Qualifier: []byte(" q\""), Timestamp: 5, Value: []byte{}},
			{Row: []byte("k"), Qualifier: []byte(`\N`), Timestamp: -5},
		}, cells)
	}
}

// TestLine: readers say where the last cell began.
func TestLine(t *testing.T) {
	for format, text := range map[cellio.Format]string{
		cellio.Text:      "# note\nr f:q @1 v\n",
		cellio.CSV:       "row,qualifier,timestamp,value\nr,q,1,\"v\n\"\n",
		cellio.JSONLines: "\n" + `{"row":"r","qualifier":"q","timestamp":1}` + "\n",
		cellio.Shell:     "ROW  COLUMN+CELL\n r column=f:q, timestamp=1, value=v\n1 row(s)\n",
		cellio.TSV:       "row\tqualifier\ttimestamp\tvalue\nr\tq\t1\tv\n",
	} {
		r, err := cellio.NewReader(strings.NewReader(text), format)
		require.NoError(t, err)
		_, err = r.Read()
		require.NoError(t, err)
		require.Equal(t, 2, r.Line(), text)
	}
}
