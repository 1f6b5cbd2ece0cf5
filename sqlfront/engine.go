package sqlfront

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write"
)

// ServerVersion is what VERSION() answers. Its first part is MySQL's, because
// clients branch on it.
const ServerVersion = "5.7.25-hbasekv-0.1.0"

const (
	// planCacheSize is how many statements an engine keeps planned.
	planCacheSize = 1024
	// maxCachedText is the longest statement that is kept, in bytes: longer
	// ones carry data, and do not come twice.
	maxCachedText = 8 << 10
)

// Engine runs SQL on one store.
type Engine struct {
	store    kv.Store
	parsed   *lru.Cache[string, *parse.Parsed]
	plans    *lru.Cache[planKey, []*planned]
	sharing  *sharing
	texts    *seen // by parse
	plansOf  *seen // by planFor
	locks    namedLocks
	lastID   atomic.Uint64
	mu       sync.Mutex
	sessions map[uint64]*Session
	globals  map[string]value.Value // set by SET GLOBAL
	started  time.Time
	info     *schema.Information
	// questions counts the statements that were run.
	questions atomic.Uint64
	// spilled counts what statements wrote to temporary files.
	spilled spill.Counters
}

// newCache is a cache of planCacheSize statements or what is made of them.
func newCache[K comparable, V any]() *lru.Cache[K, V] {
	c, err := lru.New[K, V](planCacheSize)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return c
}

// NewEngine makes an engine. Closing the store is its owner's task.
func NewEngine(store kv.Store) *Engine {
	e := &Engine{
		store: store, parsed: newCache[string, *parse.Parsed](), plans: newCache[planKey, []*planned](),
		sharing: newSharing(), texts: newSeen(), plansOf: newSeen(),
		sessions: map[uint64]*Session{}, started: time.Now(),
	}
	e.info = schema.NewInformation(store, server{e})
	return e
}

// EnsureDatabase creates the database where it is missing.
func (e *Engine) EnsureDatabase(ctx context.Context, name string) error {
	if e.store.Catalog().Database(name) != nil {
		return nil
	}
	err := e.store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		return c.CreateDatabase(kv.Database{Name: name})
	})
	if err == nil || errors.Is(err, kv.ErrDatabaseExists) {
		return nil
	}
	return mapError(ctx, err)
}

// Statement is a parsed statement.
type Statement struct {
	parsed *parse.Parsed
	text   string
	// values are those of literals that parsed has placeholders for; lifted says
	// that it has.
	values []value.Value
	lifted bool
	// table is the one that must be a stored one for parsed to mean what text
	// says; nil where parsed always does.
	table *parse.Table
}

// NumInput is the number of placeholders.
func (s *Statement) NumInput() int {
	if s.lifted {
		return 0
	}
	return s.parsed.NumParams
}

// Text is the statement as written.
func (s *Statement) Text() string { return s.text }

// Split cuts a script into statements, without their semicolons.
func Split(script string) ([]string, error) { return parse.Split(script) }

// Pieces is Split with each statement's place in the script.
func Pieces(script string) ([]parse.Piece, error) { return parse.Pieces(script) }

func (e *Engine) parse(sql string) (*parse.Parsed, error) {
	if p, ok := e.parsed.Get(sql); ok {
		return p, nil
	}
	p, err := parse.Parse(sql)
	if err == nil && e.worthKeeping(p, e.texts) {
		e.parsed.Add(p.Text, p)
	}
	return p, err
}

// statement parses a text, or takes it from the cache.
func (e *Engine) statement(sql string) (*Statement, error) {
	if p, ok := e.parsed.Get(sql); ok {
		return &Statement{parsed: p, text: sql}, nil
	}
	if st := e.shared(sql); st != nil {
		return st, nil
	}
	p, err := e.parse(sql)
	if err != nil {
		return nil, err
	}
	return &Statement{parsed: p, text: sql}, nil
}

