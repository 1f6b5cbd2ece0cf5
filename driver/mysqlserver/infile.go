package mysqlserver

import (
	"errors"
	"io"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// clientFiles are the files of a client's statements: those of the data source name's
// directory, and for LOAD DATA LOCAL the client's own.
type clientFiles struct {
	sqlfront.Files
	conn *conn
}

// Local asks the client for one of its files.
func (f clientFiles) Local(name string) (io.ReadCloser, error) {
	c := f.conn
	if !c.caps.has(localFiles) {
		return nil, mysqlerr.New(mysqlerr.NotAllowedCommand, "The used command is not allowed with this MySQL version")
	}
	if err := c.end(append(append(c.begin(), nullValue), c.spoken().results.encodeString(name)...)); err != nil {
		return nil, err
	}
	if err := c.flush(); err != nil {
		return nil, err
	}
	c.sends.Store(true)
	return &clientFile{conn: c}, nil
}

// clientFile is a file that the client sends, which an empty packet ends.
type clientFile struct {
	conn *conn
	rest []byte
	err  error
}

func (f *clientFile) Read(p []byte) (int, error) {
	for len(f.rest) == 0 && f.err == nil {
		f.next()
	}
	if len(f.rest) == 0 {
		return 0, f.err
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *clientFile) next() {
	defer func() { f.conn.sends.Store(f.err == nil) }()
	if f.err = f.conn.ctx.Err(); f.err != nil {
		return
	}
	if f.err = f.conn.patience(); f.err != nil {
		return
	}
	if f.rest, f.err = f.conn.read(); f.err != nil {
		f.conn.lost = true
	} else if len(f.rest) == 0 {
		f.err = io.EOF
	}
}

// Close reads what is left: the client sends its file to the end whatever becomes of
// it.
func (f *clientFile) Close() error {
	for f.err == nil {
		f.next()
	}
	if errors.Is(f.err, io.EOF) {
		return nil
	}
	return f.err
}
