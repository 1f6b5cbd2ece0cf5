package textfile

import (
	"bufio"
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
)

// bufferSize is the number of bytes that are read and written at once.
const bufferSize = 64 << 10

// never is the first byte of an empty string: it equals no byte.
const never = -1

// Field is one field of a row.
type Field struct {
	// Bytes are valid until the next row; for NULL they are undefined.
	Bytes []byte
	Null  bool // \N, or the word NULL without quotes if fields may have quotes
}

// Shape describes the rows that a Reader reads.
type Shape struct {
	// Fields is the number of fields in a row.
	Fields int
	// Widths are the widths of the fields in a file of fixed widths, in bytes, or Rest.
	Widths []int
	// MaxField is the maximum useful length of a field, in bytes: of a longer one the first MaxField + 1
	// bytes are returned.
	MaxField int
}

// Rest is the width of a field that takes the rest of the line, for which the line may be 256 bytes longer.
const Rest = -1

// Reader reads rows.
type Reader struct {
	in     *bufio.Reader
	shape  Shape
	format clause.TextFormat
	// The first bytes of the terminators, the escape and the quote, or never.
	field, line, escape, quote int
	// bare and quoted are the bytes that end a run of ordinary ones, outside of quotes and in them.
	bare, quoted [256]bool
	lines        bool // the format has a terminator of lines

	buf    []byte // of the row
	fields []Field
	ends   []int // of the fields in buf
	// atStart says that LINES STARTING BY must be found; ended that the row's last field ended its line;
	// eof that the input has ended.
	atStart, ended, eof bool
	err                 error // of the input
}

// NewReader reads rows from r. Its errors are r's.
func NewReader(r io.Reader, f clause.TextFormat, shape Shape) *Reader {
	lines := f.LinesTerminated != ""
	if f.LinesTerminated == f.FieldsTerminated {
		f.LinesTerminated = "" // a line is as many fields as a row has
	}
	longest := max(len(f.FieldsTerminated), len(f.LinesTerminated), len(f.LinesStarting))
	in := &Reader{
		in: bufio.NewReaderSize(r, max(bufferSize, longest)), shape: shape, format: f,
		field: first(f.FieldsTerminated), line: first(f.LinesTerminated), escape: first(f.Escaped),
		quote: first(f.Enclosed), atStart: f.LinesStarting != "", fields: make([]Field, shape.Fields),
		lines: lines,
	}
	for c := range 256 {
		in.bare[c] = c == in.escape || c == in.line || c == in.field
		in.quoted[c] = c == in.escape || c == in.quote
	}
	return in
}

func first(s string) int {
	if s == "" {
		return never
	}
	return int(s[0])
}

// get is the next byte, or never at the end of the input.
func (r *Reader) get() int {
	c, err := r.in.ReadByte()
	if err != nil {
		r.fails(err)
		return never
	}
	return int(c)
}

// fails notes the end of the input, and an error.
func (r *Reader) fails(err error) {
	if err != io.EOF {
		r.err = err
	}
}

// peek is get without consuming the byte.
func (r *Reader) peek() int {
	b, err := r.in.Peek(1)
	if err != nil {
		r.fails(err)
		return never
	}
	return int(b[0])
}

// takes consumes s if it comes next; s must not be empty.
func (r *Reader) takes(s string) bool {
	next, err := r.in.Peek(len(s))
	if err != nil {
		r.fails(err)
	}
	if string(next) != s {
		return false
	}
	r.pass(len(s))
	return true
}

// pass consumes bytes that have been peeked at.
func (r *Reader) pass(n int) { _, _ = r.in.Discard(n) }

// passes consumes the rest of a terminator whose first byte was consumed, if it comes next.
func (r *Reader) passes(terminator string) bool {
	return len(terminator) == 1 || r.takes(terminator[1:])
}

// Skip skips lines, however many fields they have: IGNORE n LINES. If the format has no terminator of lines,
// it skips rows. Errors are those of the input.
func (r *Reader) Skip(lines uint64) error {
	for ; lines > 0 && !r.eof && r.err == nil; lines-- {
		if r.lines {
			r.nextLine()
		} else {
			r.readRow()
		}
	}
	return r.err
}

// Next reads a row: its fields, fewer than Shape says if the line ends before, and whether the line has more,
// which are skipped. The error is io.EOF at the end; a last line without a terminator never has more, as in
// MySQL. Other errors are those of the input.
func (r *Reader) Next() (fields []Field, more bool, err error) {
	if r.eof {
		return nil, false, r.end()
	}
	n, ok := r.readRow()
	if r.err != nil || !ok {
		return nil, false, r.end()
	}
	more = r.nextLine()
	if r.err != nil {
		return nil, false, r.err
	}
	return r.fields[:n], more, nil
}

func (r *Reader) end() error {
	if r.err != nil {
		return r.err
	}
	return io.EOF
}

// readRow reads the fields of a row into r.fields, and returns their number; ok is false if there is no row.
func (r *Reader) readRow() (n int, ok bool) {
	r.buf, r.ends = r.buf[:0], r.ends[:0]
	if r.format.FixedWidth() {
		ok = r.fixedRow()
	} else {
		for len(r.ends) < len(r.fields) && r.readField(&r.fields[len(r.ends)]) {
			r.ends = append(r.ends, len(r.buf))
		}
		ok = len(r.ends) > 0
	}
	start := 0
	for i, end := range r.ends { // the buffer no longer moves
		r.fields[i].Bytes = r.buf[start:end:end]
		start = end
	}
	return len(r.ends), ok
}

// begin moves to the beginning of a row, and reports whether there is one.
func (r *Reader) begin() bool {
	if !r.atStart {
		return true
	}
	r.atStart = false
	for {
		switch c := r.get(); {
		case c == never:
			r.ended, r.eof = true, true
			return false
		case c == int(r.format.LinesStarting[0]) && r.passes(r.format.LinesStarting):
			return true
		}
	}
}

// nextLine moves after the end of the line, and reports whether it skipped anything but a terminator. It
// ignores quotes.
func (r *Reader) nextLine() (more bool) {
	r.atStart = r.format.LinesStarting != ""
	if r.ended || r.eof {
		r.ended = false
		return false
	}
	if r.format.LinesTerminated == "" {
		return false
	}
	for {
		switch c := r.get(); {
		case c == never:
			r.eof = true
			return false
		case c == r.escape:
			more = true
			if r.get() == never {
				r.eof = true
				return false
			}
		case c == r.line && r.passes(r.format.LinesTerminated):
			return more
		default:
			more = true
		}
	}
}

// add appends bytes to the field that begins at start, and drops those beyond MaxField.
func (r *Reader) add(start int, b ...byte) {
	if room := start + r.shape.MaxField + 1 - len(r.buf); len(b) > room {
		b = b[:max(room, 0)]
	}
	r.buf = append(r.buf, b...)
}

// run appends what is buffered up to one of the stop bytes.
func (r *Reader) run(start int, stop *[256]bool) {
	b, _ := r.in.Peek(r.in.Buffered())
	n := 0
	for n < len(b) && !stop[b[n]] {
		n++
	}
	r.add(start, b[:n]...)
	r.pass(n)
}

// escaped is the byte for one after an escape; null says that it is the N of NULL.
func escaped(c int) (b byte, null bool) {
	switch c {
	case 'n':
		return '\n', false
	case 't':
		return '\t', false
	case 'r':
		return '\r', false
	case 'b':
		return '\b', false
	case '0':
		return 0, false
	case 'Z':
		return 0x1a, false
	}
	return byte(c), c == 'N'
}

var nullWord = []byte("NULL")
