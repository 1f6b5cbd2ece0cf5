package spill

import (
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// files keeps tables on disk and everything else in memory. A start removes the files, so nothing
// needs to be found again, and no disk fault can leave a manifest incomplete, on which Pebble
// panics. For the same reason nothing is synced.
type files struct {
	vfs.FS
	disk vfs.FS
}

// of returns the file system of the file.
func (f *files) of(name string) vfs.FS {
	if strings.HasSuffix(name, ".sst") {
		return f.disk
	}
	return f.FS
}

// Create implements vfs.FS.
func (f *files) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.of(name).Create(name, c)
	if err != nil {
		return nil, err
	}
	return unsynced{file}, nil
}

// Open implements vfs.FS.
func (f *files) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.of(name).Open(name, opts...)
}

// Link implements vfs.FS.
func (f *files) Link(from, to string) error { return f.of(to).Link(from, to) }

// Remove implements vfs.FS.
func (f *files) Remove(name string) error { return f.of(name).Remove(name) }

// Stat implements vfs.FS.
func (f *files) Stat(name string) (vfs.FileInfo, error) { return f.of(name).Stat(name) }

// unsynced is a file that need not outlive the process.
type unsynced struct{ vfs.File }

// Sync implements vfs.File.
func (unsynced) Sync() error { return nil }

// SyncData implements vfs.File.
func (unsynced) SyncData() error { return nil }

// SyncTo implements vfs.File.
func (unsynced) SyncTo(int64) (bool, error) { return true, nil }
