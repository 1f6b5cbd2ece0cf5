package fileio

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Files are what statements access outside of the store: LOAD DATA, SELECT ... INTO OUTFILE and LOAD_FILE().
// Errors are MySQL's; those of a source of LOAD DATA LOCAL are its own.
type Files interface {
	// Dir is the directory that holds all files on the server's side, with a slash at its end, as
	// @@secure_file_priv shows it; if it is empty, Open and Create refuse.
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
	// Close ends the writing; if keep is false, or the file cannot be closed, it is removed.
	Close(keep bool) error
}

// heeded is a reader that ends with a context, except for a Read that waits.
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

// Charset knows the character sets of files: texts are UTF-8 or bytes. If there are only columns, which are
// bytes, every set is allowed whose characters are single bytes. The errors are 1115 for an unknown one, and
// 1235.
func Charset(name string, texts bool) (binary bool, err error) {
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

// ErrSecured is error 1290, for a statement that accesses files where it may not.
func ErrSecured() error {
	return mysqlerr.New(mysqlerr.OptionPreventsStmt, "The MySQL server is running with the --secure-file-priv option so it "+
		"cannot execute this statement")
}

// Cells are the given cells, followed by an error if the context has ended: the source may have ended because
// of that, as the rows of a query do. The store's own context ends a moment later.
func Cells(ctx context.Context, cells iter.Seq2[kv.Cell, error]) iter.Seq2[kv.Cell, error] {
	return func(yield func(kv.Cell, error) bool) {
		for c, err := range cells {
			if !yield(c, err) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(kv.Cell{}, err)
		}
	}
}
