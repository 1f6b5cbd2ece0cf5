package pebblekv

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/dirlock"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Options say how a store is opened. The zero value of each field is its default.
type Options struct {
	// Dir is the directory, created if it is missing.
	Dir string
	// InMemory keeps everything in memory, private to this Store; Dir and FS are ignored.
	InMemory bool
	// FS is the file system; the default is the operating system's.
	FS vfs.FS
	// Sync makes each commit durable before it returns. Without it a commit is in the log but
	// may be lost in a power failure, though never partially. DDL always syncs.
	Sync bool
	// CacheBytes is the size of the block cache; the default is 64 MiB.
	CacheBytes int64
	// TxnMemory is how many bytes of its writes a transaction keeps in memory; the rest goes to
	// files beside the store until it ends. The default is 256 MiB.
	TxnMemory int64
	// ReadOnly opens an existing store and refuses all writes.
	ReadOnly bool
	// LockTimeout is how long a write waits for a row; the default is 10 s.
	LockTimeout time.Duration
	// MaxRegionBytes is the size on disk above which a RANGE partition is split; the default is
	// 10 GiB. If it is negative, nothing is split or merged.
	MaxRegionBytes int64
	// CollectEvery is how often the files are checked for what retention hides, in addition to
	// after flushes and compactions; the default is a minute. If it is negative, only
	// Store.Collect collects.
	CollectEvery time.Duration
	// Now is the clock for retention; the default is the machine's. It is called concurrently.
	Now func() time.Time
}

const (
	defaultCacheBytes  = 64 << 20
	defaultTxnMemory   = 256 << 20
	defaultLockTimeout = 10 * time.Second
	defaultRegionBytes = 10 << 30
	defaultCollect     = time.Minute

	memTableBytes = 64 << 20
	blockBytes    = views.BlockBytes
	// Sizes of files of a flush, and of the lower levels.
	flushFileBytes = 2 << 20
	tableFileBytes = 64 << 20
	bloomBits      = 10
	// diskFormat is the Pebble format of new stores. It is named, not "newest",
	// so that another version of the library does not change what is written.
	diskFormat = pebble.FormatValueSeparation
)

func (o *Options) setDefaults() error {
	if o.InMemory {
		o.FS, o.Dir = vfs.NewMem(), "store"
	}
	if o.Dir == "" {
		return errors.New("a store needs a directory")
	}
	if o.FS == nil {
		o.FS = faultfs.Private
		dir, err := filepath.Abs(o.Dir)
		if err != nil {
			return fmt.Errorf("the directory %s: %w", o.Dir, err)
		}
		// Locks of one process under two names do not exclude each other.
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		o.Dir = dir
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = defaultCacheBytes
	}
	if o.TxnMemory <= 0 {
		o.TxnMemory = defaultTxnMemory
	}
	if o.LockTimeout <= 0 {
		o.LockTimeout = defaultLockTimeout
	}
	if o.CollectEvery == 0 {
		o.CollectEvery = defaultCollect
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxRegionBytes == 0 {
		o.MaxRegionBytes = defaultRegionBytes
	}
	return nil
}

// prepareDir creates the directory, and refuses one that is not a store's.
func (o *Options) prepareDir() error {
	info, err := o.FS.Stat(o.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.ReadOnly:
		return fmt.Errorf("there is no store to read at %s", o.Dir)
	case errors.Is(err, fs.ErrNotExist):
		if err := o.FS.MkdirAll(o.Dir, faultfs.DirMode); err != nil {
			return fmt.Errorf("the directory %s cannot be created: %w", o.Dir, err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("the directory %s cannot be read: %w", o.Dir, err)
	case !info.IsDir():
		return fmt.Errorf("%s is a file; a store needs a directory", o.Dir)
	}
	return o.checkContents()
}

func (o *Options) checkContents() error {
	names, err := o.FS.List(o.Dir)
	if err != nil {
		return fmt.Errorf("the directory %s cannot be read: %w", o.Dir, err)
	}
	desc, err := pebble.Peek(o.Dir, o.FS)
	if err != nil && isLater(err) {
		return later(o.Dir, err)
	}
	if err != nil {
		return fmt.Errorf("the store at %s cannot be read: %w", o.Dir, faultfs.DiskError(err))
	}
	if desc.Exists {
		return nil
	}
	if isComplete(names) {
		return missing(o.Dir, manifestMarker+"*")
	}
	for _, name := range names {
		if !storeFile(name) {
			return fmt.Errorf("the directory %s is not a store: it contains %s", o.Dir, name)
		}
	}
	if o.ReadOnly {
		return fmt.Errorf("there is no store to read at %s", o.Dir)
	}
	return nil
}

// Pebble takes a directory without its manifest's marker for a new store, which would be a
// silent loss: a store whose creation is complete has the marker of its format.
const (
	formatMarker   = "marker.format-version."
	manifestMarker = "marker.manifest."
)

func isComplete(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, formatMarker) })
}

