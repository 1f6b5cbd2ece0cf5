package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Private is the operating system's file system on which new files and directories are only
// accessible to their owner: reading the files of a store is reading its tables. Existing ones
// keep their mode.
var Private vfs.FS = private{vfs.Default}

// The modes of new directories and files.
const (
	DirMode  = 0o700
	fileMode = 0o600
)

type private struct{ vfs.FS }

// Unwrap implements vfs.FS.
func (p private) Unwrap() vfs.FS { return p.FS }

// Create implements vfs.FS. Like Pebble's, it replaces a file and does not write to a file that
// may have other names.
func (p private) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	for {
		err := touch(name, os.O_EXCL)
		if err == nil {
			return p.OpenReadWrite(name, c)
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// touch creates a file unless it exists.
func touch(name string, flag int) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|flag, fileMode)
	if err != nil {
		return err
	}
	return f.Close()
}

// MkdirAll implements vfs.FS.
func (p private) MkdirAll(dir string, _ os.FileMode) error { return p.FS.MkdirAll(dir, DirMode) }

// Lock implements vfs.FS.
func (p private) Lock(name string) (io.Closer, error) {
	if err := touch(name, 0); err != nil {
		return nil, err
	}
	return p.FS.Lock(name)
}

// ReuseForWrite implements vfs.FS.
func (p private) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := p.FS.ReuseForWrite(oldname, newname, c)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(newname, fileMode); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
