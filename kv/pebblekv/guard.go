package pebblekv

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardFS stands between Pebble and the disk, for the faults that Pebble meets
// with a panic: those of the log, of the manifest, of its marker and of the
// store's directory. It tells Pebble that nothing happened, after it has marked
// the store as failed. From then on nothing is acknowledged and nothing on the
// disk is changed, so that the next Open finds what was there at the fault;
// reads go on.
//
// Faults of table files are Pebble's to report; it tries again, and the guard
// sees to it that it does so without haste. A directory in which a backup is put
// together fails the backup alone.
type guardFS struct {
	vfs.FS
	store *Store
}

// Unwrap implements vfs.FS.
func (g *guardFS) Unwrap() vfs.FS { return g.FS }

// own reports whether the file is directly in the store's directory.
func (g *guardFS) own(name string) bool { return g.PathDir(name) == g.store.opts.Dir }

func (g *guardFS) isLog(name string) bool { return strings.HasSuffix(name, ".log") && g.own(name) }

// isManifest reports whether it is a manifest. When one cannot be written Pebble
// drops the new version, but has given the files their places in it already; a
// compaction that ends then trips over these.
func (g *guardFS) isManifest(name string) bool {
	return strings.HasPrefix(g.PathBase(name), "MANIFEST-") && g.own(name)
}

// isMarker reports whether it is the file that names the manifest.
func (g *guardFS) isMarker(name string) bool {
	return strings.HasPrefix(g.PathBase(name), manifestMarker) && g.own(name)
}

// fail marks the store as failed.
func (g *guardFS) fail(name string, err error) {
	g.store.failed.fail(fmt.Errorf("%s: %w", g.PathBase(name), err))
}

// Create implements vfs.FS.
func (g *guardFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if g.isLog(name) {
		return g.create(name, func() (vfs.File, error) { return g.FS.Create(name, c) }), nil
	}
	if g.isMarker(name) {
		return g.create(name, func() (vfs.File, error) {
			if err := g.syncDir(); err != nil {
				return nil, err
			}
			return g.FS.Create(name, c)
		}), nil
	}
	if strings.HasSuffix(name, ".sst") {
		g.store.background.pause(g.store.life)
	}
	if err := g.store.failed.err(); err != nil {
		return nil, err
	}
	f, err := g.FS.Create(name, c)
	if err != nil {
		return nil, err
	}
	if g.isManifest(name) {
		return g.swallowing(name, f), nil
	}
	return &guardFile{File: f, guard: g}, nil
}

// syncDir syncs the store's directory. Pebble does so once for a new manifest
// and for the marker that names it: a power cut before that could leave the
// marker alone.
func (g *guardFS) syncDir() error {
	dir, err := g.OpenDir(g.store.opts.Dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close(), g.store.failed.err())
}

// create gives a file that goes nowhere where it cannot be made.
func (g *guardFS) create(name string, create func() (vfs.File, error)) vfs.File {
	var f vfs.File
	err := g.store.failed.err()
	if err == nil {
		if f, err = create(); err != nil {
			g.fail(name, err)
		}
	}
	if err != nil {
		f = nowhere{name}
	}
	return g.swallowing(name, f)
}

// swallowing is a file whose faults are the store's and not told to Pebble.
func (g *guardFS) swallowing(name string, f vfs.File) vfs.File {
	return &guardFile{File: f, guard: g, swallow: func(err error) { g.fail(name, err) }}
}

// Open implements vfs.FS.
func (g *guardFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := g.FS.Open(name, opts...)
	if !strings.HasSuffix(name, ".sst") {
		return f, err
	}
	if err != nil {
		g.hesitate()
		return nil, err
	}
	return &guardTable{File: f, guard: g}, nil
}

// readPause is how long a read that fails takes at least: Pebble repeats a
// compaction that fails at once.
const readPause = 20 * time.Millisecond

func (g *guardFS) hesitate() {
	select {
	case <-g.store.life.Done():
	case <-time.After(readPause):
	}
}

// guardTable is a table file that is read.
type guardTable struct {
	vfs.File
	guard *guardFS
}

