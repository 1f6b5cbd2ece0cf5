package fileio

import (
	"context"
	"errors"
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
)

// mostKept is how many bytes of what a client or a program provides are kept in memory, so that the statement can be
// run again; all of them go to a temporary file if there are more.
const mostKept = 16 << 20

// repeated is what LOCAL names. Its Close comes after each run of the statement, its end after the last.
type repeated interface {
	io.ReadCloser
	// again begins from the start; false if that is not possible.
	again() bool
	end() error
}

// newRepeated makes a source repeated. Without options, the statement is run once.
func newRepeated(ctx context.Context, source io.ReadCloser, o *spill.Options) repeated {
	if s, ok := source.(io.ReadSeekCloser); ok {
		if start, err := s.Seek(0, io.SeekCurrent); err == nil {
			return &rewound{s, start}
		}
	}
	return newReplay(ctx, source, o)
}

// rewound is a source that can be read from its start again, such as a file that is no pipe.
type rewound struct {
	io.ReadSeekCloser
	start int64
}

func (r *rewound) again() bool {
	_, err := r.Seek(r.start, io.SeekStart)
	return err == nil
}

// Close implements io.Closer: the source stays open.
func (r *rewound) Close() error { return nil }

func (r *rewound) end() error { return r.ReadSeekCloser.Close() }

// replay is a source that can be read once, and read again as far as it is kept.
type replay struct {
	source io.ReadCloser
	space  spill.Space
	kept   *spill.Bytes // nil if nothing is kept
	at     int64        // how much of kept has been read
	ended  error        // of the source: io.EOF, or the error of reading it
	closed bool
}

// newReplay makes a replay that keeps as much as the options allow, and nothing without them. It must be ended.
func newReplay(ctx context.Context, source io.ReadCloser, o *spill.Options) *replay {
	r := &replay{source: source}
	if o != nil {
		within := *o
		within.Memory = min(o.Memory, mostKept)
		r.space.Init(ctx, within)
		r.kept = r.space.NewBytes()
	}
	return r
}

// Read implements io.Reader.
func (r *replay) Read(p []byte) (int, error) {
	if r.kept != nil && r.at < r.kept.Len() {
		n, err := r.kept.Read(p, r.at)
		r.at += int64(n)
		return n, err
	}
	if r.ended != nil {
		return 0, r.ended
	}
	n, err := r.source.Read(p)
	r.ended = err
	r.keep(p[:n])
	return n, err
}

// keep keeps what has been read, if possible. Most loads end with their first run, which must not fail because there
// is no room for a temporary file.
func (r *replay) keep(b []byte) {
	if r.kept == nil {
		return
	}
	if r.kept.Add(b) != nil {
		_ = r.kept.Close() // what is in it is of no use
		r.kept = nil
		return
	}
	r.at = r.kept.Len()
}

// again begins from the start, if everything that has been read is kept.
func (r *replay) again() bool {
	r.at = 0
	return r.kept != nil
}

// Close closes the source if it has been read to its end; otherwise the rest may be needed.
func (r *replay) Close() error {
	if r.ended == nil {
		return nil
	}
	return r.closeSource()
}

func (r *replay) closeSource() error {
	if r.closed {
		return nil
	}
	r.closed = true
	return r.source.Close()
}

// end closes the source, and removes what is kept.
func (r *replay) end() error { return errors.Join(r.closeSource(), r.space.Close()) }
