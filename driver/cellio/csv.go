package cellio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// In CSV and TSV, bytes that are not printable ASCII, and the backslash, are written
// \xNN, and NULL is \N. Columns are found by their names in the header, in any order;
// those of SQL (K, F, Q, T, V) are known too, and the family may be missing.

var cellNames = []string{"row", "family", "qualifier", "timestamp", "value"}

const null = `\N`

// csvWriter writes CSV, or TSV with a tab between fields. A field of TSV needs no
// quotes, because a tab in it is written \x09.
type csvWriter struct {
	w         *bufio.Writer
	separator byte
	begun     bool
	field     []byte
}

func (w *csvWriter) header() {
	if !w.begun {
		w.begun = true
		_, _ = w.w.WriteString(strings.Join(cellNames, string(w.separator)) + "\n") // the buffer keeps its error
	}
}

func (w *csvWriter) Write(c Cell) error {
	w.header()
	w.escaped(c.Row)
	w.escaped([]byte(c.Family))
	w.escaped(c.Qualifier)
	_, _ = w.w.Write(append(strconv.AppendInt(w.w.AvailableBuffer(), c.Timestamp, 10), w.separator))
	if c.Value == nil {
		_, err := w.w.WriteString(null + "\n")
		return err
	}
	w.value(c.Value)
	return w.w.WriteByte('\n')
}

// escaped writes a field that is not the last.
func (w *csvWriter) escaped(b []byte) {
	w.value(b)
	_ = w.w.WriteByte(w.separator) // the buffer keeps its error
}

// value writes a field of bytes, quoted if CSV needs it.
func (w *csvWriter) value(b []byte) {
	w.field = appendEscaped(w.field[:0], b, upperHex, everything)
	w.quoted()
}

// quoted writes w.field.
func (w *csvWriter) quoted() {
	if w.separator == ',' && needsQuotes(w.field) {
		w.field = append(bytes.ReplaceAll(w.field, []byte(`"`), []byte(`""`)), '"')
		_ = w.w.WriteByte('"')
	}
	_, _ = w.w.Write(w.field)
	if cap(w.field) > 1<<20 {
		w.field = nil
	}
}

func needsQuotes(field []byte) bool {
	return bytes.ContainsAny(field, `",`) || len(field) > 0 && field[0] == ' '
}

func escaped(b []byte) string { return string(appendEscaped(nil, b, upperHex, everything)) }

// Close writes the header if there was no cell.
func (w *csvWriter) Close() error {
	w.header()
	return w.w.Flush()
}

type csvReader struct {
	lines Lines
	at    [5]int // of cellNames in a line, or -1
	width int
	line  int
}

func newCSVReader(text *bufio.Reader, separator string) (*csvReader, error) {
	r := &csvReader{lines: NewLines(text, separator)}
	header, _, err := r.lines.Next()
	if err != nil {
		return nil, fmt.Errorf("cellio: CSV and TSV begin with the names of their columns: %w", err)
	}
	r.width = len(header)
	for i, name := range cellNames {
		r.at[i] = slices.IndexFunc(header, func(h string) bool {
			h = strings.TrimSpace(h)
			return strings.EqualFold(h, name) || strings.EqualFold(h, "KFQTV"[i:i+1])
		})
		if r.at[i] < 0 && name != "family" {
			return nil, fmt.Errorf("cellio: the header has no column %s: %s", name, strings.Join(header, ","))
		}
	}
	return r, nil
}

func (r *csvReader) Read() (Cell, error) {
	fields, line, err := r.lines.Next()
	if line > 0 {
		r.line = line
	}
	var bad *BadLine
	switch {
	case errors.As(err, &bad):
		return Cell{}, &BadLine{line, bad.Reason}
	case err != nil:
		return Cell{}, err
	}
	c, err := r.cell(fields)
	if err != nil {
		return Cell{}, &BadLine{line, err.Error()}
	}
	return c, nil
}

// Line implements Reader.
func (r *csvReader) Line() int { return r.line }

func (r *csvReader) cell(fields []string) (c Cell, err error) {
	if len(fields) != r.width {
		return c, fmt.Errorf("%d fields, the header has %d", len(fields), r.width)
	}
	if c.Row, err = unescape(fields[r.at[0]], false); err != nil {
		return c, err
	}
	if r.at[1] >= 0 {
		family, err := unescape(fields[r.at[1]], false)
		if err != nil {
			return c, err
		}
		c.Family = string(family)
	}
	if c.Qualifier, err = unescape(fields[r.at[2]], false); err != nil {
		return c, err
	}
	if c.Timestamp, err = strconv.ParseInt(fields[r.at[3]], 10, 64); err != nil {
		return c, fmt.Errorf("the timestamp %q is not a number of milliseconds", fields[r.at[3]])
	}
	if value := fields[r.at[4]]; value != null {
		c.Value, err = unescape(value, false)
	}
	return c, err
}
