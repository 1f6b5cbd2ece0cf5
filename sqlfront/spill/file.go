package spill

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// storage is the interface of a temporary file to the operating system.
type storage interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Name() string
}

// createTemp creates a temporary file; tests replace it by one that fails.
var createTemp = func(dir string) (storage, error) {
	f, err := os.CreateTemp(dir, "hbasekv-*.tmp")
	if err != nil {
		return nil, err // not a nil *os.File in the interface
	}
	return f, nil
}

// file is a temporary file of a space. It grows at its end.
type file struct {
	storage
	space *Space
	mu    sync.Mutex // held to append, as several goroutines may
	end   int64
	// named means that the system did not remove the name of the open file.
	named bool
}

func (s *Space) create() (*file, error) {
	made, err := createTemp(s.dir())
	if err != nil {
		return nil, fileError(mysqlerr.CantCreateFile, "Can't create file", s.dir(), err)
	}
	f := &file{storage: made, space: s}
	f.named = os.Remove(made.Name()) != nil
	s.writes.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return nil, errors.Join(os.ErrClosed, f.release())
	}
	if s.files == nil {
		s.files = map[*file]struct{}{}
	}
	s.files[f] = struct{}{}
	s.count(func(c *Counters) { c.Files.Add(1) })
	return f, nil
}

// createPart creates the first file of a structure.
func (s *Space) createPart() (*file, error) {
	f, err := s.create()
	if err == nil {
		s.count(func(c *Counters) { c.Parts.Add(1) })
	}
	return f, err
}

// append writes at the end, and returns the position in the file.
func (f *file) append(b []byte) (run, error) {
	f.mu.Lock()
	r := run{file: f, start: f.end, end: f.end + int64(len(b))}
	f.end = r.end
	f.mu.Unlock()
	return r, f.write(b, r.start)
}

func (f *file) write(b []byte, at int64) error {
	if _, err := f.WriteAt(b, at); err != nil {
		if errors.Is(err, syscall.ENOSPC) {
			return fileError(mysqlerr.DiskFull, "Disk full: error writing file", f.Name(), err)
		}
		return fileError(mysqlerr.ErrorOnWrite, "Error writing file", f.Name(), err)
	}
	f.space.count(func(c *Counters) { c.Bytes.Add(int64(len(b))) })
	return nil
}

func (f *file) read(b []byte, at int64) error {
	if _, err := f.ReadAt(b, at); err != nil {
		return fileError(mysqlerr.ErrorOnRead, "Error reading file", f.Name(), err)
	}
	return nil
}

// close closes and removes the file; f may be nil.
func (f *file) close() error {
	if f == nil {
		return nil
	}
	f.space.mu.Lock()
	_, open := f.space.files[f]
	delete(f.space.files, f)
	f.space.mu.Unlock()
	if !open {
		return nil
	}
	return f.release()
}

func (f *file) release() error {
	err := f.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// fileError returns an error in MySQL's wording, with the system's error and what to do about it.
func fileError(n mysqlerr.Number, what, name string, err error) error {
	var errno syscall.Errno
	errors.As(err, &errno)
	return mysqlerr.New(n, "%s '%s' (errno: %d - %v): the parameter tmpDir sets the directory of temporary files, "+
		"and tmp_table_size how much a statement keeps in memory before it uses them",
		what, name, int(errno), err)
}
