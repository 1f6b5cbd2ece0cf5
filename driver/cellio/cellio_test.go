package cellio_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

func readAll(r io.Reader, f cellio.Format) (cells []cellio.Cell, err error) {
	in, err := cellio.NewReader(r, f)
	if err != nil {
		return nil, err
	}
	for {
		c, err := in.Read()
		if err == io.EOF {
			return cells, nil
		}
		if err != nil {
			return cells, err
		}
		cells = append(cells, c)
	}
}

func write(t testing.TB, f cellio.Format, cells ...cellio.Cell) string {
	var out bytes.Buffer
	w := cellio.NewWriter(&out, f, "g")
	for _, c := range cells {
		require.NoError(t, w.Write(c))
	}
	require.NoError(t, w.Close())
	return out.String()
}

// odd are byte strings that a format might handle wrongly.
var odd = []string{"", "NULL", `\N`, `\x41`, `\`, "#", `""`, `"`, "a,b", " ", " lead", "trail ", "a\nb", "\r\n", "\t", "\x00\xff",
	"é\u2028",
	"\xc3\x28", "{}", "null", ", timestamp=1, value=x", "column=a:b", "'; --", "<&>", "@1", ":"}

func randomBytes(r *rand.Rand) []byte {
	if r.IntN(2) == 0 {
		return []byte(odd[r.IntN(len(odd))])
	}
	b := make([]byte, r.IntN(40))
	for i := range b {
		if b[i] = byte(r.IntN(256)); r.IntN(2) == 0 {
			b[i] = "ab\\x\"', \n:"[r.IntN(10)]
		}
	}
	return b
}

func randomCell(r *rand.Rand) cellio.Cell {
	times := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, r.Int64(), -r.Int64()}
	c := cellio.Cell{Row: randomBytes(r), Qualifier: randomBytes(r), Timestamp: times[r.IntN(len(times))],
		Family: []string{"", "info", "f1"}[r.IntN(3)]}
	if r.IntN(5) > 0 {
		c.Value = randomBytes(r)
	}
	return c
}

// TestRoundTrips: a Reader returns the cells that a Writer has written.
func TestRoundTrips(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, f := range []cellio.Format{cellio.Text, cellio.CSV, cellio.TSV, cellio.JSONLines} {
		for range 300 {
			cells := make([]cellio.Cell, r.IntN(5))
			for i := range cells {
				cells[i] = randomCell(r)
			}
			text := write(t, f, cells...)
			got, err := readAll(strings.NewReader(text), f)
			require.NoError(t, err, text)
			require.Equal(t, len(cells), len(got), text)
			for i := range cells {
				require.Equal(t, cells[i], got[i], text)
			}
		}
	}
}

// TestRoundTripOfShell is TestRoundTrips for what HBase's shell can print: no
// NULL, and no row key that contains the words that follow it.
func TestRoundTripOfShell(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		c := randomCell(r)
		if c.Value == nil || bytes.Contains(c.Row, []byte("column=")) || bytes.Contains(c.Qualifier, []byte("timestamp=")) {
			continue
		}
		text := write(t, cellio.Shell, c)
		got, err := readAll(strings.NewReader(text), cellio.Shell)
		require.NoError(t, err, text)
		require.Equal(t, []cellio.Cell{c}, got, text)
	}
	require.ErrorContains(t, cellio.NewWriter(io.Discard, cellio.Shell, "t").Write(cellio.Cell{}), "NULL")
}

