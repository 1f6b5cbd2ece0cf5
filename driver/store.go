package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
)

// storeOptions are the options that all users of a store share.
type storeOptions struct {
	Path        string // as given; MemoryPath for an in-memory store
	NoSync      bool
	CacheSize   int64 // 0 is the store's default
	ReadOnly    bool
	LockTimeout time.Duration // of users that do not set one
	TxnMemory   int64         // 0 is the store's default
	MaxRegion   int64         // 0 is the store's default, below 0 off
	Sessions    int64         // limit of the memory of all sessions together; 0 is the default
	Clock       Clock         // nil is the machine's
	Faults      Faults        // nil is none
	// leastSessions is the minimum for the default of Sessions.
	leastSessions int64
}

func (cfg *Config) storeOptions() storeOptions {
	return storeOptions{Path: cfg.target(), NoSync: cfg.NoSync, CacheSize: cfg.CacheSize, ReadOnly: cfg.ReadOnly, LockTimeout: cfg.LockTimeout,
		TxnMemory: cfg.TxnMemory, MaxRegion: cfg.MaxRegionSize, Sessions: cfg.AllSessionsMemory, Clock: cfg.Clock, Faults: cfg.Faults,
		leastSessions: 4 * max(cfg.SessionMemory, cfg.QueryMemory)}
}

// opener opens a store.
type opener func(storeOptions) (kv.Store, error)

func openByName(o storeOptions) (kv.Store, error) {
	if scheme(o.Path) != "" {
		return kv.Open(context.Background(), o.Path)
	}
	return openPebble(o)
}

func openPebble(o storeOptions) (kv.Store, error) {
	s, err := pebblekv.OpenStore(pebblekv.Options{
		Dir:            o.Path,
		InMemory:       o.Path == MemoryPath,
		Sync:           !o.NoSync,
		CacheBytes:     o.CacheSize,
		ReadOnly:       o.ReadOnly,
		LockTimeout:    o.LockTimeout,
		TxnMemory:      o.TxnMemory,
		MaxRegionBytes: o.MaxRegion,
		Now:            clockFunc(o.Clock),
	})
	if err != nil {
		return nil, err
	}
	full := s.(index.Full) // a Reopener
	if o.Faults != nil {
		full = &faultyStore{full, o.Faults}
	}
	return withIndexes(full, o.ReadOnly)
}

// withIndexes has the store keep the entries of indexes, and builds those whose building has been cut short.
func withIndexes(full index.Full, readOnly bool) (kv.Store, error) {
	indexed := index.Wrap(full, sqlfront.IndexEntries)
	if !readOnly {
		if err := indexed.Finish(context.Background()); err != nil {
			return nil, errors.Join(err, indexed.Close())
		}
	}
	return indexed, nil
}

// registry shares the stores of this process: a directory is opened once, under
// whatever names, and closed by its last user.
type registry struct {
	open opener

	mu     sync.Mutex
	stores map[string]*store // by real path
}

// stores is the registry of the registered driver.
var stores = newRegistry(openByName)

func newRegistry(open opener) *registry {
	return &registry{open: open, stores: map[string]*store{}}
}

// store is an open store and the number of its users. Its engine is nil before
// it is opened and after it is closed.
type store struct {
	registry *registry
	key      string // the real path; empty for an in-memory store
	users    int    // guarded by registry.mu

	mu     sync.Mutex // held while the store is opened or closed
	opts   storeOptions
	kv     kv.Store
	engine *sqlfront.Engine
}

