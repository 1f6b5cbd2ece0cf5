package load

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/sheet"
)

// keySource is lines below a header, each of which is a row with a key. It guesses the types
// of the fields, and finds duplicate keys.
type keySource struct {
	lines     cellio.Lines
	table     string
	header    []string
	names     []string
	key       *sheet.Key
	isKey     []bool // of each column
	order     []int  // the other columns by qualifier, so that cells come in a table's order
	guesses   []sheet.Guess
	keys      *sheet.Duplicates // nil if duplicates are allowed
	timestamp int64
	marker    []byte // the qualifier of the cell of a line without any other

	first  []sampled // lines that were read ahead
	sample [][]string
	number int
	buf    lineBytes
	cells  []driver.Cell
	one    []string // the fields of the first line that was loaded
}

// sampled is a line as it was read.
type sampled struct {
	fields []string
	line   int
	err    error
}

// sampleLines is the number of lines that decide whether a key's columns are integers.
const sampleLines = 1000

// newKeySource reads the header and the first lines.
func newKeySource(lines cellio.Lines, spec string) (*keySource, error) {
	s := &keySource{lines: lines}
	fields, _, err := lines.Next()
	var bad *cellio.BadLine
	switch {
	case err == io.EOF:
		return nil, errors.New("the file is empty: --key needs a header, which names the columns")
	case errors.As(err, &bad):
		return nil, fmt.Errorf("the header cannot be read: %s", bad.Reason)
	case err != nil:
		return nil, fmt.Errorf("the header cannot be read: %w", err)
	}
	s.header = slices.Clone(fields)
	s.names = sheet.Names(s.header)
	if s.key, err = sheet.ParseKey(spec, s.header, s.names); err != nil {
		return nil, err
	}
	s.isKey, s.guesses = make([]bool, len(s.names)), make([]sheet.Guess, len(s.names))
	for _, column := range s.key.Columns() {
		s.isKey[column] = true
	}
	for i := range s.names {
		if !s.isKey[i] {
			s.order = append(s.order, i)
		}
	}
	slices.SortFunc(s.order, func(a, b int) int { return strings.Compare(s.names[a], s.names[b]) })
	s.marker = s.freeQualifier()
	s.readAhead()
	return s, nil
}

// freeQualifier returns a qualifier that no column has.
func (s *keySource) freeQualifier() []byte {
	q := "_"
	for slices.Contains(s.names, q) {
		q += "_"
	}
	return []byte(q)
}

// readAhead reads the first lines, which decide the form of the key unless something else
// does.
func (s *keySource) readAhead() {
	for range sampleLines {
		fields, line, err := s.lines.Next()
		fields = slices.Clone(fields)
		s.first = append(s.first, sampled{fields, line, err})
		var bad *cellio.BadLine
		if err != nil && !errors.As(err, &bad) {
			break
		}
		s.sample = append(s.sample, fields)
	}
}

func (s *keySource) at() string { return fmt.Sprintf("line %d", s.number) }

func (s *keySource) tables() []string { return []string{s.table} }

func (s *keySource) next() ([]driver.Cell, error) {
	fields, err := s.fields()
	if err == io.EOF {
		return nil, s.end()
	} else if err != nil {
		return nil, err
	}
	if len(fields) != len(s.names) {
		reason := fmt.Sprintf("%s, where the header has %d", cli.Plural(len(fields), "field"), len(s.names))
		return nil, &cellio.BadLine{Reason: reason}
	}
	if s.buf, err = s.key.Append(s.buf[:0], fields); err != nil {
		return nil, &cellio.BadLine{Reason: err.Error()}
	}
	if s.keys != nil {
		if err := s.keys.Add(s.buf, s.number); err != nil {
			return nil, err
		}
	}
	if s.one == nil {
		s.one = slices.Clone(fields)
	}
	return s.row(s.buf, fields), nil
}

// row returns the cells of a line, without those of fields that are empty or \N, which is NULL
// in the output of export.
func (s *keySource) row(k []byte, fields []string) []driver.Cell {
	s.cells = s.cells[:0]
	for _, i := range s.order {
		if v := fields[i]; v != "" && v != `\N` {
			s.guesses[i].See(v)
			s.cells = append(s.cells, driver.Cell{K: k, Q: s.buf.take(s.names[i]), T: s.timestamp, V: s.buf.take(v)})
		}
	}
	if len(s.cells) == 0 {
		s.cells = append(s.cells, driver.Cell{K: k, Q: s.marker, T: s.timestamp, V: []byte{}})
	}
	return s.cells
}

// fields are the fields of the next line.
func (s *keySource) fields() ([]string, error) {
	var next sampled
	if len(s.first) > 0 {
		next, s.first = s.first[0], s.first[1:]
	} else {
		next.fields, next.line, next.err = s.lines.Next()
	}
	var bad *cellio.BadLine
	if next.err == nil || errors.As(next.err, &bad) {
		s.number = next.line
	}
	return next.fields, next.err
}

// end is io.EOF, or an error that names two lines with the same key.
func (s *keySource) end() error {
	if s.keys == nil {
		return io.EOF
	}
	first, second, found, err := s.keys.Find()
	switch {
	case err != nil:
		return err
	case found:
		return &refusal{fmt.Sprintf("lines %d and %d have the same key: name more columns, as in --key a,b, or let the "+
			"later one's cells take the place of the earlier one's by --duplicate-keys overwrite", first, second)}
	}
	return io.EOF
}

// refusal is an error of a file that was read to its end.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

// keyLines reads the lines of a file with a header.
func keyLines(p *part, separator string) (cellio.Lines, error) {
	if magic, _ := p.Peek(2); string(magic) == "\xff\xfe" || string(magic) == "\xfe\xff" {
		return nil, fmt.Errorf("%s is in UTF-16: convert it with iconv -f UTF-16 -t UTF-8", p.path)
	}
	if separator == "" {
		separator = p.headerSeparator()
	}
	return cellio.NewLines(bufio.NewReaderSize(p.wholeLines(), inputBuffer), separator), nil
}

// headerSeparator is what separates the names of a header: a tab if the file's name says so,
// else the comma, semicolon or tab that is most frequent outside quotes.
func (p *part) headerSeparator() string {
	if fileformat.OfName(p.path) == fileformat.TsvFile {
		return "\t"
	}
	counts, quoted := map[byte]int{}, false
	for _, b := range fileformat.FirstLine(p.Reader) {
		if b == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[b]++
		}
	}
	best := byte(',')
	for _, b := range []byte{';', '\t'} {
		if counts[b] > counts[best] {
			best = b
		}
	}
	return string(best)
}
