package textfile

import "bytes"

// fieldReader is the state of a field that is being read.
type fieldReader struct {
	*Reader
	start int // of its bytes in the buffer
	// open says that it starts with a quote, and closed that it ends with one.
	open, closed bool
	null         bool // it has \N
	last         bool // it ends its line
}

// readField reads a field of a row, and reports whether there is one. Its bytes are the last ones in the
// buffer.
func (r *Reader) readField(to *Field) bool {
	if r.ended || !r.begin() {
		return false
	}
	c := r.peek()
	if c == never {
		r.ended, r.eof = true, true
		return false
	}
	f := fieldReader{Reader: r, start: len(r.buf), open: c == r.quote}
	if f.open {
		r.pass(1)
	}
	for !f.step() {
	}
	r.ended = f.last
	to.Null = f.isNull()
	return true
}

// step reads the bytes up to the next special one, and that one. It reports whether the field has ended.
func (f *fieldReader) step() (over bool) {
	if f.open {
		f.run(f.start, &f.quoted)
	} else {
		f.run(f.start, &f.bare)
	}
	c := f.get()
	if c == never {
		return f.endOfInput()
	}
	if c == f.escape {
		if over, c = f.escapes(); over || c == never {
			return over
		}
	}
	switch {
	case f.open && c == f.quote:
		return f.quotes()
	case !f.open && c == f.line && f.passes(f.format.LinesTerminated):
		f.last = true
		return true
	case !f.open && c == f.field && f.passes(f.format.FieldsTerminated):
		return true
	}
	f.add(f.start, byte(c))
	return false
}

// escapes reads the byte after an escape. It returns the escape if that is also the quote and may be one, and
// never if it was read.
func (f *fieldReader) escapes() (over bool, c int) {
	c = f.peek()
	if c == never {
		f.add(f.start, byte(f.escape))
		return f.endOfInput(), never
	}
	if f.escape == f.quote && c != f.escape {
		return false, f.escape
	}
	f.pass(1)
	b, null := escaped(c)
	f.null = f.null || null
	f.add(f.start, b)
	return false, never
}

// quotes reads what follows a quote in a field that began with one: a second one is a quote in the field, and
// a terminator ends it.
func (f *fieldReader) quotes() (over bool) {
	switch c := f.peek(); {
	case c == f.quote:
		f.pass(1)
		f.add(f.start, byte(c))
		return false
	case c == never:
		f.eof, f.closed, f.last = true, true, true
		return true
	case c == f.line && f.takes(f.format.LinesTerminated):
		f.closed, f.last = true, true
		return true
	case c == f.field && f.takes(f.format.FieldsTerminated):
		f.closed = true
		return true
	}
	f.add(f.start, byte(f.quote))
	return false
}

// endOfInput ends the field at the end of the input: the opening quote is one of its bytes.
func (f *fieldReader) endOfInput() bool {
	if f.open {
		f.buf = append(f.buf, 0)
		copy(f.buf[f.start+1:], f.buf[f.start:])
		f.buf[f.start] = byte(f.quote)
	}
	f.eof, f.last = true, true
	return true
}

// isNull: \N alone is NULL, also in quotes, and so is the word NULL outside of quotes if fields may have
// quotes.
func (f *fieldReader) isNull() bool {
	b := f.buf[f.start:]
	return f.null && len(b) == 1 || !f.closed && f.quote != never && bytes.Equal(b, nullWord)
}

// restRoom is the additional length of a line for a field that takes the rest.
const restRoom = 256

// fixedRow reads a row whose fields have their columns' widths, and reports whether there is one. A shorter
// line has fewer fields.
func (r *Reader) fixedRow() (ok bool) {
	if r.ended || !r.begin() {
		return false
	}
	width := 0
	for _, w := range r.shape.Widths {
		if w == Rest {
			w = restRoom
		}
		width += w
	}
	for len(r.buf) < width && !r.ended {
		r.fixedByte()
	}
	at := 0
	for i, w := range r.shape.Widths {
		if at == len(r.buf) {
			break
		}
		if at += w; w == Rest || at > len(r.buf) {
			at = len(r.buf)
		}
		r.ends = append(r.ends, at)
		r.fields[i].Null = false
	}
	return len(r.buf) > 0 || !r.eof
}

func (r *Reader) fixedByte() {
	c := r.get()
	switch {
	case c == r.escape && c != never:
		if c = r.get(); c == never {
			r.buf = append(r.buf, byte(r.escape))
			r.ended, r.eof = true, true
			return
		}
		b, _ := escaped(c)
		r.buf = append(r.buf, b)
	case c == never:
		r.ended, r.eof = true, true
	case c == r.line && r.passes(r.format.LinesTerminated):
		r.ended = true
	default:
		r.buf = append(r.buf, byte(c))
	}
}
