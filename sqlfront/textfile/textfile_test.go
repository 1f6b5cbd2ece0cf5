package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
)

// row is a row returned by Next, which is valid until the next one.
type row struct {
	fields []string // NULL is a byte that no other field is
	more   bool
}

const null = "\xffNULL"

func readAll(t testing.TB, in *Reader) (rows []row, err error) {
	for {
		fields, more, err := in.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		r := row{fields: []string{}, more: more}
		for _, f := range fields {
			text := string(f.Bytes)
			if f.Null {
				text = null
			}
			r.fields = append(r.fields, text)
		}
		rows = append(rows, r)
		require.LessOrEqual(t, len(rows), 1<<20)
	}
}

func format(field, quote, escape, start, line string) clause.TextFormat {
	return clause.TextFormat{FieldsTerminated: field, Enclosed: quote, Escaped: escape, LinesStarting: start, LinesTerminated: line}
}

// FuzzReader: whatever a file has and however it arrives, it is read to its end with the same rows, and no
// field is longer than MaxField.
func FuzzReader(f *testing.F) {
	for _, text := range []string{"a\tb\nc\td\n", `"a","b""c"` + "\r\n", `\N,NULL,"NULL",\0\n`, "xxa;b;;cxx", `"open`, "a\\", "\"a\\", "a--b-c--"} {
		f.Add([]byte(text), "\t", "", `\`, "", "\n", 2, 10)
		f.Add([]byte(text), ",", `"`, `\`, "", "\r\n", 3, 1)
		f.Add([]byte(text), ",", `"`, `"`, "xx", ";", 2, 1000)
		f.Add([]byte(text), "--", "'", "", "", "--", 2, 0)
		f.Add([]byte(text), "", "", `\`, "x", "", 2, 5)
		f.Add([]byte(text), "", "", "", "", "\n", 3, 5)
	}
	f.Fuzz(func(t *testing.T, text []byte, field, quote, escape, start, line string, fields, most int) {
		if len(quote) > 1 || len(escape) > 1 || fields < 1 || fields > 20 || most < 0 || most > 1<<20 {
			t.Skip()
		}
		shape := Shape{Fields: fields, MaxField: most}
		for i := range fields {
			shape.Widths = append(shape.Widths, 1+i%3)
		}
		how := format(field, quote, escape, start, line)
		at := NewReader(bytes.NewReader(text), how, shape)
		require.NoError(t, at.Skip(uint64(most%3)))
		want, err := readAll(t, at)
		require.NoError(t, err)
		slow := NewReader(iotest.OneByteReader(bytes.NewReader(text)), how, shape)
		require.NoError(t, slow.Skip(uint64(most%3)))
		got, err := readAll(t, slow)
		require.NoError(t, err)
		require.Equal(t, want, got)
		for _, r := range want {
			require.LessOrEqual(t, len(r.fields), fields)
			for _, text := range r.fields {
				if text != null && !how.FixedWidth() {
					require.LessOrEqual(t, len(text), most+2) // the quote of an unterminated field
				}
			}
		}
	})
}

// FuzzRoundTrip: a Reader reads what a Writer writes, if there is an escape that is not ambiguous.
func FuzzRoundTrip(f *testing.F) {
	for _, text := range []string{"", "a", "\\N", "NULL", "a\tb\nc\x00\xff", `"quoted", 'too'`, "--;xx"} {
		f.Add([]byte(text), []byte("second"), true, "\t", "", "", "\n", false)
		f.Add([]byte(text), []byte(text), false, ",", `"`, "xx", "\r\n", true)
		f.Add([]byte(text), []byte{}, true, "--", "'", "", ";", false)
	}
	f.Fuzz(func(t *testing.T, a, b []byte, isNull bool, field, quote, start, line string, optionally bool) {
		how := format(field, quote, `\`, start, line)
		how.Optionally = optionally
		if !readable(how) {
			t.Skip()
		}
		var file bytes.Buffer
		w := NewWriter(&file, how, []Column{{Text: true}, {Text: true}, {Text: true}})
		for range 2 {
			w.Begin()
			w.Field(0, a, false)
			w.Field(1, b, isNull)
			w.Field(2, a, false)
			require.NoError(t, w.End())
		}
		require.NoError(t, w.Flush())
		rows, err := readAll(t, NewReader(&file, how, Shape{Fields: 3, MaxField: 1 << 20}))
		require.NoError(t, err)
		want := row{fields: []string{string(a), string(b), string(a)}}
		if isNull {
			want.fields[1] = null
		}
		require.Equal(t, []row{want, want}, rows)
	})
}

// readable reports whether the parts of a format cannot be confused.
func readable(f clause.TextFormat) bool {
	all := []string{f.FieldsTerminated, f.LinesTerminated, f.Escaped}
	if f.Enclosed != "" {
		all = append(all, f.Enclosed)
	}
	firsts := map[byte]bool{}
	for _, s := range all {
		if s == "" || strings.ContainsAny(s[:1], escapeLetters+numberBytes) || firsts[s[0]] {
			return false
		}
		firsts[s[0]] = true
	}
	if len(f.Enclosed) > 1 {
		return false
	}
	// A text that begins a line would be taken for its start.
	return f.LinesStarting == "" || !firsts[f.LinesStarting[0]]
}

// TestReaderErrors: an error of the input is returned, wherever it occurs.
func TestReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	const text = "x\"a\\n\"\"b\",c,d\nx\"e\",f\\"
	for n := range len(text) + 1 {
		in := io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken))
		_, err := readAll(t, NewReader(in, format(",", `"`, `\`, "x", "\n"), Shape{Fields: 2, MaxField: 100}))
		require.ErrorIs(t, err, broken, n)
		in = io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken))
		r := NewReader(in, format("", "", `\`, "x", "\n"), Shape{Fields: 2, Widths: []int{3, 4}})
		err = r.Skip(5)
		require.ErrorIs(t, err, broken, n)
	}
	w := NewWriter(brokenWriter{broken}, clause.DefaultTextFormat(), []Column{{Text: true}})
	w.Field(0, make([]byte, 2*bufferSize), false)
	require.ErrorIs(t, w.End(), broken)
	require.ErrorIs(t, w.Flush(), broken)
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// TestReaderKeepsOneRow: a file of any length takes no more memory than a row.
func TestReaderKeepsOneRow(t *testing.T) {
	line := strings.Repeat("v", 1000) + "\n"
	const lines = 100_000
	in := NewReader(io.LimitReader(endless(line), int64(lines*len(line))), clause.DefaultTextFormat(), Shape{Fields: 1, MaxField: 500})
	n := 0
	for ; ; n++ {
		fields, _, err := in.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		require.Len(t, fields[0].Bytes, 501)
		require.LessOrEqual(t, cap(in.buf), 4096)
	}
	require.Equal(t, lines, n)
}

// endless repeats a text.
func endless(text string) io.Reader {
	at := 0
	return readerFunc(func(p []byte) (int, error) {
		n := copy(p, text[at:])
		at = (at + n) % len(text)
		return n, nil
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func BenchmarkReader(b *testing.B) {
	const line = "row0000001\tqualifier\t1700000000000\tsome value of forty bytes, or about that\n"
	b.SetBytes(int64(len(line)))
	in := NewReader(endless(line), clause.DefaultTextFormat(), Shape{Fields: 4, MaxField: 1 << 20})
	b.ReportAllocs()
	for b.Loop() {
		if fields, _, err := in.Next(); err != nil || len(fields) != 4 {
			b.Fatal(fmt.Sprint(fields, err))
		}
	}
}
