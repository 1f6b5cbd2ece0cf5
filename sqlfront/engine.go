package sqlfront

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/locks"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
)

// Engine runs SQL on one store.
type Engine struct {
	store      kv.Store
	txns       transaction.Shared
	limits     kv.Limits    // of store
	estimator  kv.Estimator // the store, nil where it does not estimate
	statements *statement.Cache
	locks      locks.Named
	turns      ddl.Turns
	lastID     atomic.Uint64
	mu         sync.Mutex
	sessions   map[uint64]*Session
	kept       quota.All
	most       int // sessions at a time
	globals    sysvar.Globals
	clock      func() time.Time // nil is the machine's
	started    time.Time
	info       *infoschema.Information
	counts     counts
	wire       Wire
	// accounts are those of the catalog, as they were read last.
	accounts atomic.Pointer[keptAccounts]
	// spilled counts what statements wrote to temporary files.
	spilled spill.Counters
}

// NewEngine makes an engine on the machine's clock. Closing the store is its
// owner's task.
func NewEngine(store kv.Store) *Engine { return NewEngineAt(store, nil) }

// NewEngineAt is NewEngine with another clock, which the functions of the present
// time read, and the T that the server chooses. It is called by many goroutines;
// nil is the machine's.
func NewEngineAt(store kv.Store, clock func() time.Time) *Engine {
	e := &Engine{
		store: store, limits: kv.LimitsOf(store), statements: statement.NewCache(kindOf),
		sessions: map[uint64]*Session{}, started: time.Now(), clock: clock,
	}
	e.LimitSessions(quota.DefaultAll)
	e.txns.Store, e.txns.Limits, e.txns.Clock = store, e.limits, clock
	e.estimator, _ = store.(kv.Estimator)
	e.info = infoschema.New(store, server{e})
	return e
}

// EnsureDatabase creates the database where it is missing.
func (e *Engine) EnsureDatabase(ctx context.Context, name string) error {
	c, err := e.store.Catalog(ctx)
	if err != nil {
		return storeerr.Map(ctx, err)
	}
	if c.Database(name) != nil {
		return nil
	}
	err = e.store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		return c.CreateDatabase(kv.Database{Name: name})
	})
	if err == nil || errors.Is(err, kv.ErrDatabaseExists) {
		return nil
	}
	return storeerr.Map(ctx, err)
}

// Split cuts a script into statements, without their semicolons.
func Split(script string) ([]string, error) { return parse.Split(script) }

// Pieces is Split with each statement's place in the script.
func Pieces(script string) ([]parse.Piece, error) { return parse.Pieces(script) }

// EachPiece calls do with the statements of a script one after the other, up to the first error.
func EachPiece(script string, do func(text string) error) error {
	return parse.EachPiece(script, func(p parse.Piece) error { return do(p.Text) })
}

func (e *Engine) add(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions[s.id] = s
	e.kept.Join()
	e.most = max(e.most, len(e.sessions))
}

func (e *Engine) mostSessions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.most
}

func (e *Engine) remove(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sessions[s.id] != s {
		return
	}
	delete(e.sessions, s.id)
	e.kept.Leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	e.counts.over.Add(&s.counts)
}
