package sqlfront

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/turns"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/locks"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
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
	estimator  kv.Estimator // the store, nil if it does not estimate
	statements *statement.Cache
	locks      locks.Named
	turns      turns.Turns
	lastID     atomic.Uint64
	mu         sync.Mutex
	sessions   map[uint64]*Session
	kept       quota.All
	most       int // the largest number of sessions that were open at the same time
	globals    sysvar.Globals
	clock      func() time.Time // nil for the machine's clock
	started    time.Time
	info       *infoschema.Information
	counts     counts
	wire       metrics.Wire
	accounts   privilege.Stored
	// spilled counts what statements wrote to temporary files.
	spilled spill.Counters
}

// EnsureDatabase creates the database if it does not exist. The error is the store's, with MySQL's number.
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

// Split cuts a script into statements, without their semicolons, according to the session's sql_mode. The
// error is 1064 for a text that ends inside of a string or a comment.
func (s *Session) Split(script string) (texts []string, err error) {
	err = s.EachPiece(script, func(text string) error {
		texts = append(texts, text)
		return nil
	})
	return texts, err
}

// Pieces is [Session.Split] in the default sql_mode, with each statement's position in the script. Its error
// is Split's.
func Pieces(script string) ([]lex.Piece, error) { return lex.Pieces(script) }

// EachPiece calls do with each statement of a script in turn, up to the first error. The session's sql_mode
// decides how the script is cut.
func (s *Session) EachPiece(script string, do func(text string) error) error {
	return lex.EachPiece(script, s.textModes, func(p lex.Piece) error { return do(p.Text) })
}

// textModes are the modes in which texts of statements are read.
func (s *Session) textModes() lex.Modes { return lex.Modes(s.vars.Text) }

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
	s.underWay.AddCounts(&e.counts.over)
}

// session is the open session with that number, or nil.
func (e *Engine) session(id string) *Session {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sessions[n]
}

// NextID allocates the number of a session that is opened later; a server sends it in its greeting.
func (e *Engine) NextID() uint64 { return e.lastID.Add(1) }

// CountAborted counts a rejected client, for SHOW STATUS.
func (e *Engine) CountAborted() { e.wire.Aborted.Add(1) }

// LimitSessions bounds the memory of all sessions together, in bytes; the default is quota.DefaultAll.
func (e *Engine) LimitSessions(bytes int64) { e.kept.Limit(bytes) }

// checkDatabase returns error 1049 if there is no database of that name.
func (e *Engine) checkDatabase(ctx context.Context, name string) error {
	if infoschema.IsVirtual(name) {
		return nil
	}
	c, err := e.store.Catalog(ctx)
	if err == nil && c.Database(name) == nil {
		err = mysqlerr.UnknownDatabase(name)
	}
	return err
}

// counts are the engine's own counters. Most counters belong to each session, since processors would contend
// for shared ones.
type counts struct {
	slow atomic.Uint64
	// over has the counts of sessions that have ended; the engine's mu guards it.
	over metrics.SessionCounts
	// none turns the counting of statements off, for a benchmark.
	none bool
}

// Wire are the counters that all servers of the engine share.
func (e *Engine) Wire() *metrics.Wire { return &e.wire }

// Accounts are the accounts in the store's catalog; they are those of rights.First until another one is
// created.
func (e *Engine) Accounts() privilege.Source { return &e.accounts }
