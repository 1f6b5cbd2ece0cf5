package shell

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// printer prints one result set.
type printer interface {
	begin(columns []*sql.ColumnType) error
	row(values []any) error
	end() error
}

// formats are the printers by the names for --format.
var formats = map[string]func(*bufio.Writer) printer{
	"table":    func(w *bufio.Writer) printer { return &tablePrinter{w: w} },
	"vertical": func(w *bufio.Writer) printer { return &verticalPrinter{w: w} },
	"tsv":      func(w *bufio.Writer) printer { return &tsvPrinter{w: w} },
	"csv":      func(w *bufio.Writer) printer { return &csvPrinter{w: w} },
	"json":     func(w *bufio.Writer) printer { return &jsonPrinter{w: w} },
}

// printRows prints a result set and counts its rows.
func printRows(w io.Writer, format string, rows *sql.Rows) (n int, err error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return 0, err
	}
	buffered := bufio.NewWriterSize(w, 64<<10)
	p := formats[format](buffered)
	if err := p.begin(types); err != nil {
		return 0, err
	}
	values := make([]any, len(types))
	pointers := make([]any, len(types))
	for i := range values {
		pointers[i] = &values[i]
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(pointers...); err != nil {
			return n, err
		}
		if err := p.row(values); err != nil {
			return n, err
		}
	}
	// Rows before an error are printed too, but a header without rows is not.
	if n == 0 && rows.Err() != nil {
		return 0, rows.Err()
	}
	err = p.end()
	if flushErr := buffered.Flush(); err == nil {
		err = flushErr
	}
	if rows.Err() != nil {
		err = rows.Err()
	}
	return n, err
}

func labels(columns []*sql.ColumnType) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = cli.DisplayBytes([]byte(c.Name()))
	}
	return out
}

// tsvPrinter prints as MySQL's batch mode does: tabs between fields, one line
// per row.
type tsvPrinter struct{ w *bufio.Writer }

func (p *tsvPrinter) begin(columns []*sql.ColumnType) error {
	_, err := fmt.Fprintln(p.w, strings.Join(labels(columns), "\t"))
	return err
}

func (p *tsvPrinter) row(values []any) error {
	for i, v := range values {
		if i > 0 {
			p.w.WriteByte('\t')
		}
		if s := cli.Display(v); s != nil {
			cli.Escape.WriteString(p.w, *s)
		} else {
			p.w.WriteString("NULL")
		}
	}
	return p.w.WriteByte('\n')
}

func (p *tsvPrinter) end() error { return nil }

// csvPrinter prints RFC 4180. NULL is the bare word; the same word as a value,
// and the empty value, are quoted.
type csvPrinter struct{ w *bufio.Writer }

func (p *csvPrinter) begin(columns []*sql.ColumnType) error {
	for i, label := range labels(columns) {
		p.field(i, &label)
	}
	return p.w.WriteByte('\n')
}

func (p *csvPrinter) row(values []any) error {
	for i, v := range values {
		p.field(i, cli.Display(v))
	}
	return p.w.WriteByte('\n')
}

func (p *csvPrinter) field(i int, s *string) {
	if i > 0 {
		p.w.WriteByte(',')
	}
	switch {
	case s == nil:
		p.w.WriteString("NULL")
	case *s == "" || *s == "NULL" || strings.ContainsAny(*s, "\",\r\n") || (*s)[0] == ' ':
		p.w.WriteString(`"` + strings.ReplaceAll(*s, `"`, `""`) + `"`)
	default:
		p.w.WriteString(*s)
	}
}

func (p *csvPrinter) end() error { return nil }

// jsonPrinter prints an array with one object per line, whose members are in
// the order of the columns.
type jsonPrinter struct {
	w       *bufio.Writer
	columns []*sql.ColumnType
	rows    int
}

func (p *jsonPrinter) begin(columns []*sql.ColumnType) error {
	p.columns = columns
	return p.w.WriteByte('[')
}

func (p *jsonPrinter) row(values []any) error {
	if p.rows++; p.rows > 1 {
		p.w.WriteByte(',')
	}
	p.w.WriteString("\n{")
	for i, v := range values {
		if i > 0 {
			p.w.WriteString(", ")
		}
		if err := p.encode(p.columns[i].Name()); err != nil {
			return err
		}
		p.w.WriteString(": ")
		if err := p.encode(p.value(i, v)); err != nil {
			return err
		}
	}
	return p.w.WriteByte('}')
}

// value keeps numbers and JSON unquoted.
func (p *jsonPrinter) value(i int, v any) any {
	b, ok := v.([]byte)
	if !ok {
		return v
	}
	switch p.columns[i].DatabaseTypeName() {
	case "DECIMAL", "JSON":
		if json.Valid(b) {
			return json.RawMessage(b)
		}
	}
	return cli.DisplayBytes(b)
}

func (p *jsonPrinter) encode(v any) error {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := p.w.Write(bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}))
	return err
}

func (p *jsonPrinter) end() error {
	_, err := p.w.WriteString("\n]\n")
	return err
}
