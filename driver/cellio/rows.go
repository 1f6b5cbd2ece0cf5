package cellio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// Column is a column of rows that are no cells.
type Column struct {
	Name string
	Kind Kind
}

// Kind is what the fields of a column are.
type Kind uint8

// The kinds.
const (
	Bytes Kind = iota
	Chars      // text, in UTF-8
	Number
	Document // JSON
)

// RowWriter takes rows.
type RowWriter interface {
	// Write writes a row, whose bytes it does not keep. A field that is nil is
	// NULL.
	Write(fields [][]byte) error
	// Close writes what is left; it does not close the file.
	Close() error
}

// NewRowWriter writes rows as CSV, TSV or JSONLines. A line of JSONLines is an
// object whose members are the columns: numbers and documents as they are, and
// bytes as those of cells. In CSV and TSV bytes and NULL are written as in cells;
// of text only what is neither printable ASCII nor beyond ASCII is escaped.
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

// tableWriter writes rows under a line of names.
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
	_ = w.w.WriteByte('\n') // its error stays with the buffer
	return t
}

func (t *tableWriter) separate(i int) {
	if i > 0 {
		_ = t.w.w.WriteByte(t.w.separator) // its error stays with the buffer
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

// objectWriter writes an object for each row.
type objectWriter struct {
	w       *bufio.Writer
	columns []Column
	names   [][]byte // as JSON, with what stands before and behind
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

// encode is a value as JSON, valid until the next call.
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
		_, _ = o.w.Write(o.names[i]) // its error stays with the buffer
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
