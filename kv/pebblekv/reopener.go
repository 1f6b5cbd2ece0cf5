package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/sample"
)

// Reopener is a store that recovers by itself from a disk fault. If the log or the
// manifest cannot be written, the database has failed: nothing on disk changes any more,
// commits are refused with kv.ErrFailed, and readers see what is durable. Once the disk
// accepts writes again, the files are opened again, as after a crash, and their log,
// synced or not, is written to tables. From then on that is the store, and what was
// running in the failed one ends with kv.ErrReopened.
type Reopener struct {
	now  atomic.Pointer[Store]
	life context.Context // ends with Close
	stop context.CancelFunc
	over chan struct{} // closed when nobody reopens any more

	mu       sync.Mutex
	closed   bool
	retired  []*Store // those that may not be gone yet
	why      error    // why the last attempt to reopen failed
	failures uint64
	reopened uint64
}

var (
	_ kv.Store          = (*Reopener)(nil)
	_ kv.Flusher        = (*Reopener)(nil)
	_ kv.Compacter      = (*Reopener)(nil)
	_ kv.StatsReader    = (*Reopener)(nil)
	_ kv.LoadReader     = (*Reopener)(nil)
	_ kv.Checker        = (*Reopener)(nil)
	_ kv.Backuper       = (*Reopener)(nil)
	_ kv.BulkLoader     = (*Reopener)(nil)
	_ kv.Repartitioner  = (*Reopener)(nil)
	_ kv.CheckedChanger = (*Reopener)(nil)
	_ kv.Collector      = (*Reopener)(nil)
	_ kv.Estimator      = (*Reopener)(nil)
	_ kv.Measured       = (*Reopener)(nil)
	_ kv.HealthReader   = (*Reopener)(nil)
	_ kv.BoundsFinder   = (*Reopener)(nil)
	_ kv.Counters       = (*Reopener)(nil)
)

// OpenReopener opens the store like Open, and with the same errors.
func OpenReopener(o Options) (*Reopener, error) {
	s, err := Open(o)
	if err != nil {
		return nil, err
	}
	r := &Reopener{over: make(chan struct{})}
	r.life, r.stop = context.WithCancel(context.Background())
	r.now.Store(s)
	if s.guard == nil {
		close(r.over)
		return r, nil
	}
	go r.watch()
	return r, nil
}

// OpenStore is OpenReopener, whose result is a *Reopener, for a package that does not need its type. The compiler makes
// all generic functions of Pebble again in each package that can see it, also by an inlined call, which takes longer
// than the rest of most packages.
//
//go:noinline
func OpenStore(o Options) (kv.Store, error) {
	r, err := OpenReopener(o)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// The pauses between attempts to reopen.
const (
	firstTry = 50 * time.Millisecond
	lastTry  = 2 * time.Second
)

// watch reopens the store each time that it has failed. It waits longer if the store
// fails again soon.
func (r *Reopener) watch() {
	defer close(r.over)
	pause := firstTry
	for {
		s, opened := r.now.Load(), time.Now()
		select {
		case <-s.failed.Done():
		case <-r.life.Done():
			return
		}
		if time.Since(opened) > time.Minute {
			pause = firstTry
		}
		r.mu.Lock()
		r.failures++
		r.mu.Unlock()
		for {
			select {
			case <-time.After(pause):
			case <-r.life.Done():
				return
			}
			pause = min(2*pause, lastTry)
			if r.try(s) {
				break
			}
		}
	}
}

// try reopens the failed store, and reports whether that succeeded.
func (r *Reopener) try(s *Store) bool {
	next, err := s.reopen()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why = err; err != nil {
		return false
	}
	if r.closed {
		_ = next.Close() // nobody has written to it
		return true
	}
	r.reopened++
	r.now.Store(next)
	r.retired = append(slices.DeleteFunc(r.retired, (*Store).isGone), s)
	s.retire()
	return true
}

func (s *Store) isGone() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// retire ends what is running in a store that has been replaced.
func (s *Store) retire() {
	if s.end(fmt.Errorf("%w: %w", kv.ErrReopened, s.failed.Err())) {
		s.collections.stop()
		go door{s}.Exit()
	}
}

// reopen opens the files of a failed store again, while that store still exists. The caller
// then ends the failed one.
func (s *Store) reopen() (*Store, error) {
	s.guard.Sink(s.failed.Err())
	if err := s.opts.probe(); err != nil {
		return nil, err
	}
	return start(s.opts, s.dirLock)
}

// probeFile is written to find out whether the disk accepts writes.
const (
	probeFile  = "hbasekv.probe"
	probeBytes = 64 << 10
)

// probe writes a file, syncs it and removes it.
func (o *Options) probe() (err error) {
	name := o.FS.PathJoin(o.Dir, probeFile)
	defer func() {
		if err != nil {
			err = faultfs.DiskError(fmt.Errorf("%s: %w", probeFile, err))
		}
	}()
	f, err := o.FS.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeBytes))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), o.FS.Remove(name))
}

// Health implements kv.HealthReader.
func (r *Reopener) Health() kv.Health {
	h := r.now.Load().Health()
	r.mu.Lock()
	defer r.mu.Unlock()
	h.Failures, h.Reopened = r.failures, r.reopened
	if h.Err != nil && r.why != nil {
		h.Err = fmt.Errorf("%w; it could not be reopened yet: %w", h.Err, r.why)
	}
	return h
}

