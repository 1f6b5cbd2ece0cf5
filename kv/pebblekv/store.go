package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/check"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/counter"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/dirlock"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/pebbledb"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/txn"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Store is a kv.Store on one Pebble database.
type Store struct {
	opts       Options
	engine     views.Engine
	db         *pebble.DB
	pebble     *pebble.Options // the options of db, complete
	blocks     *blockCache
	lock       *pebble.Lock
	dirLock    *dirlock.Lock
	failed     faultfs.Failure
	background faultfs.Background
	guard      *faultfs.FS // nil if the store writes no files

	// ddl serialises changes of the catalog; stored is its stored form, in the version format.
	ddl    sync.Mutex
	stored *keyspace.Catalog
	format int

	txns        txn.Manager
	regions     regions
	collections collections
	counters    counter.Set

	// users counts the operations and cursors that use db, and one for the
	// Store itself until Close; the last one closes db.
	users     atomic.Int64
	ending    atomic.Pointer[error] // why the store is closed
	life      context.Context       // ends with Close
	kill      context.CancelCauseFunc
	disk      context.Context // ends when db is about to be closed
	leave     context.CancelFunc
	gone      chan struct{} // closed once db is closed
	closeOnce sync.Once
	closeErr  error
}

var (
	_ kv.Store       = (*Store)(nil)
	_ kv.Flusher     = (*Store)(nil)
	_ kv.Compacter   = (*Store)(nil)
	_ kv.StatsReader = (*Store)(nil)
	_ kv.LoadReader  = (*Store)(nil)
	_ kv.Checker     = (*Store)(nil)
	_ kv.Backuper    = (*Store)(nil)

	_ kv.BulkLoader     = (*Store)(nil)
	_ kv.Repartitioner  = (*Store)(nil)
	_ kv.CheckedChanger = (*Store)(nil)
	_ kv.Collector      = (*Store)(nil)
	_ kv.Counters       = (*Store)(nil)
)

