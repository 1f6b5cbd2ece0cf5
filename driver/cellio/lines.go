package cellio

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Lines give the fields of one line after the other.
type Lines interface {
	// Next are the fields, which are valid until the next call, and the number of
	// the line that they begin on; io.EOF behind the last. The error of a line
	// that cannot be read is a *BadLine; that of an input which ends within a quoted
	// field wraps io.ErrUnexpectedEOF.
	Next() (fields []string, line int, err error)
}

// NewLines reads CSV with quotes where the separator is a comma, or a semicolon, which
// spreadsheets write where the comma is in numbers; else fields that are separated and
// nothing else.
func NewLines(text *bufio.Reader, separator string) Lines {
	if separator != "," && separator != ";" {
		return &plainLines{r: text, separator: separator}
	}
	text = bufio.NewReader(&quotedReturns{r: text}) // which is what package csv reads, without a buffer between
	c := csv.NewReader(text)
	c.Comma = rune(separator[0])
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	return &csvLines{text: text, r: c}
}

// quotedReturns doubles the carriage return before a line feed in quotes, of which encoding/csv
// takes one away: a value has the bytes of its field, as LOAD DATA reads it.
type quotedReturns struct {
	r      *bufio.Reader
	quoted bool
	last   byte
	next   bool // the line feed is still to be given
}

func (q *quotedReturns) Read(p []byte) (n int, err error) {
	for ; n < len(p); n++ {
		if q.next {
			p[n], q.last, q.next = '\n', '\n', false
			continue
		}
		if n > 0 && q.r.Buffered() == 0 {
			return n, nil // a pipe may give no more for long
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

// csvLines reads RFC 4180: fields may be quoted and then hold line ends.
type csvLines struct {
	text *bufio.Reader
	r    *csv.Reader
}

func (c *csvLines) Next() ([]string, int, error) {
	fields, err := c.r.Read()
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		if _, end := c.text.Peek(1); end == io.EOF && bad.Err == csv.ErrQuote {
			// It may have taken many lines with it, and is not the error of one.
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

// plainLines reads lines whose fields are separated and nothing else, as
// ImportTsv does. Empty lines are passed over.
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
