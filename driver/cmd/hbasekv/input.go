package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// input is the file that is loaded, line by line.
type input struct {
	size   int64        // in bytes as stored, -1 where unknown
	read   atomic.Int64 // bytes as stored, so far
	lines  lineReader
	closer []io.Closer
}

// lineReader gives the fields of one line after the other, which are valid
// until the next call, and the number of the line that they begin on.
type lineReader interface {
	next() (fields []string, line int, err error)
}

// badLine is the error of a line that cannot be read; the reader goes on
// behind it.
type badLine struct{ reason string }

func (e *badLine) Error() string { return e.reason }

// openInput opens a file, or standard input for "-". A gzipped file is known by
// its first bytes; CSV from TSV by the name or, where that says nothing, by
// whether there is a tab in the first line. separator decides where it is
// given: comma means CSV with quotes, anything else plain fields.
func openInput(path, separator string, stdin io.Reader) (*input, error) {
	in := &input{size: -1}
	var raw io.Reader = stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		in.closer = append(in.closer, f)
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			in.size = info.Size()
		}
		raw = f
	}
	text, err := in.plain(&countingReader{raw, &in.read})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), in.Close())
	}
	if bom, _ := text.Peek(3); string(bom) == "\xef\xbb\xbf" {
		_, _ = text.Discard(3)
	}
	if separator == "" {
		separator = guessSeparator(path, text)
	}
	in.lines = newLineReader(text, separator)
	return in, nil
}

// plain takes the compression off.
func (in *input) plain(raw io.Reader) (*bufio.Reader, error) {
	buffered := bufio.NewReaderSize(raw, 256<<10)
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return buffered, nil
	}
	unzip, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, err
	}
	in.closer = append(in.closer, unzip)
	return bufio.NewReaderSize(unzip, 256<<10), nil
}

func (in *input) Close() error {
	var errs []error
	for _, c := range in.closer {
		errs = append(errs, c.Close())
	}
	in.closer = nil
	return errors.Join(errs...)
}

func guessSeparator(path string, text *bufio.Reader) string {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) {
	case ".csv":
		return ","
	case ".tsv", ".tab":
		return "\t"
	}
	if bytes.ContainsRune(firstLine(text), '\t') {
		return "\t"
	}
	return ","
}

// firstLine looks at the first line without waiting for more than that.
func firstLine(text *bufio.Reader) []byte {
	for n := 1; ; n = text.Buffered() + 1 {
		_, err := text.Peek(n)
		head, _ := text.Peek(text.Buffered())
		line, _, found := bytes.Cut(head, []byte{'\n'})
		if found || err != nil {
			return line
		}
	}
}

func newLineReader(text *bufio.Reader, separator string) lineReader {
	if separator != "," {
		return &plainReader{r: text, separator: separator}
	}
	c := csv.NewReader(text)
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	return &csvReader{r: c}
}

// csvReader reads RFC 4180: fields may be quoted and then hold line ends.
type csvReader struct{ r *csv.Reader }

func (c *csvReader) next() ([]string, int, error) {
	fields, err := c.r.Read()
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return nil, bad.StartLine, &badLine{bad.Err.Error()}
	}
	if err != nil {
		return nil, 0, err
	}
	line, _ := c.r.FieldPos(0)
	return fields, line, nil
}

// plainReader reads lines whose fields are separated and nothing else, as
// ImportTsv does. Empty lines are passed over.
type plainReader struct {
	r         *bufio.Reader
	separator string
	line      int
	fields    []string
}

func (p *plainReader) next() ([]string, int, error) {
	for {
		text, err := p.r.ReadString('\n')
		if text == "" {
			return nil, 0, err
		}
		if err != nil && err != io.EOF {
			return nil, 0, err
		}
		p.line++
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		if text != "" {
			p.split(text)
			return p.fields, p.line, nil
		}
	}
}

func (p *plainReader) split(text string) {
	p.fields = p.fields[:0]
	for found := true; found; {
		var field string
		field, text, found = strings.Cut(text, p.separator)
		p.fields = append(p.fields, field)
	}
}

// countingReader counts what is read through it.
type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