// Open opens the store, and creates it if it is missing. The error is kv.ErrLocked if another process
// or another Store has it open, and kv.ErrFormat if a later version or another program wrote it; every
// error names the directory.
func Open(o Options) (*Store, error) {
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	if err := o.prepareDir(); err != nil {
		return nil, err
	}
	l, err := dirlock.Take(o.FS, o.Dir, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	if !o.ReadOnly {
		if err := o.dropStages(); err != nil {
			return nil, errors.Join(fmt.Errorf("the directory %s: %w", o.Dir, faultfs.DiskError(err)), l.Release())
		}
	}
	s, err := start(o, l)
	if err == nil {
		l.Arrive()
	}
	return s, err
}

// start opens the store in a locked directory.
func start(o Options, l *dirlock.Lock) (*Store, error) {
	lock, err := l.Share()
	if err != nil {
		return nil, err
	}
	s := &Store{opts: o, lock: lock, dirLock: l, gone: make(chan struct{})}
	s.life, s.kill = context.WithCancelCause(context.Background())
	s.disk, s.leave = context.WithCancel(context.Background())
	s.users.Store(1)
	s.collections.init()
	s.failed.Init()
	s.engine.Init(door{s}, o.CacheBytes, o.Now) // before Pebble, whose events use it
	s.counters.Init(&s.engine, door{s})
	s.txns.Init(&s.engine, door{s}, s.life, o.LockTimeout, o.Sync, o.ReadOnly)
	s.background.Init()
	if !o.InMemory && !o.ReadOnly {
		s.guard = faultfs.New(o.FS, o.Dir, stagePrefix, &s.failed, &s.background, s.disk)
		if o.Sync {
			s.engine.Views.HoldDurable()
		}
	}
	if err := s.open(); err != nil {
		s.end(kv.ErrClosed)
		s.leave()
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}

func (s *Store) open() error {
	p := s.pebbleOptions()
	s.blocks = newBlockCache(s.opts.CacheBytes)
	defer s.blocks.Unref() // the database holds it
	p.Lock, p.Cache = s.lock, s.blocks.Cache
	before, err := s.opts.FS.List(s.opts.Dir)
	if err != nil {
		return fmt.Errorf("the directory %s cannot be read: %w", s.opts.Dir, faultfs.DiskError(err))
	}
	db, err := s.openPebble(p)
	if err == nil {
		err = s.loadFrom(db, p)
	}
	if err != nil {
		s.removeNew(before)
		return err
	}
	s.blocks.fit(s.db)
	s.regions.ready.Store(true)
	s.lookLater()
	return nil
}

// openPebble opens the database. Pebble writes what it finds in the log to a table, and would retry
// that without end: openPebble fails if the first attempt fails.
func (s *Store) openPebble(p *pebble.Options) (*pebble.DB, error) {
	var db *pebble.DB
	var err error
	trouble, opened := s.background.FlushFailure(), make(chan struct{})
	go func() {
		defer close(opened)
		db, err = pebbledb.Open(s.opts.Dir, p)
	}()
	select {
	case <-opened:
		if err != nil {
			return nil, s.openError(err)
		}
		return db, nil
	case <-trouble:
	}
	why := s.background.FlushError()
	if s.guard != nil {
		s.guard.Sink(why)
	}
	s.leave()
	<-opened
	if err == nil {
		_ = db.Close() // nobody has written to it
	}
	return nil, s.openError(why)
}

// loadFrom makes the database the store's, and closes it on an error.
func (s *Store) loadFrom(db *pebble.DB, p *pebble.Options) error {
	s.db, s.engine.DB, s.pebble = db, db, p.Clone()
	s.pebble.EnsureDefaults()
	s.txns.SetMemory(s.opts.TxnMemory)
	s.txns.Files = txn.Files{Own: s.opts.FS, Guarded: s.files(), Pebble: s.pebble, NewDir: s.newStage}
	if db.Metrics().MemTable.Count > 1 {
		s.engine.TakenIn() // part of the log has not been flushed
	}
	err := s.load()
	if err == nil {
		err = s.failed.Err()
	}
	if err != nil {
		s.engine.Closed.Store(true)
		s.leave()
		return errors.Join(fmt.Errorf("the store at %s: %w", s.opts.Dir, err), s.engine.Views.Close(), db.Close())
	}
	return nil
}

// removeNew removes the files of a failed open, so that attempts on a full disk do not use up more of
// it. If the manifest is one of them, the next open needs them.
func (s *Store) removeNew(before []string) {
	if s.guard == nil {
		return
	}
	o := &s.opts
	names, err := o.FS.List(o.Dir)
	desc, peeked := pebble.Peek(o.Dir, o.FS)
	if err != nil || peeked != nil || desc.Exists && !slices.Contains(before, o.FS.PathBase(desc.ManifestFilename)) {
		return
	}
	for _, name := range names {
		if !slices.Contains(before, name) && !strings.HasPrefix(name, "marker.") && name != "LOCK" {
			_ = o.FS.Remove(o.FS.PathJoin(o.Dir, name)) // the error of opening says more
		}
	}
}

// files returns the file system as Pebble sees it.
func (s *Store) files() vfs.FS {
	if s.guard == nil {
		return s.opts.FS
	}
	return s.guard
}

// openError adds the directory, the file if Pebble does not name it, and kv.ErrFormat if Pebble found a
// format that it or the comparer does not know.
func (s *Store) openError(err error) error {
	dir, text := s.opts.Dir, err.Error()
	switch {
	case isLater(err):
		return later(dir, err)
	case strings.Contains(text, "comparer name"), strings.Contains(text, "format major version"):
		return fmt.Errorf("%w: %s: %w", kv.ErrFormat, dir, err)
	case errors.Is(err, pebble.ErrDBNotPristine):
		return missing(dir, formatMarker+"*")
	}
	return fmt.Errorf("the store at %s cannot be opened: %w", dir, faultfs.DiskError(s.withFiles(err)))
}

// isLater reports whether Pebble found a format that only a later version knows.
func isLater(err error) bool { return strings.Contains(err.Error(), "unknown format major version") }

func later(dir string, err error) error {
	return fmt.Errorf("%w: %s was made by a later version of hbasekv: %w", kv.ErrFormat, dir, err)
}

// withFiles names the files if Pebble could not read one and does not say which.
func (s *Store) withFiles(err error) error {
	text, kind := err.Error(), ""
	switch {
	case strings.Contains(text, "replaying WAL"):
		kind = ".log"
	case !strings.Contains(text, "MANIFEST") && strings.Contains(text, "manifest"):
		kind = "MANIFEST-"
	case !strings.Contains(text, "OPTIONS") &&
		(strings.Contains(text, "options") || strings.Contains(text, "key=value syntax")):
		kind = "OPTIONS-"
	default:
		return err
	}
	names, _ := s.opts.FS.List(s.opts.Dir) // the error stands without them
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.Contains(n, kind) })
	return fmt.Errorf("%w (files: %s)", err, strings.Join(names, ", "))
}

