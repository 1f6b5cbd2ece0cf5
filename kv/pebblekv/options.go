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

// Options are how a store is opened. The zero value of each field is its
// default.
type Options struct {
	// Dir is the directory, made when it is missing.
	Dir string
	// InMemory keeps everything in memory, private to this Store; Dir and FS
	// are then not looked at.
	InMemory bool
	// FS is the file system; the default is the operating system's.
	FS vfs.FS
	// Sync makes each commit durable before it returns. Without it a commit
	// is in the log but may be lost with power, never half. DDL always syncs.
	Sync bool
	// CacheBytes is the size of the block cache; the default is 64 MiB.
	CacheBytes int64
	// TxnMemory is what a transaction keeps in memory of what it writes; the rest goes to files
	// beside the store until it ends. The default is 256 MiB.
	TxnMemory int64
	// ReadOnly opens an existing store and refuses all writes.
	ReadOnly bool
	// LockTimeout is how long a write waits for a row; the default is 10 s.
	LockTimeout time.Duration
	// MaxRegionBytes is what a RANGE partition may take on disk before it is
	// split; the default is 10 GiB, and below 0 nothing is split or merged.
	MaxRegionBytes int64
	// CollectEvery is how often the files are asked whether there is something that
	// retention hides, besides after flushes and compactions; the default is a
	// minute, and below 0 nothing is collected but by Store.Collect.
	CollectEvery time.Duration
	// Now is the clock by which retention is judged; the default is the
	// machine's. It is called by many goroutines at once.
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
	// Files of a flush, and of the lower levels.
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
		// Locks of one process do not exclude each other under two names.
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

// prepareDir makes the directory, and refuses what is not a store's.
func (o *Options) prepareDir() error {
	info, err := o.FS.Stat(o.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.ReadOnly:
		return fmt.Errorf("there is no store to read at %s", o.Dir)
	case errors.Is(err, fs.ErrNotExist):
		if err := o.FS.MkdirAll(o.Dir, faultfs.DirMode); err != nil {
			return fmt.Errorf("the directory %s cannot be made: %w", o.Dir, err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("the directory %s cannot be looked at: %w", o.Dir, err)
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
		return fmt.Errorf("the store at %s cannot be looked at: %w", o.Dir, faultfs.DiskError(err))
	}
	if desc.Exists {
		return nil
	}
	if isComplete(names) {
		return missing(o.Dir, manifestMarker+"*")
	}
	for _, name := range names {
		if !storeFile(name) {
			return fmt.Errorf("the directory %s belongs to something else: it is no store and holds %s", o.Dir, name)
		}
	}
	if o.ReadOnly {
		return fmt.Errorf("there is no store to read at %s", o.Dir)
	}
	return nil
}

// Pebble takes a directory without its manifest's marker for a new store, which
// would be a silent loss: a store whose creation has come to its end has the
// marker of its format.
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

// storeFile reports whether a store whose creation was cut short may have left
// the file.
func storeFile(name string) bool {
	for _, prefix := range []string{dirlock.LockFile, dirlock.HolderFile, "MANIFEST-", "OPTIONS-", "CURRENT", "marker.", "temporary."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".dbtmp")
}

// OpenFiles is how many files a store keeps open of its tables: as many as Pebble does by
// itself, but no more than half of what the process may have.
func (s *Store) OpenFiles() int { return openFiles() }

func openFiles() int {
	const most, least = 1000, 64 // Pebble's
	limit := fileLimit()
	if limit == 0 || limit > 2*most {
		return most
	}
	return max(int(limit/2), least)
}

func (o *Options) pebbleOptions(s *Store) *pebble.Options {
	p := &pebble.Options{
		FS:                          s.files(),
		ReadOnly:                    o.ReadOnly,
		Comparer:                    cellkey.Comparer,
		FormatMajorVersion:          diskFormat,
		CacheSize:                   o.CacheBytes,
		MaxOpenFiles:                openFiles(),
		MemTableSize:                memTableBytes,
		MemTableStopWritesThreshold: 2, // one log more is kept to be written again; with 4 no load was faster
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
	p.Experimental.ReadSamplingMultiplier = -1 // no compactions for the sake of reads
	// Files that are not small: the next read of an iterator is then often in the
	// one that it has open, and to open one takes a sixth of a lookup.
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

// flushed is told how each flush of Pebble's ended.
func (s *Store) flushed(info pebble.FlushInfo) {
	s.background.Flushed(info)
	if info.Err == nil {
		s.engine.Flushed(info.Output)
	}
	s.engine.FilesChanged()
	go s.filesChanged()
}

// compacted is told how each of its compactions ended.
func (s *Store) compacted(info pebble.CompactionInfo) {
	s.background.Compacted(info)
	s.engine.FilesChanged()
	go s.filesChanged()
}

// filesChanged does what is due after a flush and a compaction, which readers see only
// behind the event.
func (s *Store) filesChanged() {
	s.engine.FilesChanged()
	s.engine.DropIdle()
	s.watchRegions()
	s.watchRetention()
}

// valuesWithKeys has all values stored beside their keys. Pebble takes keys of
// one prefix for versions and would keep all values but the first apart, which
// here would be those of most columns of a row.
//
// Nor are large values kept in files of their own, though with those of 4 KiB
// and more apart a scan of keys took half as long, where values have 10 KiB, a
// cell 0.85 and an insert 0.7 of the time: Pebble 2.1.7 closes such a file twice
// where a write to it fails, and ends the process by a panic, as it does where
// one is missing. A full disk must not.
func valuesWithKeys([]byte) (pebble.SpanPolicy, []byte, error) {
	return pebble.SpanPolicy{DisableValueSeparationBySuffix: true}, nil, nil
}

// logger swallows what Pebble reports, but for what Pebble calls fatal: that
// makes the store refuse further commits.
type logger struct{ store *Store }

func (*logger) Infof(string, ...any)  {}
func (*logger) Errorf(string, ...any) {}
func (l *logger) Fatalf(format string, args ...any) {
	l.store.failed.Fail(fmt.Errorf(format, args...))
}