// worthKeeping is true of a statement that is likely to come again: one with
// placeholders, and one that did come before.
func (e *Engine) worthKeeping(p *parse.Parsed, texts *seen) bool {
	return len(p.Text) <= maxCachedText && (p.NumParams > 0 || texts.before(p.Text))
}

// planKey tells apart the plans of one text.
type planKey struct {
	text     string
	database string
	anyValue bool
}

// planned is one plan, good for one version of the catalog and for the arguments
// of which the assumptions hold.
type planned struct {
	version uint64
	assumes *expr.Assumptions
	sel     *plan.Select
	write   write.Statement
	// single is true of a write that changes the store once, as its last
	// action: it leaves nothing to undo when it fails.
	single bool
}

// good reports whether a session can run the plan.
func (p *planned) good(s *Session, version uint64, args []value.Value) bool {
	return p.version == version && p.assumes.Hold(args) && (!p.assumes.OfVariables() || p.assumes.HoldIn(s.info()))
}

// maxVariants is how many plans of one text are kept, for arguments of different
// kinds.
const maxVariants = 8

// planFor is the plan of a SELECT or a writing statement for these arguments,
// over the catalog of a snapshot, from the cache where it is there.
func (e *Engine) planFor(ctx context.Context, s *Session, catalog *kv.Catalog, parsed *parse.Parsed,
	args []value.Value) (*planned, error) {
	anyValue, version := s.settings.anyValue, catalog.Version()
	if found := s.recent.find(s, parsed, anyValue, version, args); found != nil {
		return found, nil
	}
	key := planKey{parsed.Text, s.database, anyValue}
	variants, _ := e.plans.Get(key)
	for _, found := range variants {
		if found.good(s, version, args) {
			s.recent.add(parsed, key, found)
			return found, nil
		}
	}
	made, err := e.plan(s.planner(ctx, catalog, args), parsed)
	if err == nil && e.worthKeeping(parsed, e.plansOf) {
		e.plans.Add(key, withVariant(variants, made))
	}
	return made, err
}

// withVariant are the variants of the same version of the catalog behind the new
// one; the list that there was stays as it is.
func withVariant(variants []*planned, made *planned) []*planned {
	out := []*planned{made}
	for _, p := range variants {
		if p.version == made.version && len(out) < maxVariants {
			out = append(out, p)
		}
	}
	return out
}

// recentPlans are those that a session has used last: a prepared statement
// finds its plan by its address, without the lock of the cache. The statements
// of a transaction usually fit in.
type recentPlans struct {
	plans [4]recentPlan
	next  int // to be replaced
}

type recentPlan struct {
	parsed *parse.Parsed
	key    planKey
	plan   *planned
}

func (r *recentPlans) find(s *Session, parsed *parse.Parsed, anyValue bool, version uint64,
	args []value.Value) *planned {
	for i := range r.plans {
		p := &r.plans[i]
		if p.parsed == parsed && p.key.database == s.database && p.key.anyValue == anyValue && p.plan.good(s, version, args) {
			return p.plan
		}
	}
	return nil
}

func (r *recentPlans) add(parsed *parse.Parsed, key planKey, made *planned) {
	r.plans[r.next] = recentPlan{parsed, key, made}
	r.next = (r.next + 1) % len(r.plans)
}

// plan plans a SELECT or a writing statement.
func (e *Engine) plan(p *plan.Planner, parsed *parse.Parsed) (*planned, error) {
	defer func() { p.Meter.Ctx = nil }() // a plan may outlive the statement
	made := &planned{version: p.Catalog.Version()}
	var err error
	if sel, ok := parsed.Stmt.(*parse.Select); ok {
		made.sel, err = p.Select(parsed, sel)
	} else {
		made.write, err = write.Prepare(p, parsed)
		insert, ok := made.write.(*write.Insert)
		made.single = ok && insert.Single()
	}
	made.assumes = p.Arguments.Taken()
	return made, err
}

func (e *Engine) add(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.id = e.lastID.Add(1)
	e.sessions[s.id] = s
}

func (e *Engine) remove(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, s.id)
}
