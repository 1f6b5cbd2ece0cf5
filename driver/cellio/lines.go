package cellio

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Lines read the fields of line after line.
type Lines interface {
	// Next returns the fields, which are valid until the next call, and the number
	// of the line on which they begin, or io.EOF after the last. The error of a line
	// that cannot be read is a *BadLine; that of an input that ends within a quoted
	// field wraps io.ErrUnexpectedEOF.
	Next() (fields []string, line int, err error)
}

// NewLines reads CSV with quotes if the separator is a comma, or a semicolon, which
// spreadsheets write if the comma is in numbers. With any other separator, quotes have
// no meaning.
func NewLines(text *bufio.Reader, separator string) Lines {
	if separator != "," && separator != ";" {
		return &plainLines{r: text, separator: separator}
	}
	text = bufio.NewReader(&quotedReturns{r: text}) // a bufio.Reader, which package csv uses as it is
	c := csv.NewReader(text)
	c.Comma = rune(separator[0])
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	return &csvLines{text: text, r: c}
}

// quotedReturns doubles a carriage return before a line feed in quotes, because encoding/csv
// drops one: a value keeps the bytes of its field, as in LOAD DATA.
type quotedReturns struct {
	r      *bufio.Reader
	quoted bool
	last   byte
	next   bool // the line feed is still to be returned
}

func (q *quotedReturns) Read(p []byte) (n int, err error) {
	for ; n < len(p); n++ {
		if q.next {
			p[n], q.last, q.next = '\n', '\n', false
			continue
		}
		if n > 0 && q.r.Buffered() == 0 {
			return n, nil // a pipe may have no more for a long time
		}
		if p[n], err = q.r.ReadByte(); err != nil {
			return n, err
		}
		switch {
		case p[n] == '"':
			q.quoted = !q.quoted
		case p[n] == '\n' && q.quoted && q.last == '\r':
			p[n], q.next = '\r', true
		}
		q.last = p[n]
	}
	return n, nil
}

// csvLines reads RFC 4180: fields may be quoted, and may then contain line ends.
type csvLines struct {
	text *bufio.Reader
	r    *csv.Reader
}

func (c *csvLines) Next() ([]string, int, error) {
	fields, err := c.r.Read()
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		if _, end := c.text.Peek(1); end == io.EOF && bad.Err == csv.ErrQuote {
			// The field may have swallowed many lines, so this is not the error of one line.
			return nil, bad.StartLine, fmt.Errorf("the input ends in line %d, which has a quoted field without its end: %w",
				bad.StartLine, errCutOff)
		}
		return nil, bad.StartLine, &BadLine{Reason: bad.Err.Error()}
	}
	if err != nil {
		return nil, 0, err
	}
	line, _ := c.r.FieldPos(0)
	return fields, line, nil
}

// plainLines reads lines of separated fields without quotes, as ImportTsv does.
// It skips empty lines.
type plainLines struct {
	r         *bufio.Reader
	separator string
	line      int
	fields    []string
}

func (p *plainLines) Next() ([]string, int, error) {
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

func (p *plainLines) split(text string) {
	p.fields = p.fields[:0]
	for found := true; found; {
		var field string
		field, text, found = strings.Cut(text, p.separator)
		p.fields = append(p.fields, field)
	}
}
