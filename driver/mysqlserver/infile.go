package mysqlserver

import (
	"errors"
	"io"
	"os"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront/fileio"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// clientFiles are the files of a client's statements: those in the directory of the
// data source name, and for LOAD DATA LOCAL the client's own.
type clientFiles struct {
	fileio.Files
	conn *conn
}

// Local requests one of the client's files; 1148 if the client cannot send files.
func (f clientFiles) Local(name string) (io.ReadCloser, error) {
	c := f.conn
	if !c.caps.has(localFiles) {
		return nil, mysqlerr.New(mysqlerr.NotAllowedCommand, "The used command is not allowed with this MySQL version")
	}
	if err := c.End(append(append(c.Begin(), packet.NullValue), c.spoken().results.EncodeString(name)...)); err != nil {
		return nil, err
	}
	if err := c.Flush(); err != nil {
		return nil, err
	}
	c.sends.Store(true)
	return &clientFile{conn: c, name: name}, nil
}

// clientFile is a file that the client sends. Only an empty packet ends it: the end
// of the connection is not the end of the file.
type clientFile struct {
	conn *conn
	name string
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
	if f.err = f.conn.ExtendDeadline(); f.err != nil {
		return
	}
	if f.rest, f.err = f.conn.Read(); f.err != nil {
		f.conn.lost = true
		f.err = f.failed(f.err)
	} else if len(f.rest) == 0 {
		f.err = io.EOF
	}
}

// failed is the error of a read. One that is neither about the client's packets nor a
// deadline means that the connection has ended.
func (f *clientFile) failed(err error) error {
	if errors.Is(err, packet.ErrTooLarge) || errors.Is(err, packet.ErrOrder) || errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return mysqlerr.New(mysqlerr.NetRead, "Got an error reading communication packets: the file '%s' of LOAD DATA LOCAL "+
		"is cut off, nothing of it is loaded", f.name)
}

// Close reads the rest of the file, because the client sends it to the end whatever
// becomes of it.
func (f *clientFile) Close() error {
	for f.err == nil {
		f.next()
	}
	if errors.Is(f.err, io.EOF) {
		return nil
	}
	return f.err
}
