package textfile

import (
	"bufio"
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
)

// bufferSize is what is read and written at once.
const bufferSize = 64 << 10

// never is the first byte of what is empty: no byte is it.
const never = -1

// Field is one field of a row.
type Field struct {
	// Bytes are valid until the next row; of one that is NULL they are of no use.
	Bytes []byte
	Null  bool // \N, or the word NULL that is not enclosed where others are
}

// Shape is what a Reader knows of the rows that it is to read.
type Shape struct {
	// Fields is how many fields a row has.
	Fields int
	// Widths are those of the fields in a file of fixed widths, in bytes, or Rest.
	Widths []int
	// MaxField is the longest field of use, in bytes: of a longer one its first
	// MaxField + 1 bytes are given.
	MaxField int
}

// Rest is the width of a field that takes what is left of the line, which may be
// 256 bytes longer for it.
const Rest = -1

// Reader reads rows.
type Reader struct {
	in     *bufio.Reader
	shape  Shape
	format clause.TextFormat
	// The first bytes of the terminators, the escape and the quote, or never.
	field, line, escape, quote int
	// bare and quoted are the bytes that end a run of plain ones, outside of
	// quotes and in them.
	bare, quoted [256]bool
	lines        bool // the statement has a terminator of lines

	buf    []byte // of the row
	fields []Field
	ends   []int // of the fields in buf
	// atStart says that LINES STARTING BY is to be looked for; ended that the row's
	// last field ended its line; eof that the input is over.
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

// peek is get that leaves the byte where it is.
func (r *Reader) peek() int {
	b, err := r.in.Peek(1)
	if err != nil {
		r.fails(err)
		return never
	}
	return int(b[0])
}

// takes takes what comes next where it is s, which is not empty.
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

// pass passes bytes that have been peeked at.
func (r *Reader) pass(n int) { _, _ = r.in.Discard(n) }

// passes takes the rest of a terminator whose first byte is taken, where it
// comes next.
func (r *Reader) passes(terminator string) bool {
	return len(terminator) == 1 || r.takes(terminator[1:])
}

// Skip passes lines, however many fields they have: IGNORE n LINES. Where the format has no
// terminator of lines, it passes rows. Errors are those of the input.
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

// Next reads a row: its fields, fewer than there should be where the line ends before, and whether
// the line has more, which are passed. io.EOF is the end. The line that the input ends in has never
// more, as in MySQL. Other errors are those of the input.
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

// readRow reads the fields of a row into r.fields, and returns how many it has;
// ok is false where there is no row.
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
	for i, end := range r.ends { // the buffer is where it stays
		r.fields[i].Bytes = r.buf[start:end:end]
		start = end
	}
	return len(r.ends), ok
}

// begin goes to where the row begins, and reports whether there is one.
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

// nextLine goes behind the end of the line, and reports whether it passed
// anything that is no terminator. It does not look at quotes.
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

// add appends bytes to the field that begins at start, and leaves out those that
// are of no use.
func (r *Reader) add(start int, b ...byte) {
	if room := start + r.shape.MaxField + 1 - len(r.buf); len(b) > room {
		b = b[:max(room, 0)]
	}
	r.buf = append(r.buf, b...)
}

// run appends what is buffered up to one of the bytes that stop.
func (r *Reader) run(start int, stop *[256]bool) {
	b, _ := r.in.Peek(r.in.Buffered())
	n := 0
	for n < len(b) && !stop[b[n]] {
		n++
	}
	r.add(start, b[:n]...)
	r.pass(n)
}

// escaped is what stands behind an escape; null says that it is the N of NULL.
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