func missing(dir, name string) error {
	return fmt.Errorf("the store at %s cannot be opened: %w: the file %s is missing", dir, kv.ErrCorrupt, name)
}

// storeFile reports whether an interrupted creation of a store may have left the file.
func storeFile(name string) bool {
	for _, prefix := range []string{dirlock.LockFile, dirlock.HolderFile, "MANIFEST-", "OPTIONS-", "CURRENT", "marker.", "temporary."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".dbtmp")
}

// OpenFiles returns how many table files a store keeps open: as many as Pebble's default, but
// at most half of what the process may open.
func (s *Store) OpenFiles() int { return openFiles() }

func openFiles() int {
	const most, least = 1000, 64 // Pebble's
	limit := fileLimit()
	if limit == 0 || limit > 2*most {
		return most
	}
	return max(int(limit/2), least)
}

// pebbleOptions is no method of Options, since each package that uses Options would then see Pebble's types: see
// OpenStore.
func (s *Store) pebbleOptions() *pebble.Options {
	o := &s.opts
	p := &pebble.Options{
		FS:                          s.files(),
		ReadOnly:                    o.ReadOnly,
		Comparer:                    cellkey.Comparer,
		FormatMajorVersion:          diskFormat,
		MaxOpenFiles:                openFiles(),
		MemTableSize:                memTableBytes,
		MemTableStopWritesThreshold: 2, // one more log is kept for reuse; with 4 no load was faster
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       24,
		LBaseMaxBytes:               64 << 20,
		WALBytesPerSync:             512 << 10,
		Logger:                      &logger{store: s},
		BlockPropertyCollectors: []func() pebble.BlockPropertyCollector{
			cellkey.NewTimeCollector, cellkey.NewVersionsCollector, cellkey.NewSampler,
		},
		EventListener: &pebble.EventListener{
			FlushBegin:    func(pebble.FlushInfo) { s.engine.Fresh.FlushBegins() },
			FlushEnd:      s.flushed,
			CompactionEnd: s.compacted,
			TableIngested: func(pebble.TableIngestInfo) { s.engine.FilesChanged() },
			// The call that asked for the damaged data gets the error.
			DataCorruption: func(pebble.DataCorruptionInfo) {},
		},
	}
	p.Experimental.SpanPolicyFunc = valuesWithKeys
	p.Experimental.ReadSamplingMultiplier = -1 // no compactions to speed up reads
	// Files are not small: the next read of an iterator is then often in the file that it has
	// open; opening one takes a sixth of a lookup.
	p.TargetFileSizes = [...]int64{
		flushFileBytes, 8 * flushFileBytes, 16 * flushFileBytes,
		tableFileBytes, tableFileBytes, tableFileBytes, tableFileBytes,
	}
	for i := range p.Levels {
		p.Levels[i].BlockSize = blockBytes
		p.Levels[i].FilterPolicy = bloom.FilterPolicy(bloomBits)
	}
	return p
}

// flushed handles the end of each of Pebble's flushes.
func (s *Store) flushed(info pebble.FlushInfo) {
	s.background.Flushed(info)
	if info.Err == nil {
		s.engine.Flushed(info.Output)
	}
	s.engine.FilesChanged()
	go func() {
		s.fitCache()
		s.filesChanged()
	}()
}

// compacted handles the end of each of Pebble's compactions.
func (s *Store) compacted(info pebble.CompactionInfo) {
	s.background.Compacted(info)
	s.engine.FilesChanged()
	go s.filesChanged()
}

// filesChanged does what is due after a flush or a compaction. Readers see the new files only
// after the event.
func (s *Store) filesChanged() {
	s.engine.FilesChanged()
	s.engine.DropIdle()
	s.watchRegions()
	s.watchRetention()
}

// valuesWithKeys makes Pebble store all values next to their keys. Pebble takes keys of one
// prefix for versions and would store all values but the first separately, which here would be
// those of most columns of a row.
//
// Nor are large values stored in files of their own, though with values of 4 KiB and more
// separate a scan of keys took half as long, where values have 10 KiB, a cell 0.85 and an
// insert 0.7 of the time: Pebble 2.1.7 closes such a file twice if a write to it fails, which
// panics, and also panics if one is missing. A full disk must not end the process.
func valuesWithKeys([]byte) (pebble.SpanPolicy, []byte, error) {
	return pebble.SpanPolicy{DisableValueSeparationBySuffix: true}, nil, nil
}

// logger drops what Pebble logs, except what Pebble calls fatal: that makes the store refuse
// further commits.
type logger struct{ store *Store }

func (*logger) Infof(string, ...any)  {}
func (*logger) Errorf(string, ...any) {}
func (l *logger) Fatalf(format string, args ...any) {
	l.store.failed.Fail(fmt.Errorf(format, args...))
}
