package shell

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// scriptReader splits a script of any length into statements.
type scriptReader struct {
	in    io.Reader
	text  []byte // read, and not yet returned
	line  int    // the number of the line on which text begins
	size  int    // how many bytes are parsed at once
	chunk int    // the initial size
	// tried is how much of the text has been searched without success.
	tried int
	eof   bool
	// ends says that the script is an export's, which has a final line; tail is the end of
	// what was read.
	ends bool
	tail []byte

	statements []driver.ScriptStatement
}

// scriptChunk is how many bytes of a script are parsed at once, unless a statement is
// longer.
const scriptChunk = 4 << 20

func newScriptReader(in io.Reader) *scriptReader {
	return &scriptReader{in: in, line: 1, size: scriptChunk, chunk: scriptChunk}
}

// next returns the next statement, or io.EOF after the last. The error of a statement that
// may be incomplete, and that would change something, is errUnfinished.
func (s *scriptReader) next() (driver.ScriptStatement, error) {
	for len(s.statements) == 0 {
		if s.eof && len(s.text) == 0 {
			return driver.ScriptStatement{}, s.end()
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
	if first.Open && (!reads.MatchString(first.Text) || changes.MatchString(first.Text)) {
		return first, errUnfinished
	}
	return first, nil
}

// end is the error after the last statement.
func (s *scriptReader) end() error {
	if s.ends && !bytes.HasSuffix(bytes.TrimRight(s.tail, "\r\n"), []byte("\n"+cli.DumpEnd)) {
		return errDumpCutOff
	}
	return io.EOF
}

var errDumpCutOff = errors.New("the script is an export that was cut off: its last line is missing. " +
	"What stands in it has been run, and is not all that was exported")

// Running part of a statement does no harm if it begins like one that reads, and nothing
// in it writes to tables, files or variables.
var (
	reads   = regexp.MustCompile(`(?i)^[(\s]*(select|with|show|describe|desc|explain|use|help)\b`)
	changes = regexp.MustCompile(`(?i)\b(into|update|delete)\b`)
)

var errUnfinished = errors.New("the script ends without a semicolon, so its last statement may be incomplete. " +
	"It was not run; end it with a semicolon")

// fill reads more.
func (s *scriptReader) fill() error {
	before := len(s.text)
	if before >= s.size {
		s.size = 2 * before
	}
	have := before
	s.text = slices.Grow(s.text, s.size-before)
	for have < s.size && !s.eof {
		n, err := s.in.Read(s.text[have:s.size])
		have += n
		if s.eof = err == io.EOF; err != nil && !s.eof {
			return err
		}
	}
	if s.text = s.text[:have]; s.tail == nil {
		head, _, _ := bytes.Cut(s.text, []byte(cli.DumpEnds+"\n"))
		s.ends = len(head) < len(s.text) && bytes.Count(head, []byte("\n")) == 1 && bytes.HasPrefix(head, []byte("-- "))
	}
	s.tail = append(s.tail, s.text[before:]...)
	s.tail = slices.Clone(s.tail[max(0, len(s.tail)-tailBytes):])
	return nil
}

// tailBytes is how much of the end of a script is kept: more than its last line.
const tailBytes = 64

// sentinel is a statement that is appended to a text.
const sentinel = "x"

// split finds the complete statements. If there is more to read, these are the
// ones before a sentinel: it is a separate statement only if the text ends with
// a semicolon that is not in quotes or in a comment.
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