// Begin implements kv.Store. In a closed store the transaction's calls fail. A failed store that does
// not sync has more in memory than in its files, which nobody may see, so Begin then fails.
func (s *Store) Begin(_ context.Context, o kv.TxnOptions) (kv.Txn, error) {
	if !s.opts.Sync {
		if err := s.failed.Err(); err != nil {
			return nil, err
		}
	}
	return s.txns.Begin(o), nil
}

// Flush implements kv.Flusher: it writes what is in memory to table files.
func (s *Store) Flush(ctx context.Context, _ ...*kv.Table) error {
	return s.during(ctx, func(ctx context.Context) error {
		if err := s.writable(ctx); err != nil {
			return err
		}
		return s.flush(ctx)
	})
}

// during runs fn in the open store, under a context that also ends with Close.
func (s *Store) during(ctx context.Context, fn func(context.Context) error) error {
	if err := (door{s}).Enter(); err != nil {
		return err
	}
	defer door{s}.Exit()
	ctx, cancel := s.untilClose(ctx)
	defer cancel()
	return s.orClosed(fn(ctx))
}

// flush waits no longer than the context, and ends when a flush fails: Pebble retries without end.
func (s *Store) flush(ctx context.Context) error {
	trouble := s.background.FlushFailure()
	s.txns.Commits.Lock() // like a commit, it may have to begin a new log
	err := errors.Join(s.failed.Err(), s.background.FlushError())
	var done <-chan struct{}
	if err == nil {
		done, err = s.db.AsyncFlush()
	}
	s.txns.Commits.Unlock()
	if err != nil {
		return faultfs.DiskError(err)
	}
	select {
	case <-done:
		return s.failed.Err()
	case <-trouble:
		return s.background.FlushError()
	case <-s.failed.Done():
		return s.failed.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// untilClose returns the context, which also ends with Close.
func (s *Store) untilClose(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// Compact implements kv.Compacter: it rewrites the leaves' key spaces down to the last level. It fails
// if any compaction fails meanwhile: Pebble would retry without end.
func (s *Store) Compact(ctx context.Context, t *kv.Table, leaves []int) error {
	return s.during(ctx, func(ctx context.Context) error {
		if err := s.writable(ctx); err != nil {
			return err
		}
		var spans []cellkey.Span
		spaces := keyspace.Of(t).Spaces
		if leaves != nil {
			spaces = keyspace.Of(t).SpacesOf(leaves)
		}
		for _, run := range layout.SpaceRuns(spaces) {
			spans = append(spans, cellkey.Span{Lower: cellkey.AppendSpace(nil, run[0]), Upper: cellkey.SpaceEnd(run[1])})
		}
		return s.compact(ctx, spans)
	})
}

func (s *Store) compact(ctx context.Context, spans []cellkey.Span) error {
	ctx, stop := s.background.UntilFailure(ctx)
	defer stop()
	s.engine.Views.ForgetLookup()
	for _, sp := range spans {
		err := s.db.Compact(ctx, sp.Lower, sp.Upper, false)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return faultfs.DiskError(err)
		}
	}
	return s.failed.Err()
}

// orClosed returns the error, or the reason of the store's end once it is closed.
func (s *Store) orClosed(err error) error {
	if err != nil && s.engine.Closed.Load() {
		return s.whyClosed()
	}
	return err
}

// whyClosed returns kv.ErrClosed or kv.ErrReopened.
func (s *Store) whyClosed() error {
	if why := s.ending.Load(); why != nil {
		return *why
	}
	return kv.ErrClosed
}

// Check implements kv.Checker.
func (s *Store) Check(o kv.CheckOptions) (kv.Check, error) {
	p := s.pebbleOptions()
	p.EnsureDefaults()
	return check.Start(door{s}, &s.engine, check.Files{FS: s.opts.FS, Dir: s.opts.Dir, Reader: p.MakeReaderOptions()}, o)
}

// OpenIterators returns the number of iterators that cursors and writes hold now.
func (s *Store) OpenIterators() int { return int(s.engine.Iterators.Load()) }

// Gone returns a channel that is closed once the files are closed and the directory is free: after
// Close, or with the last cursor that was open at Close.
func (s *Store) Gone() <-chan struct{} { return s.gone }

// closeWait bounds the wait for running operations that Close has told to stop.
const closeWait = 10 * time.Second

// Close implements kv.Store. If cursors are still open, the files are closed with the last of them:
// bytes that a reader uses stay readable until its next step, which fails. See Gone.
func (s *Store) Close() error {
	if !s.end(kv.ErrClosed) {
		return nil
	}
	s.collections.stop()
	door{s}.Exit()
	return s.awaitGone()
}

// awaitGone waits until the files of an ended store are closed, unless cursors are still open.
func (s *Store) awaitGone() error {
	if s.engine.Cursors.Load() > 0 {
		return nil
	}
	select {
	case <-s.gone:
		return s.closeErr
	case <-time.After(closeWait):
		return nil
	}
}

// end makes everything that is running end with the error, and reports whether it was the first call.
func (s *Store) end(why error) bool {
	if !s.ending.CompareAndSwap(nil, &why) {
		return false
	}
	s.engine.Closed.Store(true)
	s.kill(why)
	return true
}

// door is the store for the internal packages.
type door struct{ store *Store }

// Enter keeps db open until Exit. It returns whyClosed after Close.
func (d door) Enter() error {
	s := d.store
	s.users.Add(1)
	if s.engine.Closed.Load() {
		d.Exit()
		return s.whyClosed()
	}
	return nil
}

func (d door) Exit() {
	if s := d.store; s.users.Add(-1) == 0 {
		s.closeOnce.Do(s.closeFiles)
	}
}

func (d door) WhyClosed() error { return d.store.whyClosed() }

func (d door) UntilClose(ctx context.Context) (context.Context, context.CancelFunc) {
	return d.store.untilClose(ctx)
}

func (d door) OrClosed(err error) error { return d.store.orClosed(err) }

func (d door) Accepts() error { return d.store.accepts() }

func (d door) Failed() error { return d.store.failed.Err() }

func (d door) Failure() <-chan struct{} { return d.store.failed.Done() }

func (d door) Flush(ctx context.Context) error { return d.store.Flush(ctx) }

func (d door) Writable(ctx context.Context) error { return d.store.writable(ctx) }

func (d door) Exclude(fn func()) {
	d.store.txns.Commits.Lock()
	defer d.store.txns.Commits.Unlock()
	fn()
}

// replayBytes is how many bytes may be left in the log for the next Open to read.
const replayBytes = 4 << 20

func (s *Store) closeFiles() {
	err := s.engine.Views.Close()
	if !s.opts.ReadOnly && s.failed.Err() == nil {
		s.counters.Settle()
	}
	if !s.opts.ReadOnly && !s.opts.InMemory && s.failed.Err() == nil && s.db.Metrics().MemTable.Size > replayBytes {
		ctx, cancel := context.WithTimeout(context.Background(), closeWait/2)
		_ = s.flush(ctx) // what it does not write is in the log
		cancel()
	}
	s.leave()
	s.closeErr = errors.Join(err, s.db.Close(), s.lock.Close())
	close(s.gone)
}

// Announce implements kv.Announcer.
func (s *Store) Announce(a kv.Address) (withdraw func()) { return s.dirLock.Announce(a) }
