// Package spill keeps on the disk what a transaction has written beyond its memory.
//
// A [Store] is a Pebble database of its own that does not outlive the transaction. Its tables are sorted
// runs of writes, each made at once. A key ends with the number of its write: all writes of a key are
// kept, newest first, so that any moment of the transaction can be read.
package spill

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/pebbledb"
)

const (
	// blockBytes is a little less than 32 KiB: with what the cache adds to a block, it is then allocated in 32 KiB,
	// not in 40.
	blockBytes = 32<<10 - 512
	// fileBytes is the size of the files of a run. Each has a filter of its keys, which must be much smaller than
	// the cache, or each look-up reads it from the disk. Inserting 4 cells into each of 3,000,000 rows, one after
	// the other, takes 87 s in place of 360 s with one file a run (TestKillSpilled with 12,000,000 cells and 256 MiB,
	// 2026-11-29).
	fileBytes = 1 << 20
	bloomBits = 10
)

// Store keeps the writes of a transaction on disk. It is closed when its last user releases it.
type Store struct {
	db    *pebble.DB
	files *files
	dir   string
	table sstable.WriterOptions
	made  int // files
	users atomic.Int32
}

// Open makes a store with one user, in a directory that must not exist yet. The error is the disk's.
func Open(disk vfs.FS, dir string, cacheBytes int64) (*Store, error) {
	s := &Store{files: &files{vfs.NewMem(), disk}, dir: dir}
	if err := disk.MkdirAll(dir, faultfs.DirMode); err != nil {
		return nil, faultfs.DiskError(err)
	}
	o := &pebble.Options{
		FS: s.files, Comparer: comparer, CacheSize: cacheBytes, FormatMajorVersion: pebble.FormatValueSeparation,
		DisableWAL: true, DisableAutomaticCompactions: true, MemTableSize: 256 << 10, Logger: silent{},
	}
	for i := range o.Levels {
		o.Levels[i].BlockSize, o.Levels[i].FilterPolicy = blockBytes, bloom.FilterPolicy(bloomBits)
	}
	o.EnsureDefaults()
	var err error
	if s.db, err = pebbledb.Open(dir, o); err != nil {
		return nil, faultfs.DiskError(errors.Join(err, disk.RemoveAll(dir)))
	}
	s.table = o.MakeWriterOptions(0, o.FormatMajorVersion.MaxTableFormat())
	s.table.DisableValueBlocks = true
	s.users.Store(1)
	return s, nil
}

// silent ignores what Pebble logs.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(string, ...any) {}

// Hold counts one more user.
func (s *Store) Hold() { s.users.Add(1) }

// Release ends a use. The last one removes the files; the next start of the store removes those that
// cannot be removed now.
func (s *Store) Release() {
	if s.users.Add(-1) == 0 {
		_ = s.db.Close()
		_ = s.files.disk.RemoveAll(s.dir)
	}
}

// Run is a sorted run of writes that is being made: one file after the other.
type Run struct {
	store *Store
	w     *sstable.Writer // of the last file
	files []string
	key   []byte
}

// AddRun adds the run that write makes. If write or the disk fails, the run is dropped.
func (s *Store) AddRun(write func(*Run) error) error {
	r := Run{store: s}
	err := errors.Join(write(&r), r.closeFile())
	if err == nil && len(r.files) > 0 {
		err = s.db.Ingest(context.Background(), r.files)
	}
	if err != nil {
		for _, path := range r.files {
			err = errors.Join(err, s.files.Remove(path))
		}
	}
	return faultfs.DiskError(err)
}

// Add adds a write: a value in stored form, or, if that is empty, the deletion of the cell. Keys must
// ascend, and the numbers of the writes of one key must descend.
func (r *Run) Add(key []byte, number uint32, stored []byte) error {
	r.key = appendKey(r.key[:0], key, number)
	return r.set(r.key, stored)
}

func (r *Run) set(key, stored []byte) error {
	if r.w == nil || r.w.Raw().EstimatedSize() >= fileBytes {
		if err := errors.Join(r.closeFile(), r.openFile()); err != nil {
			return err
		}
	}
	return r.w.Set(key, stored)
}

func (r *Run) openFile() error {
	s := r.store
	s.made++
	path := s.files.PathJoin(s.dir, fmt.Sprintf("run-%d.sst", s.made))
	file, err := s.files.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	r.files = append(r.files, path)
	r.w = sstable.NewWriter(objstorageprovider.NewFileWritable(file), s.table)
	return nil
}

func (r *Run) closeFile() error {
	if r.w == nil {
		return nil
	}
	err := r.w.Close()
	r.w = nil
	return err
}

// numberLen is the length of the number at the end of a key. It is complemented, so that newer writes
// come first.
const numberLen = 4

// comparer orders writes by their cells' keys and then by their numbers. So all writes of a key are
// adjacent, and they come before any key that begins with that key.
var comparer = func() *pebble.Comparer {
	c := cellkey.NewComparer("hbasekv.writes.1", func(key []byte) int { return max(0, len(key)-numberLen) })
	c.Compare = func(a, b []byte) int {
		n, m := c.Split(a), c.Split(b)
		return cmp.Or(bytes.Compare(a[:n], b[:m]), bytes.Compare(a[n:], b[m:]))
	}
	c.AbbreviatedKey = func([]byte) uint64 { return 0 }
	c.Separator = func(dst, a, _ []byte) []byte { return append(dst, a...) }
	c.Successor = func(dst, a []byte) []byte { return append(dst, a...) }
	return c
}()
