package cellio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// Column is a column of rows that are not cells.
type Column struct {
	Name string
	Kind Kind
}

// Kind is what the fields of a column contain.
type Kind uint8

// The kinds.
const (
	Bytes Kind = iota
	Chars      // text, in UTF-8
	Number
	Document // JSON
)

// RowWriter writes rows.
type RowWriter interface {
	// Write writes a row. It does not keep the row's bytes. A nil field is
	// NULL.
	Write(fields [][]byte) error
	// Close writes what is buffered; it does not close the file.
	Close() error
}

// NewRowWriter writes rows as CSV, TSV or JSONLines, and fails for other formats.
// A line of JSONLines is an object whose members are the columns: numbers and
// documents as they are, and bytes as in cells. CSV and TSV have bytes and NULL
// as in cells; of text, only control characters and the backslash are escaped.
func NewRowWriter(w io.Writer, f Format, columns []Column) (RowWriter, error) {
	out := bufio.NewWriterSize(w, bufferSize)
	switch f {
	case CSV:
		return newTableWriter(&csvWriter{w: out, separator: ','}, columns), nil
	case TSV:
		return newTableWriter(&csvWriter{w: out, separator: '\t'}, columns), nil
	case JSONLines:
		return newObjectWriter(out, columns)
	}
	return nil, fmt.Errorf("cellio: rows are written as CSV, TSV or JSON lines")
}

// tableWriter writes rows below a header.
type tableWriter struct {
	w       *csvWriter
	columns []Column
}

func newTableWriter(w *csvWriter, columns []Column) *tableWriter {
	t := &tableWriter{w, columns}
	for i, c := range columns {
		t.separate(i)
		t.w.chars([]byte(c.Name))
	}
	_ = w.w.WriteByte('\n') // the buffer keeps its error
	return t
}

func (t *tableWriter) separate(i int) {
	if i > 0 {
		_ = t.w.w.WriteByte(t.w.separator) // the buffer keeps its error
	}
}

func (t *tableWriter) Write(fields [][]byte) error {
	for i, field := range fields {
		t.separate(i)
		switch {
		case field == nil:
			_, _ = t.w.w.WriteString(null)
		case t.columns[i].Kind == Bytes:
			t.w.value(field)
		default:
			t.w.chars(field)
		}
	}
	return t.w.w.WriteByte('\n')
}

func (t *tableWriter) Close() error { return t.w.w.Flush() }

// chars writes a field of text.
func (w *csvWriter) chars(b []byte) {
	if !utf8.Valid(b) {
		w.value(b)
		return
	}
	w.field = w.field[:0]
	for _, c := range b {
		if c < ' ' || c == '\\' || c == 0x7f {
			w.field = append(w.field, '\\', 'x', upperHex[c>>4], upperHex[c&15])
		} else {
			w.field = append(w.field, c)
		}
	}
	w.quoted()
}

// objectWriter writes an object per row.
type objectWriter struct {
	w       *bufio.Writer
	columns []Column
	names   [][]byte // as JSON, with the punctuation around them
	text    bytes.Buffer
	enc     *json.Encoder // to text
}

func newObjectWriter(w *bufio.Writer, columns []Column) (*objectWriter, error) {
	o := &objectWriter{w: w, columns: columns}
	o.enc = json.NewEncoder(&o.text)
	o.enc.SetEscapeHTML(false)
	for i, c := range columns {
		name, err := o.encode(c.Name)
		if err != nil {
			return nil, err
		}
		before := ","
		if i == 0 {
			before = "{"
		}
		o.names = append(o.names, []byte(before+string(name)+":"))
	}
	return o, nil
}

// encode returns a value as JSON, valid until the next call.
func (o *objectWriter) encode(v any) ([]byte, error) {
	o.text.Reset()
	err := o.enc.Encode(v)
	return bytes.TrimSuffix(o.text.Bytes(), []byte{'\n'}), err
}

func (o *objectWriter) Write(fields [][]byte) error {
	for i, field := range fields {
		text, err := o.field(o.columns[i].Kind, field)
		if err != nil {
			return err
		}
		_, _ = o.w.Write(o.names[i]) // the buffer keeps its error
		_, _ = o.w.Write(text)
	}
	_, err := o.w.WriteString("}\n")
	return err
}

func (o *objectWriter) field(kind Kind, field []byte) ([]byte, error) {
	switch {
	case field == nil:
		return []byte("null"), nil
	case kind == Bytes:
		return o.encode(jsonBytes(field))
	case kind == Chars || !json.Valid(field):
		return o.encode(string(field))
	}
	return field, nil
}

func (o *objectWriter) Close() error { return o.w.Flush() }
