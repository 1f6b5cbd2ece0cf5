package textfile

import (
	"bufio"
	"io"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
)

// Column is a column of the rows that a Writer writes.
type Column struct {
	Text bool // its values are texts or byte strings, not numbers
	// Width is the width of the column in a file of fixed widths, in bytes.
	Width int
}

// Writer writes rows. Its errors are those of its output.
type Writer struct {
	out     *bufio.Writer
	format  clause.TextFormat
	columns []Column
	fixed   bool
	// bare and quoted are the bytes that are escaped in fields without and with quotes.
	bare, quoted [256]bool
	// ambiguous is the quote or, without one, the terminator of fields if that is a letter with a meaning
	// after an escape: it is then doubled.
	ambiguous int
	escaped   bool // numbers are escaped too
	err       error
}

// The first bytes that make fields ambiguous: letters of escapes, and characters of numbers. MySQL counts NUL
// among both.
const (
	escapeLetters = "ntrb0ZN\x00"
	numberBytes   = ".0123456789e+-\x00"
)

// NewWriter writes rows to w.
func NewWriter(w io.Writer, f clause.TextFormat, columns []Column) *Writer {
	if f.LinesTerminated == "" {
		f.LinesTerminated = f.FieldsTerminated
	}
	out := &Writer{out: bufio.NewWriterSize(w, bufferSize), format: f, columns: columns, fixed: f.FixedWidth(),
		ambiguous: never}
	separator := first(f.Enclosed)
	if separator == never {
		separator = first(f.FieldsTerminated)
	}
	out.escaped = separator != never && strings.IndexByte(numberBytes, byte(separator)) >= 0
	if separator != never && strings.IndexByte(escapeLetters, byte(separator)) >= 0 {
		out.ambiguous = separator
	}
	for c := range 256 {
		always, field := c == 0 || c == first(f.Escaped) || c == first(f.LinesTerminated), c == first(f.FieldsTerminated)
		out.bare[c] = always && !field || field && !out.IsAmbiguous()
		out.quoted[c] = always || c == separator
	}
	return out
}

// IsAmbiguous reports whether what is written may not be read back the same, because of the terminator of
// fields: warning 1475.
func (w *Writer) IsAmbiguous() bool {
	texts, numbers := false, false
	for _, c := range w.columns {
		texts, numbers = texts || c.Text, numbers || !c.Text
	}
	bare := w.format.Optionally && w.format.FieldsTerminated != "" || w.format.Enclosed == ""
	number := func(s string) bool { return s != "" && strings.IndexByte(numberBytes, s[0]) >= 0 }
	return w.ambiguous != never && w.format.Enclosed == "" && (texts || w.escaped) ||
		bare && numbers && number(w.format.FieldsTerminated)
}

// Begin begins a row.
func (w *Writer) Begin() { w.string(w.format.LinesStarting) }

// Field writes the value of the row's column i; null is NULL.
func (w *Writer) Field(i int, value []byte, null bool) {
	c := w.columns[i]
	if i > 0 {
		w.string(w.format.FieldsTerminated)
	}
	switch {
	case w.fixed:
		w.padded(c, value)
	case null && w.format.Escaped != "":
		w.string(w.format.Escaped + "N")
	case null:
		w.string("NULL")
	default:
		w.field(c, value)
	}
}

func (w *Writer) field(c Column, value []byte) {
	optionally := w.format.Optionally && w.format.FieldsTerminated != ""
	quoted := w.format.Enclosed != "" && (c.Text || !optionally)
	if quoted {
		w.string(w.format.Enclosed)
	}
	special := &w.bare
	if quoted {
		special = &w.quoted
	}
	w.value(c, value, special)
	if quoted {
		w.string(w.format.Enclosed)
	}
}

// value writes a value's bytes, escaped.
func (w *Writer) value(c Column, value []byte, special *[256]bool) {
	if w.format.Escaped == "" || !c.Text && !w.escaped {
		w.bytes(value)
		return
	}
	start := 0
	for i, b := range value {
		if !special[b] {
			continue
		}
		w.bytes(value[start:i])
		w.escape(b)
		start = i + 1
	}
	w.bytes(value[start:])
}

func (w *Writer) escape(b byte) {
	mark := w.format.Escaped[0]
	if int(b) == w.ambiguous {
		mark = b
	}
	if b == 0 {
		b = '0'
	}
	w.bytes([]byte{mark, b})
}

// padded writes a value in its column's width.
func (w *Writer) padded(c Column, value []byte) {
	value = value[:min(len(value), c.Width)]
	w.value(c, value, &w.bare)
	for range c.Width - len(value) {
		w.string(" ")
	}
}

// End ends a row. Its error may come from earlier calls.
func (w *Writer) End() error {
	w.string(w.format.LinesTerminated)
	return w.err
}

// Flush writes what is still in memory. The error is the output's.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}

func (w *Writer) string(s string) {
	if w.err == nil {
		_, w.err = w.out.WriteString(s)
	}
}

func (w *Writer) bytes(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}