// Close implements kv.Store. It waits for an attempt to reopen no longer than for operations.
func (r *Reopener) Close() error {
	r.mu.Lock()
	closed := r.closed
	r.closed = true
	r.mu.Unlock()
	if closed {
		return nil
	}
	r.stop()
	select {
	case <-r.over:
	case <-time.After(closeWait):
	}
	err := r.now.Load().Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.retired {
		_ = s.awaitGone() // nobody can do anything about its error
	}
	return err
}

// Catalog implements kv.Store.
func (r *Reopener) Catalog(ctx context.Context) (*kv.Catalog, error) {
	return r.now.Load().Catalog(ctx)
}

// ChangeCatalog implements kv.Store.
func (r *Reopener) ChangeCatalog(ctx context.Context, fn func(*kv.CatalogChange) error) error {
	return r.now.Load().ChangeCatalog(ctx, fn)
}

// ChangeCatalogAfter implements kv.CheckedChanger.
func (r *Reopener) ChangeCatalogAfter(ctx context.Context, read kv.Txn, fn func(*kv.CatalogChange) error) error {
	return r.now.Load().ChangeCatalogAfter(ctx, read, fn)
}

// Begin implements kv.Store.
func (r *Reopener) Begin(ctx context.Context, o kv.TxnOptions) (kv.Txn, error) {
	return r.now.Load().Begin(ctx, o)
}

// Flush implements kv.Flusher.
func (r *Reopener) Flush(ctx context.Context, tables ...*kv.Table) error {
	return r.now.Load().Flush(ctx, tables...)
}

// Compact implements kv.Compacter.
func (r *Reopener) Compact(ctx context.Context, t *kv.Table, leaves []int) error {
	return r.now.Load().Compact(ctx, t, leaves)
}

// TableStats implements kv.StatsReader.
func (r *Reopener) TableStats(ctx context.Context, t *kv.Table, exact bool) ([]kv.PartitionStats, error) {
	return r.now.Load().TableStats(ctx, t, exact)
}

// TableLoads implements kv.LoadReader.
func (r *Reopener) TableLoads(t *kv.Table) []kv.PartitionLoad { return r.now.Load().TableLoads(t) }

// TellSamples implements sample.Teller.
func (r *Reopener) TellSamples(fn func(context.Context, sample.Sample)) { r.now.Load().TellSamples(fn) }

// Check implements kv.Checker.
func (r *Reopener) Check(o kv.CheckOptions) (kv.Check, error) { return r.now.Load().Check(o) }

// Backup implements kv.Backuper.
func (r *Reopener) Backup(ctx context.Context, dir string) error {
	return r.now.Load().Backup(ctx, dir)
}

// BulkLoad implements kv.BulkLoader.
func (r *Reopener) BulkLoad(
	ctx context.Context, tables []*kv.Table, cells iter.Seq2[kv.Cell, error], o kv.BulkOptions,
) (kv.BulkStats, error) {
	return r.now.Load().BulkLoad(ctx, tables, cells, o)
}

// Repartition implements kv.Repartitioner.
func (r *Reopener) Repartition(
	ctx context.Context, database, name string, layout func(*kv.Table) error, o kv.MoveOptions,
) error {
	return r.now.Load().Repartition(ctx, database, name, layout, o)
}

// Isolate implements kv.Repartitioner.
func (r *Reopener) Isolate(ctx context.Context, database, name, leaf string, o kv.MoveOptions) error {
	return r.now.Load().Isolate(ctx, database, name, leaf, o)
}

// Collect implements kv.Collector.
func (r *Reopener) Collect(ctx context.Context, database, name string, o kv.CollectOptions) (kv.Collected, error) {
	return r.now.Load().Collect(ctx, database, name, o)
}

// DropExpired implements kv.Collector.
func (r *Reopener) DropExpired(ctx context.Context, database, name string) (int, error) {
	return r.now.Load().DropExpired(ctx, database, name)
}

// Collected implements kv.Collector.
func (r *Reopener) Collected(t *kv.Table) kv.Collected { return r.now.Load().Collected(t) }

// Collections implements kv.Collector.
func (r *Reopener) Collections() []kv.Collection { return r.now.Load().Collections() }

// Estimate implements kv.Estimator.
func (r *Reopener) Estimate(
	ctx context.Context, tables []*kv.Table, scan *kv.Scan, o kv.EstimateOptions,
) (kv.Estimate, error) {
	return r.now.Load().Estimate(ctx, tables, scan, o)
}

// FoundBounds implements kv.BoundsFinder.
func (r *Reopener) FoundBounds(t *kv.Table) [][]byte { return r.now.Load().FoundBounds(t) }

// OpenFiles returns how many table files the store keeps open.
func (r *Reopener) OpenFiles() int { return r.now.Load().OpenFiles() }

// Figures implements kv.Measured.
func (r *Reopener) Figures(ctx context.Context) ([]kv.Figure, error) {
	out, err := r.now.Load().Figures(ctx)
	return append(out, healthFigures(r.Health())...), err
}

// Announce implements kv.Announcer.
func (r *Reopener) Announce(a kv.Address) (withdraw func()) { return r.now.Load().Announce(a) }
