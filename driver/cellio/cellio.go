package cellio

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"
)

// Cell is one version of a cell.
type Cell struct {
	Row, Qualifier []byte
	// Family is empty in a table that is in no table group.
	Family    string
	Timestamp int64
	Value     []byte // nil is NULL
}

// Format is a text form of cells.
type Format uint8

// The formats.
const (
	Text Format = iota
	CSV
	JSONLines
	Shell
	SQL
	TSV
)

// FormatOf is the format of a file, by the extension of its name: .csv, .tsv and
// .tab, .jsonl and .ndjson, .sql, .scan; else Text.
func FormatOf(name string) Format {
	switch strings.ToLower(path.Ext(name)) {
	case ".csv":
		return CSV
	case ".tsv", ".tab":
		return TSV
	case ".jsonl", ".ndjson":
		return JSONLines
	case ".sql":
		return SQL
	case ".scan":
		return Shell
	}
	return Text
}

// Reader reads cells.
type Reader interface {
	// Read returns the next cell, or io.EOF after the last. Its bytes are the
	// caller's. The error of a cell that cannot be read is a *BadLine; that of an
	// input that is cut off, if the format shows it, wraps io.ErrUnexpectedEOF.
	Read() (Cell, error)
	// Line is the number of the line on which the last cell began, from 1.
	Line() int
}

// Writer writes cells.
type Writer interface {
	// Write writes a cell. It does not keep the cell's bytes.
	Write(Cell) error
	// Close writes what is buffered; it does not close the file.
	Close() error
}

// BadLine is the error of a line that cannot be read. The reader continues
// after the line.
type BadLine struct {
	Line   int // from 1; 0 is unknown
	Reason string
}

func (e *BadLine) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// errCutOff is the error of an input that ends too early.
var errCutOff = fmt.Errorf("the input was cut off: %w", io.ErrUnexpectedEOF)

// bufferSize is the size of the buffers for reading and writing.
const bufferSize = 64 << 10

// NewReader reads cells in a format. It fails for SQL, and for a CSV or TSV header
// without the columns.
func NewReader(r io.Reader, f Format) (Reader, error) {
	text := bufio.NewReaderSize(r, bufferSize)
	switch f {
	case Text:
		return &textReader{lineSource{text: text}}, nil
	case CSV:
		return newCSVReader(text, ",")
	case TSV:
		return newCSVReader(text, "\t")
	case JSONLines:
		return &jsonReader{lineSource{text: text}}, nil
	case Shell:
		return &shellReader{lines: lineSource{text: text}}, nil
	}
	return nil, fmt.Errorf("cellio: SQL cannot be read as cells: run the statements")
}

// NewWriter writes cells in a format. Only SQL needs the table: its name or,
// for cells with families, that of their table group.
func NewWriter(w io.Writer, f Format, table string) Writer {
	out := bufio.NewWriterSize(w, bufferSize)
	switch f {
	case CSV:
		return &csvWriter{w: out, separator: ','}
	case TSV:
		return &csvWriter{w: out, separator: '\t'}
	case JSONLines:
		return newJSONWriter(out)
	case Shell:
		return &shellWriter{w: out}
	case SQL:
		return &sqlWriter{w: out, table: table}
	}
	return &textWriter{out}
}

// lineSource reads lines of any length.
type lineSource struct {
	text *bufio.Reader
	line int // the number of the last line
}

// next returns a line without its end, or io.EOF after the last.
func (s *lineSource) next() (string, error) {
	text, err := s.text.ReadString('\n')
	if text == "" {
		return "", err
	}
	if err != nil && err != io.EOF {
		return "", err
	}
	s.line++
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), nil
}

// Line implements Reader for readers of lines.
func (s *lineSource) Line() int { return s.line }

func (s *lineSource) bad(format string, args ...any) error {
	return &BadLine{s.line, fmt.Sprintf(format, args...)}
}