// acquire opens the store, or adds a user to it. Each success must be paired
// with a release.
func (r *registry) acquire(o storeOptions) (*store, error) {
	key, err := storeKey(o)
	if err != nil {
		return nil, err
	}
	s := r.join(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine == nil {
		err = s.start(o)
	} else {
		err = s.agree(o)
	}
	if err != nil {
		r.leave(s)
		return nil, err
	}
	return s, nil
}

// storeKey is the same for all names of a directory. It creates a directory
// that is missing, which has no real path before.
func storeKey(o storeOptions) (string, error) {
	if o.Path == MemoryPath {
		return "", nil
	}
	if scheme(o.Path) != "" {
		return o.Path, nil
	}
	if !o.ReadOnly {
		if err := os.MkdirAll(o.Path, 0o700); err != nil {
			return "", fmt.Errorf("hbasekv: the store %s cannot be opened: %w", o.Path, err)
		}
	}
	abs, err := filepath.Abs(o.Path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("hbasekv: the store %s cannot be opened: %w", o.Path, err)
	}
	return abs, nil
}

// join finds or makes the store of that key, and counts one more user.
func (r *registry) join(key string) *store {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stores[key]
	if s == nil || key == "" {
		s = &store{registry: r, key: key}
		if key != "" {
			r.stores[key] = s
		}
	}
	s.users++
	return s
}

// leave counts one user fewer, and drops a store that has none.
func (r *registry) leave(s *store) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.users--
	if s.users == 0 && s.key != "" {
		delete(r.stores, s.key)
	}
}

func (r *registry) lastUser(s *store) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return s.users == 1
}

func (s *store) start(o storeOptions) error {
	opened, err := s.registry.open(o)
	switch {
	case errors.Is(err, kv.ErrLocked):
		return fmt.Errorf("hbasekv: the store %s cannot be opened: a store belongs to one process at a time: %w%s", o.Path, err, instead(err))
	case err != nil:
		return fmt.Errorf("hbasekv: the store %s cannot be opened: %w", withoutLogin(o.Path), err)
	}
	s.opts, s.kv = o, opened
	s.engine = sqlfront.NewEngineAt(opened, clockFunc(o.Clock))
	s.engine.LimitSessions(cmp.Or(o.Sessions, max(o.leastSessions, quota.DefaultAll)))
	return nil
}

// sized is a parameter as the store has it; 0 is its default.
func sized(name string, n int64) string {
	if n == 0 {
		return "its default " + name
	}
	return name + "=" + formatBytes(n)
}

// agree refuses a user whose options the open store does not have. A read-only
// user may share a store that others write to.
func (s *store) agree(o storeOptions) error {
	var conflict string
	switch {
	case o.NoSync != s.opts.NoSync:
		conflict = fmt.Sprintf("sync=%t", !s.opts.NoSync)
	case o.CacheSize != 0 && o.CacheSize != s.opts.CacheSize:
		conflict = sized("cache", s.opts.CacheSize)
	case o.TxnMemory != 0 && o.TxnMemory != s.opts.TxnMemory:
		conflict = sized("txnMemory", s.opts.TxnMemory)
	case o.MaxRegion != 0 && o.MaxRegion != s.opts.MaxRegion:
		conflict = "its default maxRegionSize"
		if s.opts.MaxRegion != 0 {
			conflict = "maxRegionSize=" + formatMaxRegionSize(&Config{MaxRegionSize: s.opts.MaxRegion})
		}
	case o.Sessions != 0 && o.Sessions != s.opts.Sessions:
		conflict = sized("allSessionsMemory", s.opts.Sessions)
	case !same(o.Clock, s.opts.Clock):
		conflict = "another clock"
	case !same(o.Faults, s.opts.Faults):
		conflict = "other faults"
	case s.opts.ReadOnly && !o.ReadOnly:
		conflict = "readOnly=true"
	default:
		return nil
	}
	return fmt.Errorf("hbasekv: the store %s is open in this process as %s with %s, which all its users share: use the same parameters or close it first",
		o.Path, s.opts.Path, conflict)
}

// release ends one use. The last one closes the store; opening the same directory waits
// until it is closed.
func (s *store) release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.registry.leave(s)
	if !s.registry.lastUser(s) {
		return nil
	}
	s.engine = nil
	return s.kv.Close()
}
