// Package faultfs keeps faults of the disk from ending the process.
//
// Pebble panics if its log or its manifest cannot be written, and retries without end if a
// table cannot. [FS] is between Pebble and the disk and turns the former into a [Failure],
// which every writer checks first. [Background] remembers how flushes and compactions fare.
// [DiskError] expresses what happened as errors of package kv. [Private] is the disk itself, on
// which new files belong to their owner alone.
package faultfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv"
)

// FS is between Pebble and the disk, for the faults on which Pebble panics: those of the log,
// of the manifest, of its marker and of the store's directory. It marks the store as failed,
// and then tells Pebble that nothing happened. From then on nothing is acknowledged and nothing
// on disk is changed, so that the next Open finds what was there at the fault, even while the
// failed store still exists; its reads continue.
//
// Faults of table files are left to Pebble to report. It retries, and FS slows the retries
// down. A fault in a directory in which a backup is made only fails the backup.
type FS struct {
	vfs.FS
	dir         string // the store's
	stagePrefix string // prefix of the names of backups' directories
	failed      *Failure
	background  *Background
	life        context.Context
	stages      sync.Map // sync errors of backups' directories, by path
	// sunk, if not nil, receives the tables of flushes and manifests instead of the disk.
	sunk atomic.Pointer[vfs.MemFS]
}

// New returns the file system for Pebble, of a store in dir. life must end before Pebble is
// closed. Directories below dir whose names begin with stagePrefix are for backups.
func New(fs vfs.FS, dir, stagePrefix string, failed *Failure, b *Background, life context.Context) *FS {
	return &FS{FS: fs, dir: dir, stagePrefix: stagePrefix, failed: failed, background: b, life: life}
}

// flushCategory is Pebble's name for its writes of memtables to files.
const flushCategory = vfs.DiskWriteCategory("pebble-memtable-flush")

// Sink marks the store as failed, and makes Pebble believe that memtables can be written to
// files: otherwise it would retry without end, and others would wait for it. When Sink returns,
// nothing on disk changes any more.
func (g *FS) Sink(err error) {
	g.sunk.CompareAndSwap(nil, vfs.NewMem())
	g.failed.Fail(err)
	g.failed.Settle()
}

// StageError returns why a directory of a backup could not be synced; the next call returns nil.
func (g *FS) StageError(dir string) error {
	if err, ok := g.stages.LoadAndDelete(dir); ok {
		return err.(error)
	}
	return nil
}

// Unwrap implements vfs.FS.
func (g *FS) Unwrap() vfs.FS { return g.FS }

// own reports whether the file is directly in the store's directory.
func (g *FS) own(name string) bool { return g.PathDir(name) == g.dir }

func (g *FS) isLog(name string) bool { return strings.HasSuffix(name, ".log") && g.own(name) }

// isManifest reports whether it is a manifest. If one cannot be written, Pebble drops the new
// version, but has already assigned the files their places in it; a compaction that ends then
// fails on these.
func (g *FS) isManifest(name string) bool {
	return strings.HasPrefix(g.PathBase(name), "MANIFEST-") && g.own(name)
}

// isMarker reports whether it is the file that names the manifest.
func (g *FS) isMarker(name string) bool {
	return strings.HasPrefix(g.PathBase(name), "marker.manifest.") && g.own(name)
}

// fail marks the store as failed.
func (g *FS) fail(name string, err error) {
	g.failed.Fail(fmt.Errorf("%s: %w", g.PathBase(name), err))
}

// Create implements vfs.FS.
func (g *FS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
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
	if strings.HasSuffix(name, ".sst") && g.sunk.Load() == nil {
		g.background.pause(g.life)
	}
	if mem := g.sunk.Load(); mem != nil && (c == flushCategory || g.isManifest(name)) {
		return mem.Create(g.PathBase(name), c)
	}
	var f vfs.File
	err := g.failed.write(func() (err error) {
		f, err = g.FS.Create(name, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	if g.isManifest(name) {
		return g.swallowing(name, f), nil
	}
	return &file{File: f, fs: g}, nil
}

// syncDir syncs the store's directory. Pebble does so only once for a new manifest and for the
// marker that names it: a power failure before that could leave the marker alone.
func (g *FS) syncDir() error {
	dir, err := g.FS.OpenDir(g.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// create returns a file in memory, to which nothing is written, if the file cannot be created.
func (g *FS) create(name string, create func() (vfs.File, error)) vfs.File {
	var f vfs.File
	err := g.failed.write(func() (err error) {
		f, err = create()
		return err
	})
	if err != nil {
		g.fail(name, err)
		f, _ = vfs.NewMem().Create(g.PathBase(name), vfs.WriteCategoryUnspecified) // this cannot fail
	}
	return g.swallowing(name, f)
}

// swallowing returns a file whose faults fail the store and are hidden from Pebble.
func (g *FS) swallowing(name string, f vfs.File) vfs.File {
	return &file{File: f, fs: g, swallow: func(err error) { g.fail(name, err) }}
}

// Open implements vfs.FS.
func (g *FS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if mem := g.sunk.Load(); mem != nil {
		if f, err := mem.Open(g.PathBase(name), opts...); err == nil {
			return f, nil
		}
	}
	f, err := g.FS.Open(name, opts...)
	if !strings.HasSuffix(name, ".sst") {
		return f, err
	}
	if err != nil {
		g.hesitate()
		return nil, err
	}
	return &table{File: f, fs: g}, nil
}

// readPause is the least time that a failing read takes: Pebble repeats a failed compaction at once.
const readPause = 20 * time.Millisecond

func (g *FS) hesitate() {
	select {
	case <-g.life.Done():
	case <-time.After(readPause):
	}
}

// table is a table file that is read.
type table struct {
	vfs.File
	fs *FS
}

// ReadAt implements vfs.File.
func (f *table) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	if err != nil && err != io.EOF {
		f.fs.hesitate()
	}
	return n, err
}

// ReuseForWrite implements vfs.FS.
func (g *FS) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return g.create(newname, func() (vfs.File, error) { return g.FS.ReuseForWrite(oldname, newname, c) }), nil
}

// OpenDir implements vfs.FS.
func (g *FS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	if name == g.dir {
		return g.swallowing(name, f), nil
	}
	dir := &file{File: f, fs: g}
	if strings.HasPrefix(g.PathBase(name), g.stagePrefix) {
		dir.swallow = func(err error) { g.stages.Store(name, err) }
	}
	return dir, nil
}

// Link implements vfs.FS.
func (g *FS) Link(oldname, newname string) error {
	return g.failed.write(func() error { return g.FS.Link(oldname, newname) })
}

// Remove implements vfs.FS.
func (g *FS) Remove(name string) error {
	return g.failed.write(func() error { return g.FS.Remove(name) })
}

// Rename implements vfs.FS.
func (g *FS) Rename(oldname, newname string) error {
	return g.failed.write(func() error { return g.FS.Rename(oldname, newname) })
}

// file is a file that is written or a directory that is synced.
type file struct {
	vfs.File
	fs *FS
	// swallow, if not nil, receives the errors instead of Pebble.
	swallow func(error)
}

// Write implements vfs.File.
func (f *file) Write(p []byte) (int, error) {
	n := len(p)
	return n, f.do(func() error {
		_, err := f.File.Write(p)
		return err
	})
}

// Sync implements vfs.File.
func (f *file) Sync() error { return f.do(f.File.Sync) }

// SyncData implements vfs.File.
func (f *file) SyncData() error { return f.do(f.File.SyncData) }

// SyncTo implements vfs.File.
func (f *file) SyncTo(length int64) (full bool, err error) {
	err = f.do(func() error {
		var err error
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}

// Close implements vfs.File.
func (f *file) Close() error {
	err := f.File.Close()
	if err != nil && f.swallow != nil {
		f.swallow(err)
		return nil
	}
	return err
}

func (f *file) do(fn func() error) error {
	err := f.fs.failed.write(fn)
	if f.swallow == nil {
		return err
	}
	if err != nil && !errors.Is(err, kv.ErrFailed) {
		f.swallow(err)
	}
	return nil
}
