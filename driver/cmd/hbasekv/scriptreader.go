package main

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver"
)

// scriptReader gives the statements of a script of any length.
type scriptReader struct {
	in    io.Reader
	text  []byte // read, and not yet given
	line  int    // that text begins on
	size  int    // of what is looked at once
	chunk int    // what size is at first
	// tried is up to where the text has been looked at in vain.
	tried int
	eof   bool

	statements []driver.ScriptStatement
}

// scriptChunk is how much of a script is looked at, unless a statement is longer.
const scriptChunk = 4 << 20

func newScriptReader(in io.Reader) *scriptReader {
	return &scriptReader{in: in, line: 1, size: scriptChunk, chunk: scriptChunk}
}

// next is the next statement; io.EOF behind the last.
func (s *scriptReader) next() (driver.ScriptStatement, error) {
	for len(s.statements) == 0 {
		if s.eof && len(s.text) == 0 {
			return driver.ScriptStatement{}, io.EOF
		}
		if err := s.fill(); err != nil {
			return driver.ScriptStatement{}, err
		}
		if err := s.split(); err != nil {
			return driver.ScriptStatement{}, err
		}
	}
	first := s.statements[0]
	s.statements = s.statements[1:]
	return first, nil
}

// fill reads on.
func (s *scriptReader) fill() error {
	have := len(s.text)
	if have >= s.size {
		s.size = 2 * have
	}
	s.text = slices.Grow(s.text, s.size-have)
	n, err := io.ReadFull(s.in, s.text[have:s.size])
	s.text = s.text[:have+n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		s.eof, err = true, nil
	}
	return err
}

// sentinel stands for the statement behind those of a text.
const sentinel = "x"

// split takes the statements that are there as a whole. Where there is more to
// read these are the ones before a sentinel: it is one of its own only where the
// text ends behind a semicolon that is not in quotes or in a comment.
func (s *scriptReader) split() error {
	end := len(s.text)
	if !s.eof {
		last := bytes.LastIndex(s.text, []byte(";\n"))
		if end = last + len(";\n"); last < 0 || end <= s.tried {
			return nil
		}
		s.tried = end
	}
	script := string(s.text[:end]) + sentinel
	if s.eof {
		script = script[:end]
	}
	statements, err := driver.SplitScript(script)
	switch {
	case s.eof && err != nil:
		return err
	case s.eof:
	case err != nil || len(statements) < 2:
		return nil
	default:
		statements, end = statements[:len(statements)-1], statements[len(statements)-1].Offset
	}
	for i := range statements {
		statements[i].Line += s.line - 1
	}
	s.statements = statements
	s.line += strings.Count(script[:end], "\n")
	s.text, s.size, s.tried = bytes.Clone(s.text[end:]), s.chunk, 0
	return nil
}