// TestShell reads the output of scan for cells of an HBase 2.6.4, with timestamps
// as in HBase 1, with times of either form, and from a narrow screen.
func TestShell(t *testing.T) {
	at := func(text string) int64 {
		when, err := time.Parse(time.RFC3339Nano, text)
		require.NoError(t, err)
		return when.UnixMilli()
	}
	cell := func(row, family, qualifier string, timestamp int64, value string) cellio.Cell {
		return cellio.Cell{Row: []byte(row), Family: family, Qualifier: []byte(qualifier), Timestamp: timestamp,
			Value: []byte(value)}
	}
	want := []cellio.Cell{
		cell("\x00\xff\\x41 k", "info", "\xe4\n", 1, "line 1\nline 2\r\t\\ \xff\x00"),
		cell("a rather long row key that no narrow column holds at once", "log", "q", 4611686018427, "v"),
		cell("u1", "info", "name", at("2024-05-06T07:08:09.123Z"), "Ann"),
		cell("u1", "info", "name", at("2024-05-06T07:08:00Z"), `A n n, the first = "one"`),
		cell("u1", "info", "name", at("2024-05-06T07:07:00Z"), "old"),
		cell("u1", "log", "", 5, "no qualifier"),
		cell("u1", "log", "a:b", 0, ""),
		cell("u2", "info", "text", 1700000000000,
			"the quick brown fox jumps over the lazy dog and runs on and on, timestamp=7, value=none"),
	}
	files, err := filepath.Glob("testdata/*.scan")
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		session := "hbase:001:0> scan 'users', {VERSIONS => 10}\n" + string(text) + "Took 0.0123 seconds\n=> 4\n"
		windows := strings.ReplaceAll(string(text), "\n", "\r\n")
		for _, text := range []string{string(text), session + "\n" + session, windows} {
			got, err := readAll(strings.NewReader(text), cellio.Shell)
			require.NoError(t, err, name)
			require.GreaterOrEqual(t, len(got), len(want))
			for i := range got {
				require.Equal(t, want[i%len(want)], got[i], name)
			}
		}
	}
	text, err := os.ReadFile("testdata/millis.scan")
	require.NoError(t, err)
	require.Equal(t, string(text), write(t, cellio.Shell, want...), "what is written is what HBase 1 prints")
}

func TestShellTimes(t *testing.T) {
	for text, want := range map[string]int64{
		"1714979289123": 1714979289123, "-1": -1, "1970-01-01T00:00": 0, "1969-12-31T23:59:59.999": -1,
		"2024-05-06T07:08:09.1Z": 1714979289100, "+292278994-08-17T07:12:55.807": math.MaxInt64,
		"-0001-01-01T00:00": -62198755200000, "2024-02-29T00:00:00.123456789": 1709164800123,
	} {
		got, err := readAll(strings.NewReader("ROW  COLUMN+CELL\n r column=f:q, timestamp="+text+", value=v\n1 row(s)\n"), cellio.Shell)
		require.NoError(t, err, text)
		require.Equal(t, want, got[0].Timestamp, text)
	}
}

func TestSQL(t *testing.T) {
	require.Equal(t, "REPLACE INTO `g$f` (K, Q, T, V) VALUES\n('r', 'q', 1, 'v'),\n(X'00', '', -1, NULL);\n"+
		"REPLACE INTO `g` (K, Q, T, V) VALUES\n(X'2740', 'q', 2, X'c3a9');\n",
		write(t, cellio.SQL,
			cellio.Cell{Row: []byte("r"), Family: "f", Qualifier: []byte("q"), Timestamp: 1, Value: []byte("v")},
			cellio.Cell{Row: []byte{0}, Family: "f", Timestamp: -1},
			cellio.Cell{Row: []byte("'@"), Qualifier: []byte("q"), Timestamp: 2, Value: []byte("é")}))
	large := cellio.Cell{Row: []byte("r"), Timestamp: 1, Value: bytes.Repeat([]byte("v"), 300<<10)}
	require.Equal(t, 2, strings.Count(write(t, cellio.SQL, large, large, large), "REPLACE"), "statements have an end")
	_, err := cellio.NewReader(strings.NewReader(""), cellio.SQL)
	require.Error(t, err)
}

