package spill

import (
	"encoding/binary"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// run is a piece of a file with consecutive rows: each is its length followed by its values. If
// there are few rows, they are kept in memory instead.
type run struct {
	file       *file
	start, end int64
	kept       []byte
}

// writer appends rows to a file, which must have only one writer at a time.
type writer struct {
	file *file
	buf  []byte
	row  []byte
	rows int64
}

// begin starts a run.
func (w *writer) begin(f *file) run {
	w.file, w.buf, w.rows = f, w.buf[:0], 0
	return run{file: f, start: f.end}
}

// at is the position of the next row in the file.
func (w *writer) at() int64 { return w.file.end + int64(len(w.buf)) }

func (w *writer) add(row []value.Value) error {
	w.row = w.row[:0]
	for _, v := range row {
		w.row = value.AppendBinary(w.row, v)
	}
	w.rows++
	w.buf = binary.AppendUvarint(w.buf, uint64(len(w.row)))
	block := w.file.space.block()
	if len(w.row) >= block {
		return w.addLarge()
	}
	w.buf = append(w.buf, w.row...)
	if len(w.buf) >= block {
		return w.flush()
	}
	return nil
}

// addLarge writes a row that is larger than a block directly, and frees its memory.
func (w *writer) addLarge() error {
	if err := w.flush(); err != nil {
		return err
	}
	row := w.row
	w.row = nil
	_, err := w.file.append(row)
	return err
}

func (w *writer) flush() error {
	_, err := w.file.append(w.buf)
	w.buf = w.buf[:0]
	return err
}

// finish ends the run.
func (w *writer) finish(r *run) error {
	if err := w.flush(); err != nil {
		return err
	}
	w.file.space.count(func(c *Counters) { c.Rows.Add(w.rows) })
	r.end = w.file.end
	return nil
}

// reader reads rows of a run.
type reader struct {
	file  *file
	at    int64 // position in the file, after the bytes of buf
	end   int64
	block int // bytes read at once
	buf   []byte
	next  int // offset in buf
	row   []value.Value
	kept  bool  // buf belongs to the run
	more  []run // runs to read next
}

// open positions the reader at the first row of a run, and reads block bytes at once.
func (r *reader) open(from run, block int) {
	if r.kept {
		r.buf = nil
	}
	r.file, r.at, r.end, r.block = from.file, from.start, from.end, block
	r.buf, r.next, r.more = r.buf[:0], 0, nil
	if r.kept = from.kept != nil; r.kept {
		r.buf = from.kept
	}
}

// openAll positions the reader at the first row of several runs.
func (r *reader) openAll(runs []run, block int) {
	if len(runs) > 0 {
		r.open(runs[0], block)
		r.more = runs[1:]
	}
}

// place is the position of the next row in the file.
func (r *reader) place() int64 { return r.at - int64(len(r.buf)-r.next) }

// read returns the next row, or nil after the last. It is valid until the next call.
func (r *reader) read() ([]value.Value, error) {
	size, ok, err := r.length()
	if !ok || err != nil {
		return nil, err
	}
	if err := r.fill(size); err != nil {
		return nil, err
	}
	b := r.buf[r.next : r.next+size]
	r.next += size
	r.row = r.row[:0]
	for len(b) > 0 {
		var v value.Value
		if v, b, err = value.ReadBinary(b); err != nil {
			return nil, err
		}
		r.row = append(r.row, v)
	}
	if r.row == nil {
		r.row = []value.Value{} // not nil, even without columns
	}
	return r.row, nil
}

// length reads the length of the next row; it returns false at the end.
func (r *reader) length() (int, bool, error) {
	left := int64(len(r.buf)-r.next) + r.end - r.at
	if left == 0 && len(r.more) > 0 { // pieces are never empty
		r.openAll(r.more, r.block)
		left = int64(len(r.buf)) + r.end - r.at
	}
	if left == 0 {
		return 0, false, nil
	}
	if err := r.fill(int(min(left, binary.MaxVarintLen64))); err != nil {
		return 0, false, err
	}
	size, n := binary.Uvarint(r.buf[r.next:])
	r.next += n
	return int(size), true, nil
}

// fill ensures that buf has n more bytes.
func (r *reader) fill(n int) error {
	if len(r.buf)-r.next >= n {
		return nil
	}
	have := copy(r.buf, r.buf[r.next:])
	block := max(n, r.block)
	if cap(r.buf) < block {
		r.buf = append(make([]byte, 0, block), r.buf[:have]...)
	}
	r.buf, r.next = r.buf[:have+int(min(int64(block-have), r.end-r.at))], 0
	if err := r.file.read(r.buf[have:], r.at); err != nil {
		return err
	}
	r.at += int64(len(r.buf) - have)
	return nil
}
