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
	loading  chan struct{} // full while somebody reads the layout

	mu     sync.Mutex
	layout *layout
	read   time.Time // when layout was read
	tried  time.Time // when reading was last tried
	failed error     // why that failed
}

var _ kv.Store = (*Store)(nil)

// How old the catalog may be with which a statement begins: fresh if the cluster answers, and stale
// if its master does not, without which regions are still served.
const (
	fresh = 2 * time.Second
	stale = time.Minute
)

var errStale = errors.New("the cached HBase catalog is out of date")

// Open reads the cluster's catalog. It fails within the options' Timeout if it cannot reach the cluster.
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
	if err := ctx.Err(); err != nil { // it says nothing about the cluster
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
			l.stored, l.catalog = old.stored, old.catalog // callers compare their tables
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

// current returns a layout that is fresh, or not yet stale if somebody is reading a new one or none
// can be read.
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

// known returns the last layout, or why there is none. tried is true if a newer one was requested a
// moment ago, or is not needed.
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

// isClosed returns kv.ErrClosed if the store is closed.
func (s *Store) isClosed() error {
	if s.cluster.closed.Load() {
		return kv.ErrClosed
	}
	return nil
}

// kvError joins kv.ErrCatalogChanged to the error if that says that a table or family no longer exists.
func kvError(err error) error {
	if errors.Is(err, kv.ErrNoTable) && outcomeOf(err) == refused {
		return errors.Join(kv.ErrCatalogChanged, err)
	}
	return err
}
