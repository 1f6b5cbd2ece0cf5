package hbase

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// Store is a kv.Store over a cluster. Its methods are safe for concurrent use.
type Store struct {
	options Options
	cluster *cluster

	changing sync.Mutex // held by who changes the catalog
	loading  sync.Mutex // held by who reads it anew

	mu     sync.Mutex
	layout *layout
	read   time.Time // when layout was read
	closed bool
}

var _ kv.Store = (*Store)(nil)

// fresh is how old the catalog may be that a statement begins with.
const fresh = 2 * time.Second

// Open reads the cluster's catalog. It fails within the options' Timeout where
// there is no cluster.
func Open(ctx context.Context, o Options) (*Store, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	q := &quorum{hosts: o.Quorum, root: o.ZNode, dial: o.Dial}
	s := &Store{options: o, cluster: &cluster{rpc: newWire(o.User, o.dialServer()), find: q.locate, timeout: o.Timeout, regions: map[string][]*regionInfo{}}}
	if err := s.refresh(ctx); err != nil {
		s.cluster.rpc.close()
		return nil, err
	}
	return s, nil
}

// refresh reads the catalog anew.
func (s *Store) refresh(ctx context.Context) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	l, err := s.cluster.loadLayout(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = time.Now()
	if err != nil {
		return err
	}
	if old := s.layout; old != nil {
		if l.equal(old) {
			l.stored.Version = old.stored.Version
			l.catalog = old.catalog
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

// current is a layout that is not old, where the cluster answers. Where it does not,
// regions may still be served: the old one has to do.
func (s *Store) current() (*layout, error) {
	s.mu.Lock()
	l, old, closed := s.layout, time.Since(s.read) > fresh, s.closed
	s.mu.Unlock()
	if closed {
		return l, kv.ErrClosed
	}
	if !old || !s.loading.TryLock() { // somebody reads it
		return l, nil
	}
	s.loading.Unlock()
	_ = s.refresh(context.Background()) // what is read next says what is wrong
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.layout, nil
}

// Catalog implements kv.Store.
func (s *Store) Catalog() *kv.Catalog {
	l, _ := s.current() // the error comes again with the first read
	return l.catalog
}

// Begin implements kv.Store.
func (s *Store) Begin(o kv.TxnOptions) kv.Txn {
	return &txn{store: s, options: o}
}

// Close implements kv.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.cluster.rpc.close()
	}
	return nil
}

// isClosed is kv.ErrClosed where the store is closed.
func (s *Store) isClosed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return kv.ErrClosed
	}
	return nil
}

// kvError makes an error of HBase one of kv's where there is one.
func kvError(err error) error {
	var e *rpcError
	if errors.As(err, &e) && e.outcome == refused && (e.class != "") {
		switch e.class {
		case "org.apache.hadoop.hbase.TableNotFoundException", "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException":
			return errors.Join(kv.ErrCatalogChanged, err)
		}
	}
	return err
}
