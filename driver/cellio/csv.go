package cellio

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// In CSV the bytes that are no printable ASCII, and the backslash, are written
// \xNN, and NULL is \N. The columns are found by their names in the header, in any
// order; those of SQL (K, F, Q, T, V) are known too, and the family may be missing.

var cellNames = []string{"row", "family", "qualifier", "timestamp", "value"}

const null = `\N`

type csvWriter struct {
	w      *csv.Writer
	record []string
	begun  bool
}

func newCSVWriter(w *bufio.Writer) *csvWriter {
	return &csvWriter{w: csv.NewWriter(w), record: make([]string, len(cellNames))}
}

func (w *csvWriter) header() error {
	if w.begun {
		return nil
	}
	w.begun = true
	return w.w.Write(cellNames)
}

func (w *csvWriter) Write(c Cell) error {
	if err := w.header(); err != nil {
		return err
	}
	value := null
	if c.Value != nil {
		value = escaped(c.Value)
	}
	w.record[0], w.record[1], w.record[2] = escaped(c.Row), escaped([]byte(c.Family)), escaped(c.Qualifier)
	w.record[3], w.record[4] = strconv.FormatInt(c.Timestamp, 10), value
	return w.w.Write(w.record)
}

func escaped(b []byte) string { return string(appendEscaped(nil, b, upperHex, everything)) }

// Close writes the header where there was no cell.
func (w *csvWriter) Close() error {
	err := w.header()
	w.w.Flush()
	return errors.Join(err, w.w.Error())
}

type csvReader struct {
	lines Lines
	at    [5]int // of cellNames in a line, or -1
	width int
}

func newCSVReader(text *bufio.Reader) (*csvReader, error) {
	r := &csvReader{lines: NewLines(text, ",")}
	header, _, err := r.lines.Next()
	if err != nil {
		return nil, fmt.Errorf("cellio: CSV begins with the names of its columns: %w", err)
	}
	r.width = len(header)
	for i, name := range cellNames {
		r.at[i] = slices.IndexFunc(header, func(h string) bool {
			h = strings.TrimSpace(h)
			return strings.EqualFold(h, name) || strings.EqualFold(h, "KFQTV"[i:i+1])
		})
		if r.at[i] < 0 && name != "family" {
			return nil, fmt.Errorf("cellio: the header of CSV has no column %s: %s", name, strings.Join(header, ","))
		}
	}
	return r, nil
}

func (r *csvReader) Read() (Cell, error) {
	fields, line, err := r.lines.Next()
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
		return c, fmt.Errorf("the timestamp %q is no number of ms", fields[r.at[3]])
	}
	if value := fields[r.at[4]]; value != null {
		c.Value, err = unescape(value, false)
	}
	return c, err
}
