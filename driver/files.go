package driver

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hbasekv/hbasekv/sqlfront/fileio"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// files are the files that statements may read and write under a Config.
type files struct {
	dir      string // Config.FileDir; empty is none
	allowAll bool   // Config.AllowAllFiles
}

var _ fileio.Files = (*files)(nil)

// Dir is the directory's absolute path.
func (f *files) Dir() string {
	if f.dir == "" {
		return ""
	}
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return f.dir
	}
	return strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
}

// enter opens the directory as a root, which no name leaves, and returns the
// name within it: a name that is not absolute is relative to the directory.
func (f *files) enter(name string) (root *os.Root, within string, err error) {
	if f.dir == "" {
		return nil, "", errOutside()
	}
	if within, err = f.within(name); err != nil {
		return nil, "", err
	}
	if root, err = os.OpenRoot(f.dir); err != nil {
		return nil, "", fileError(mysqlerr.CannotStatFile, "Can't get stat of '%s' (Errcode: %d - %s)", f.Dir(), err)
	}
	return root, within, nil
}

func (f *files) within(name string) (string, error) {
	dir := f.Dir()
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	name = filepath.Clean(name)
	for _, dir := range []string{dir, realPath(dir)} {
		if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", errOutside()
}

// realPath is the path without symbolic links, or path itself if that fails.
func realPath(path string) string {
	if path, err := filepath.EvalSymlinks(path); err == nil {
		return path
	}
	return path
}

// Open opens a regular file in the directory. Its errors have MySQL's numbers.
func (f *files) Open(name string) (io.ReadCloser, error) {
	root, within, err := f.enter(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(within)
	if err != nil {
		return nil, fileError(mysqlerr.CannotStatFile, "Can't get stat of '%s' (Errcode: %d - %s)", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, mysqlerr.New(mysqlerr.TextFileNotReadable,
			"The file '%s' must be in the database directory or be readable by all", name)
	}
	file, err := root.Open(within)
	if err != nil {
		return nil, fileError(mysqlerr.FileNotFound, "File '%s' not found (Errcode: %d - %s)", name, err)
	}
	return &inputFile{file, name}, nil
}

// inputFile turns the system's errors into MySQL's.
type inputFile struct {
	*os.File
	name string
}

func (f *inputFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err != nil && err != io.EOF {
		err = fileError(mysqlerr.BadRead, "Error reading file '%s' (Errcode: %d - %s)", f.name, err)
	}
	return n, err
}

// Create creates a file in the directory; a file that exists gives 1086.
func (f *files) Create(name string) (fileio.NewFile, error) {
	root, within, err := f.enter(name)
	if err != nil {
		return nil, err
	}
	file, err := root.OpenFile(within, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return &outputFile{file: file, root: root, within: within, name: name}, nil
	}
	_ = root.Close() // nothing was done in it
	if errors.Is(err, fs.ErrExist) {
		return nil, mysqlerr.New(mysqlerr.FileExists, "File '%s' already exists", name)
	}
	return nil, fileError(mysqlerr.CannotCreateFile, "Can't create/write to file '%s' (Errcode: %d - %s)", name, err)
}

type outputFile struct {
	file         *os.File
	root         *os.Root
	within, name string
}

func (f *outputFile) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, f.error(err)
}

func (f *outputFile) error(err error) error {
	if err == nil {
		return nil
	}
	return fileError(mysqlerr.BadWrite, "Error writing file '%s' (Errcode: %d - %s)", f.name, err)
}

func (f *outputFile) Close(keep bool) error {
	defer f.root.Close()
	err := f.error(f.file.Close())
	if !keep || err != nil {
		_ = f.root.Remove(f.within) // the statement has failed already
	}
	return err
}

// errOutside is MySQL's error for a file outside the directory.
func errOutside() error {
	return mysqlerr.New(mysqlerr.OptionPreventsStmt, "The MySQL server is running with the --secure-file-priv option so it "+
		"cannot execute this statement")
}

// fileError puts an error of the system in MySQL's words. Any other error means
// that a symbolic link leads out of the directory.
func fileError(n mysqlerr.Number, format, name string, err error) error {
	var no syscall.Errno
	if !errors.As(err, &no) {
		return errOutside()
	}
	says := no.Error()
	return mysqlerr.New(n, format, name, int(no), strings.ToUpper(says[:1])+says[1:])
}
