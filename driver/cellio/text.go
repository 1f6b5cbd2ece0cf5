package cellio

import (
	"bufio"
	"errors"
	"strconv"
	"strings"
)

// The text of a cell is a line
//
//	row family:qualifier @timestamp value
//
// in which a byte that is not printable ASCII, a space, a backslash or a quote is
// written \xNN, and the empty string as "". NULL is written NULL, and a value of
// these four letters \x4eULL. Empty lines and lines that begin with # are skipped.

type textWriter struct{ w *bufio.Writer }

func (t *textWriter) Write(c Cell) error {
	out := append(appendWord(t.w.AvailableBuffer(), c.Row), ' ')
	out = append(append(out, c.Family...), ':')
	out = append(appendWord(out, c.Qualifier), " @"...)
	out = append(strconv.AppendInt(out, c.Timestamp, 10), ' ')
	switch {
	case c.Value == nil:
		out = append(out, "NULL"...)
	case string(c.Value) == "NULL":
		out = append(out, `\x4eULL`...)
	default:
		out = appendWord(out, c.Value)
	}
	_, err := t.w.Write(append(out, '\n'))
	return err
}

func (t *textWriter) Close() error { return t.w.Flush() }

func appendWord(out, b []byte) []byte {
	if len(b) == 0 {
		return append(out, `""`...)
	}
	if b[0] == '#' {
		out, b = append(out, `\x23`...), b[1:]
	}
	return appendEscaped(out, b, lowerHex, func(c byte) bool { return c != ' ' && c != '"' })
}

func word(s string) ([]byte, error) {
	if s == `""` {
		return []byte{}, nil
	}
	return unescape(s, false)
}

type textReader struct{ lineSource }

func (r *textReader) Read() (Cell, error) {
	for {
		line, err := r.next()
		if err != nil {
			return Cell{}, err
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		c, err := parseText(line)
		if err != nil {
			return Cell{}, r.bad("%v", err)
		}
		return c, nil
	}
}

var errText = errors.New("a cell is written: row family:qualifier @timestamp value")

func parseText(line string) (c Cell, err error) {
	part := strings.Fields(line)
	if len(part) != 4 || !strings.HasPrefix(part[2], "@") {
		return c, errText
	}
	family, qualifier, ok := strings.Cut(part[1], ":")
	if !ok {
		return c, errText
	}
	c.Family = family
	if c.Timestamp, err = strconv.ParseInt(part[2][1:], 10, 64); err != nil {
		return c, errText
	}
	if part[3] != "NULL" {
		if c.Value, err = word(part[3]); err != nil {
			return c, err
		}
	}
	if c.Row, err = word(part[0]); err != nil {
		return c, err
	}
	c.Qualifier, err = word(qualifier)
	return c, err
}