// ReadAt implements vfs.File.
func (f *guardTable) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	if err != nil && err != io.EOF {
		f.guard.hesitate()
	}
	return n, err
}

// ReuseForWrite implements vfs.FS.
func (g *guardFS) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return g.create(newname, func() (vfs.File, error) { return g.FS.ReuseForWrite(oldname, newname, c) }), nil
}

// OpenDir implements vfs.FS.
func (g *guardFS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	if name == g.store.opts.Dir {
		return g.swallowing(name, f), nil
	}
	dir := &guardFile{File: f, guard: g}
	if strings.HasPrefix(g.PathBase(name), stagePrefix) {
		dir.swallow = func(err error) { g.store.stages.Store(name, err) }
	}
	return dir, nil
}

// Link implements vfs.FS.
func (g *guardFS) Link(oldname, newname string) error {
	return g.unlessFailed(func() error { return g.FS.Link(oldname, newname) })
}

// Remove implements vfs.FS.
func (g *guardFS) Remove(name string) error {
	return g.unlessFailed(func() error { return g.FS.Remove(name) })
}

// Rename implements vfs.FS.
func (g *guardFS) Rename(oldname, newname string) error {
	return g.unlessFailed(func() error { return g.FS.Rename(oldname, newname) })
}

func (g *guardFS) unlessFailed(do func() error) error {
	if err := g.store.failed.err(); err != nil {
		return err
	}
	return do()
}

// guardFile is a file that is written or a directory that is synced.
type guardFile struct {
	vfs.File
	guard *guardFS
	// swallow, where it is not nil, takes the errors in Pebble's stead.
	swallow func(error)
}

// Write implements vfs.File.
func (f *guardFile) Write(p []byte) (int, error) {
	n := len(p)
	return n, f.do(func() error { return second(f.File.Write(p)) })
}

func second(_ int, err error) error { return err }

// Sync implements vfs.File.
func (f *guardFile) Sync() error { return f.do(f.File.Sync) }

// SyncData implements vfs.File.
func (f *guardFile) SyncData() error { return f.do(f.File.SyncData) }

// SyncTo implements vfs.File.
func (f *guardFile) SyncTo(length int64) (full bool, err error) {
	err = f.do(func() error {
		var err error
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}

// Close implements vfs.File.
func (f *guardFile) Close() error {
	err := f.File.Close()
	if err != nil && f.swallow != nil {
		f.swallow(err)
		return nil
	}
	return err
}

func (f *guardFile) do(fn func() error) error {
	err := f.guard.store.failed.err()
	if err == nil {
		if err = fn(); err != nil && f.swallow != nil {
			f.swallow(err)
		}
	}
	if f.swallow != nil {
		return nil
	}
	return err
}

// nowhere is a file that was never made.
type nowhere struct{ name string }

func (nowhere) Close() error                           { return nil }
func (nowhere) Read([]byte) (int, error)               { return 0, os.ErrInvalid }
func (nowhere) ReadAt([]byte, int64) (int, error)      { return 0, os.ErrInvalid }
func (nowhere) Write(p []byte) (int, error)            { return len(p), nil }
func (nowhere) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (nowhere) Preallocate(int64, int64) error         { return nil }
func (n nowhere) Stat() (vfs.FileInfo, error)          { return nowhereInfo(n), nil }
func (nowhere) Sync() error                            { return nil }
func (nowhere) SyncTo(int64) (bool, error)             { return true, nil }
func (nowhere) SyncData() error                        { return nil }
func (nowhere) Prefetch(int64, int64) error            { return nil }
func (nowhere) Fd() uintptr                            { return vfs.InvalidFd }

type nowhereInfo struct{ name string }

func (i nowhereInfo) Name() string         { return i.name }
func (nowhereInfo) Size() int64            { return 0 }
func (nowhereInfo) Mode() os.FileMode      { return 0 }
func (nowhereInfo) ModTime() time.Time     { return time.Time{} }
func (nowhereInfo) IsDir() bool            { return false }
func (nowhereInfo) Sys() any               { return nil }
func (nowhereInfo) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }
