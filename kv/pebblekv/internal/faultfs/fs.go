// Package faultfs keeps faults of the disk from ending the process.
//
// Pebble panics where its log or its manifest cannot be written, and tries
// without end where a table cannot. [FS] stands between Pebble and the disk and
// turns the first into a [Failure], which all that write ask first. [Background]
// remembers how flushes and compactions fare. [DiskError] names what happened in
// the errors of package kv. [Private] is the disk itself, on which what is made is its owner's
// alone.
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

// FS stands between Pebble and the disk, for the faults that Pebble meets
// with a panic: those of the log, of the manifest, of its marker and of the
// store's directory. It tells Pebble that nothing happened, after it has marked
// the store as failed. From then on nothing is acknowledged and nothing on the
// disk is changed, so that the next Open finds what was there at the fault, even
// beside the store that has failed; reads go on.
//
// Faults of table files are Pebble's to report; it tries again, and the guard
// sees to it that it does so without haste. A directory in which a backup is put
// together fails the backup alone.
type FS struct {
	vfs.FS
	dir         string // the store's
	stagePrefix string // of the names of directories in which backups are made
	failed      *Failure
	background  *Background
	life        context.Context
	stages      sync.Map // errors of backups' directories, by path
	// sunk, where it is not nil, takes the tables of flushes and manifests in the disk's stead.
	sunk atomic.Pointer[vfs.MemFS]
}

// New is the file system as Pebble is to see it, of a store in dir that lives
// as long as the context, which ends before Pebble is closed. Directories below it whose
// names begin with stagePrefix are for backups.
func New(fs vfs.FS, dir, stagePrefix string, failed *Failure, b *Background, life context.Context) *FS {
	return &FS{FS: fs, dir: dir, stagePrefix: stagePrefix, failed: failed, background: b, life: life}
}

// flushCategory is what Pebble calls its writes of what is in memory to tables.
const flushCategory = vfs.DiskWriteCategory("pebble-memtable-flush")

// Sink marks the store as failed, and has Pebble believe that what is in memory can be
// written to tables: it would try that without end, and have others wait for it. When
// Sink returns nothing on the disk changes any more.
func (g *FS) Sink(err error) {
	g.sunk.CompareAndSwap(nil, vfs.NewMem())
	g.failed.Fail(err)
	g.failed.Settle()
}

// StageError is why a directory of a backup could not be synced, told once.
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

// isManifest reports whether it is a manifest. When one cannot be written Pebble
// drops the new version, but has given the files their places in it already; a
// compaction that ends then trips over these.
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

// syncDir syncs the store's directory. Pebble does so once for a new manifest
// and for the marker that names it: a power cut before that could leave the
// marker alone.
func (g *FS) syncDir() error {
	dir, err := g.FS.OpenDir(g.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// create gives a file in memory, to which nothing is written, where it cannot be
// made.
func (g *FS) create(name string, create func() (vfs.File, error)) vfs.File {
	var f vfs.File
	err := g.failed.write(func() (err error) {
		f, err = create()
		return err
	})
	if err != nil {
		g.fail(name, err)
		f, _ = vfs.NewMem().Create(g.PathBase(name), vfs.WriteCategoryUnspecified) // which cannot fail
	}
	return g.swallowing(name, f)
}

// swallowing is a file whose faults are the store's and not told to Pebble.
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

// readPause is how long a read that fails takes at least: Pebble repeats a
// compaction that fails at once.
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
	// swallow, where it is not nil, takes the errors in Pebble's stead.
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
