// Package spill keeps on the disk what a transaction has written beyond its memory.
//
// A [Store] is a Pebble database of its own that does not outlive the transaction: sorted runs of
// writes are its tables, each made at once. A write is known by its number, which ends its key: all
// writes of a key are kept, newest first, so that any moment of the transaction can be read.
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
)

const (
	// cacheBytes keeps the blocks that the writes of a row are looked for in.
	cacheBytes = 8 << 20
	blockBytes = 32 << 10
	bloomBits  = 10
)

// Store keeps the writes of a transaction on disk. It is closed with the last who uses it.
type Store struct {
	db    *pebble.DB
	files *files
	dir   string
	table sstable.WriterOptions
	runs  int
	users atomic.Int32
}

// Open makes a store in a directory that is not there yet, with one user.
func Open(disk vfs.FS, dir string) (*Store, error) {
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
	if s.db, err = pebble.Open(dir, o); err != nil {
		return nil, faultfs.DiskError(errors.Join(err, disk.RemoveAll(dir)))
	}
	s.table = o.MakeWriterOptions(0, o.FormatMajorVersion.MaxTableFormat())
	s.table.DisableValueBlocks = true
	s.users.Store(1)
	return s, nil
}

// silent takes what Pebble reports.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(string, ...any) {}

// Hold counts one more user.
func (s *Store) Hold() { s.users.Add(1) }

// Release ends a use. With the last one the files go; what cannot be removed now the next start of the
// store removes.
func (s *Store) Release() {
	if s.users.Add(-1) == 0 {
		_ = s.db.Close()
		_ = s.files.disk.RemoveAll(s.dir)
	}
}

// Run is a sorted run of writes that is being made.
type Run struct {
	w   *sstable.Writer
	key []byte
	n   int
}

// AddRun takes a run into the store that write makes, unless it fails: then the run is dropped.
func (s *Store) AddRun(write func(*Run) error) error {
	s.runs++
	path := s.files.PathJoin(s.dir, fmt.Sprintf("run-%d.sst", s.runs))
	file, err := s.files.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return faultfs.DiskError(err)
	}
	r := Run{w: sstable.NewWriter(objstorageprovider.NewFileWritable(file), s.table)}
	err = write(&r)
	if err = errors.Join(err, r.w.Close()); err == nil && r.n > 0 {
		err = s.db.Ingest(context.Background(), []string{path})
	}
	if err != nil || r.n == 0 {
		err = errors.Join(err, s.files.Remove(path))
	}
	return faultfs.DiskError(err)
}

// Add adds a write: a value in its stored form, or without one the deletion of the cell. Keys ascend, and
// the numbers of the writes of one key descend.
func (r *Run) Add(key []byte, number uint32, stored []byte) error {
	r.key = appendKey(r.key[:0], key, number)
	return r.set(r.key, stored)
}

func (r *Run) set(key, stored []byte) error {
	r.n++
	return r.w.Set(key, stored)
}

// numberLen is the length of a number at the end of a key: complemented, so that newer writes come first.
const numberLen = 4

// comparer orders writes by their cells' keys and then by their numbers, so that all writes of a key are
// side by side, and a place behind a key, which begins with that, is behind all of its writes.
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