func TestBadLines(t *testing.T) {
	const head, scan = "row,family,qualifier,timestamp,value\n", "ROW  COLUMN+CELL\n"
	for _, c := range []struct {
		format cellio.Format
		text   string
		line   int // 0 if the error is not about a line
		says   string
	}{
		{cellio.Text, "r f:q @1 v\n\n# x\nr f:q 1 v\n", 4, "a cell is written"},
		{cellio.Text, "r f:q @1", 1, "a cell is written"},
		{cellio.Text, "r fq @1 v", 1, "a cell is written"},
		{cellio.Text, "r f:q @x v", 1, "a cell is written"},
		{cellio.Text, `r f:q @1 a\b`, 1, "a backslash"},
		{cellio.Text, `r\x4 f:q @1 a`, 1, "a backslash"},
		{cellio.Text, `r f:\xzz @1 a`, 1, "a backslash"},
		{cellio.CSV, "", 0, "names of their columns"},
		{cellio.CSV, "row,qualifier,value\n", 0, "no column timestamp"},
		{cellio.CSV, head + "r,f,q,1\n", 2, "4 fields"},
		{cellio.CSV, head + "r,f,q,one,v\n", 2, "one"},
		{cellio.CSV, head + "r,f,q,1,v\n\"r,f,q,1,v\n", 0, "line 3, which has a quoted field without its end"},
		{cellio.CSV, head + "r,f,\\q,1,v\n", 2, "a backslash"},
		{cellio.JSONLines, `{"row":"r","qualifier":"q","value":"v"}`, 1, "a cell has"},
		{cellio.JSONLines, `{"row":"r","qualifier":"q","timestamp":1.5,"value":"v"}`, 1, "1.5"},
		{cellio.JSONLines, `{"row":"r","qualifier":"q","timestamp":1,"val":"v"}`, 1, "val"},
		{cellio.JSONLines, "\n" + `{"row":{"base64":"?"},"qualifier":"q","timestamp":1}`, 2, "base64"},
		{cellio.JSONLines, `{"row":{"hex":"00"},"qualifier":"q","timestamp":1}`, 1, "hex"},
		{cellio.JSONLines, `{"row":"r","qualifier":"q","timestamp":1} x`, 1, "a cell has"},
		{cellio.JSONLines, `null`, 1, "a cell has"},
		{cellio.Shell, "nothing\n", 0, "not the output of scan"},
		{cellio.Shell, scan + " r col=f:q, timestamp=1, value=v\n", 2, "a cell is printed"},
		{cellio.Shell, scan + " r column=f:q, timestamp=soon, value=v\n", 2, "soon"},
		{cellio.Shell, scan + " r column=f:q, timestamp=2024-13-01T00:00, value=v\n", 2, "not a time"},
		{cellio.Shell, scan + " r column=f:q, timestamp=1, type=DeleteColumn\n", 2, "RAW"},
	} {
		_, err := readAll(strings.NewReader(c.text), c.format)
		require.ErrorContains(t, err, c.says, c.text)
		var bad *cellio.BadLine
		if c.line > 0 {
			require.ErrorAs(t, err, &bad, c.text)
			require.Equal(t, c.line, bad.Line, c.text)
		}
	}
}

// TestReadersGoOn: after a bad line, the next one is read.
func TestReadersGoOn(t *testing.T) {
	for f, text := range map[cellio.Format]string{
		cellio.Text:      "bad\nr f:q @1 v\n",
		cellio.CSV:       "T,K,Q,V\nx,r,q,v\n1,r,q,v\n",
		cellio.JSONLines: "{\n{\"row\":\"r\",\"qualifier\":\"q\",\"timestamp\":1,\"value\":\"v\"}\n",
		cellio.Shell:     "ROW  COLUMN+CELL\n r bad\n r column=f:q, timestamp=1, value=v\n1 row(s)\n",
	} {
		r, err := cellio.NewReader(strings.NewReader(text), f)
		require.NoError(t, err)
		_, err = r.Read()
		require.ErrorAs(t, err, new(*cellio.BadLine))
		c, err := r.Read()
		require.NoError(t, err)
		require.Equal(t, "v", string(c.Value))
		_, err = r.Read()
		require.Equal(t, io.EOF, err)
	}
}

