package fileio

import "io"

// mostKept is how many bytes of what a client or a program provides are kept, so that the statement can be run again.
const mostKept = 16 << 20

// replay is a source that can be read once, and read again as far as it is kept.
type replay struct {
	source io.ReadCloser
	kept   []byte
	at     int   // how much of kept has been read
	ended  error // of the source: io.EOF, or the error of reading it
	closed bool
	lost   bool // more than mostKept has been read
}

// Read implements io.Reader.
func (r *replay) Read(p []byte) (int, error) {
	if r.at < len(r.kept) {
		n := copy(p, r.kept[r.at:])
		r.at += n
		return n, nil
	}
	if r.ended != nil {
		return 0, r.ended
	}
	n, err := r.source.Read(p)
	r.ended = err
	r.keep(p[:n])
	return n, err
}

func (r *replay) keep(b []byte) {
	if r.lost = r.lost || len(r.kept)+len(b) > mostKept; r.lost {
		r.kept, r.at = nil, 0
		return
	}
	r.kept = append(r.kept, b...)
	r.at = len(r.kept)
}

// again begins from the start, if everything that has been read is kept.
func (r *replay) again() bool {
	r.at = 0
	return !r.lost
}

// Close closes the source if it has been read to its end; otherwise the rest may be needed.
func (r *replay) Close() error {
	if r.ended == nil {
		return nil
	}
	return r.end()
}

// end closes the source.
func (r *replay) end() error {
	if r.closed {
		return nil
	}
	r.closed = true
	return r.source.Close()
}
