package sqlfront

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
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

// fileCharset knows the character sets of files: texts are UTF-8 or bytes. Where
// there are only columns, which are bytes, any set will do whose characters are
// bytes too.
func fileCharset(name string, texts bool) (binary bool, err error) {
	switch name = strings.ToLower(name); name {
	case "", "utf8", "utf8mb3", "utf8mb4", "ascii":
		return false, nil
	case "binary":
		return true, nil
	}
	if _, err := charset.Declared(name, "", schema.Text{}); err != nil {
		return false, err
	}
	single := func(s charset.Set) bool { return s.Name == name && s.MaxLen == 1 }
	if !texts && slices.ContainsFunc(charset.All(), single) {
		return false, nil
	}
	return false, mysqlerr.Unsupported("CHARACTER SET " + name + " of a file: make it utf8mb4 or binary")
}

// secured is the error of a statement that reaches for files where it may not.
func secured() error {
	return mysqlerr.New(mysqlerr.OptionPreventsStmt, "The MySQL server is running with the --secure-file-priv option so it "+
		"cannot execute this statement")
}