// TestReadersStream: a reader reads no more than it needs, however long the
// input is, and lines may be longer than its buffer.
func TestReadersStream(t *testing.T) {
	for _, f := range []cellio.Format{cellio.Text, cellio.CSV, cellio.JSONLines, cellio.Shell} {
		one := cellio.Cell{Row: []byte("r"), Family: "f", Qualifier: []byte("q"), Timestamp: 1, Value: []byte("v")}
		large := one
		large.Value = bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
		text := write(t, f, one, large, one)
		text += strings.Repeat("\n", 1<<20)
		in := &counted{r: strings.NewReader(text)}
		r, err := cellio.NewReader(in, f)
		require.NoError(t, err)
		for i, want := range []cellio.Cell{one, large} {
			got, err := r.Read()
			require.NoError(t, err)
			require.Equal(t, len(want.Value), len(got.Value))
			require.Less(t, in.n, i*len(large.Value)+(256<<10))
		}
	}
	broken := errors.New("broken")
	for _, f := range []cellio.Format{cellio.Text, cellio.JSONLines, cellio.Shell} {
		_, err := readAll(io.MultiReader(strings.NewReader(" \n"), errorReader{broken}), f)
		require.ErrorIs(t, err, broken)
	}
}

type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.err }

func TestFormatOf(t *testing.T) {
	for name, f := range map[string]cellio.Format{"a/b.CSV": cellio.CSV, "x.jsonl": cellio.JSONLines,
		"x.ndjson": cellio.JSONLines,
		"x.sql":    cellio.SQL, "x.scan": cellio.Shell, "x.txt": cellio.Text, "x": cellio.Text} {
		require.Equal(t, f, cellio.FormatOf(name))
	}
}

func ExampleReader() {
	r, err := cellio.NewReader(strings.NewReader(`ROW                   COLUMN+CELL
 u1                   column=info:name, timestamp=2024-05-06T07:08:09.123, value=Ann
 u1                   column=info:photo, timestamp=1, value=\xFF\xD8
1 row(s)
`), cellio.Shell)
	if err != nil {
		panic(err)
	}
	w := cellio.NewWriter(os.Stdout, cellio.JSONLines, "users")
	for {
		c, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		if err := w.Write(c); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	// Output:
	// {"row":"u1","family":"info","qualifier":"name","timestamp":1714979289123,"value":"Ann"}
	// {"row":"u1","family":"info","qualifier":"photo","timestamp":1,"value":{"base64":"/9g="}}
}

func ExampleColumns() {
	columns, err := cellio.ParseColumns("users", "HBASE_ROW_KEY,info:name,-,info:age")
	if err != nil {
		panic(err)
	}
	key, t, err := columns.Row([]string{"u1", "Ann", "ignored", "42"}, 7)
	fmt.Println(key, t, err, columns.Tables(), columns.Families[0].Qualifiers, columns.Families[0].Fields)
	// Output: u1 7 <nil> users$info [name age] [1 3]
}

// TestReturnsInQuotes: a value has the bytes of its field, including carriage returns.
func TestReturnsInQuotes(t *testing.T) {
	for text, want := range map[string][][]string{
		"\"a\r\nb\",c\r\nd,e\r\n":       {{"a\r\nb", "c"}, {"d", "e"}},
		"\"a\rb\r\",\"\r\n\"\n":         {{"a\rb\r", "\r\n"}},
		"\"a\"\"\r\n\"\"\",x\r\n":       {{"a\"\r\n\"", "x"}},
		"\"\r\r\n\n\r\n\",\"\r\n\r\n\"": {{"\r\r\n\n\r\n", "\r\n\r\n"}},
		"a,\"b\"\r\n\"c\r\n\",d":        {{"a", "b"}, {"c\r\n", "d"}},
	} {
		for _, size := range []int{16, 4096} {
			lines := cellio.NewLines(bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(text)), size), ",")
			for _, fields := range want {
				got, _, err := lines.Next()
				require.NoError(t, err)
				require.Equal(t, fields, got, "%q", text)
			}
			_, _, err := lines.Next()
			require.Equal(t, io.EOF, err)
		}
	}
}
