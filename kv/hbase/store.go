package hbase

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// Store is a kv.Store over a cluster. Its methods are safe for concurrent use.
type Store struct {
	options Options
	access  access
	cluster *cluster

	changing sync.Mutex    // held while the catalog is changed
	loading  chan struct{} // full while somebody reads it anew

	mu     sync.Mutex
	layout *layout
	read   time.Time // when layout was read
	tried  time.Time // when that was tried last
	failed error     // why it failed
}

var _ kv.Store = (*Store)(nil)

// How old the catalog may be that a statement begins with: fresh where the cluster
// answers, and stale where its master does not, without which regions are served.
const (
	fresh = 2 * time.Second
	stale = time.Minute
)

var errStale = errors.New("the catalog of HBase is not known any more")

// Open reads the cluster's catalog. It fails within the options' Timeout where
// there is no cluster.
func Open(ctx context.Context, o Options) (*Store, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	a, err := o.access()
	if err != nil {
		return nil, err
	}
	s := &Store{options: o, access: a, loading: make(chan struct{}, 1), cluster: &cluster{
		rpc: &counted{transport: newWire(a), methods: map[string]*methodCounts{}}, find: o.finder(a),
		timeout: o.Timeout, caching: o.ScanCaching, regions: map[string][]*regionInfo{}}}
	if err := s.refresh(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// refresh reads the catalog again.
func (s *Store) refresh(ctx context.Context) error {
	select {
	case s.loading <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.loading }()
	return s.load(ctx)
}

func (s *Store) load(ctx context.Context) error {
	l, err := s.cluster.loadLayout(ctx)
	if err := ctx.Err(); err != nil { // which says nothing of the cluster
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried, s.failed = time.Now(), err
	if err != nil {
		return err
	}
	s.read = s.tried
	if old := s.layout; old != nil {
		if l.equal(old) {
			l.stored, l.catalog = old.stored, old.catalog // whose tables callers compare
			s.layout = l
			return nil
		}
		l.stored.Version = old.stored.Version
	}
	l.stored.Version++
	l.catalog = l.stored.Catalog()
	s.layout = l
	return nil
}

// current is a layout that is fresh, or not yet stale where somebody reads another
// one or that cannot be had.
func (s *Store) current(ctx context.Context) (*layout, error) {
	if l, tried, err := s.known(); tried {
		return l, err
	} else if err == nil && len(s.loading) > 0 {
		return l, nil
	}
	select {
	case s.loading <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-s.loading }()
	if l, tried, err := s.known(); tried {
		return l, err
	}
	if err := s.load(ctx); ctx.Err() != nil {
		return nil, err
	}
	l, _, err := s.known()
	return l, err
}

// known is the layout at hand, or why there is none. tried says that a newer one
// has been asked for a moment ago, or need not be.
func (s *Store) known() (l *layout, tried bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch tried = time.Since(s.tried) < fresh; {
	case s.cluster.closed.Load():
		return nil, true, kv.ErrClosed
	case time.Since(s.read) >= stale:
		return nil, tried, cmp.Or(s.failed, errStale)
	}
	return s.layout, tried, nil
}

// Catalog implements kv.Store.
func (s *Store) Catalog(ctx context.Context) (*kv.Catalog, error) {
	l, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	return l.catalog, nil
}

// Begin implements kv.Store.
func (s *Store) Begin(ctx context.Context, o kv.TxnOptions) (kv.Txn, error) {
	l, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	return &txn{store: s, options: o, layout: l}, nil
}

// Close implements kv.Store.
func (s *Store) Close() error {
	s.cluster.close()
	if s.access.login != nil {
		s.access.login.Close()
	}
	return nil
}

// isClosed is kv.ErrClosed where the store is closed.
func (s *Store) isClosed() error {
	if s.cluster.closed.Load() {
		return kv.ErrClosed
	}
	return nil
}

// kvError is kv.ErrCatalogChanged too where the error says that a table or family is there no more.
func kvError(err error) error {
	if errors.Is(err, kv.ErrNoTable) && outcomeOf(err) == refused {
		return errors.Join(kv.ErrCatalogChanged, err)
	}
	return err
}
