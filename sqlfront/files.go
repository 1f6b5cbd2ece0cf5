package sqlfront

import (
	"context"
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Files are what statements reach outside of the store: LOAD DATA, SELECT ...
// INTO OUTFILE and LOAD_FILE(). Errors are as MySQL has them; those of a source
// of LOAD DATA LOCAL are its own.
type Files interface {
	// Dir is the directory that holds all files of the server's side, with a slash
	// at its end, as @@secure_file_priv shows it; empty where there is none and
	// Open and Create refuse.
	Dir() string
	// Open opens a file for reading.
	Open(name string) (io.ReadCloser, error)
	// Create makes a file that must not exist yet.
	Create(name string) (NewFile, error)
	// Local opens what LOAD DATA LOCAL names.
	Local(name string) (io.ReadCloser, error)
}

// NewFile is a file that is being written.
type NewFile interface {
	io.Writer
	// Close ends the writing; where keep is false, or the file cannot be closed, it
	// is removed.
	Close(keep bool) error
}

// heeded is a reader that ends with a context, but for a Read that waits.
type heeded struct {
	ctx context.Context
	io.Reader
}

func (r heeded) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// secureFilePriv is @@secure_file_priv: NULL where the server's side has no files.
func (s *Session) secureFilePriv() value.Value {
	if s.options.Files == nil || s.options.Files.Dir() == "" {
		return value.Value{}
	}
	return value.NewString(s.options.Files.Dir())
}

// readFile is what LOAD_FILE reads.
func (s *Session) readFile(name string, most int) ([]byte, bool) {
	if s.options.Files == nil || !s.authority.May(rights.File) {
		return nil, false
	}
	file, err := s.options.Files.Open(name)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	return data, err == nil
}
