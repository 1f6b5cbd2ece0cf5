package statement

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// Plan is one plan, valid for the catalogs in which the names that it uses stand for the same, and for the
// arguments that meet the assumptions.
type Plan struct {
	version  atomic.Uint64  // of the catalog for which it was last found valid
	uses     *relation.Uses // nil if it is valid for one version only
	database string
	anyValue bool
	assumes  *bind.Assumptions
	// Select is the plan of a SELECT, Write that of a writing statement.
	Select *plan.Select
	Write  change.Statement
	// needs are the privileges that the plan needs; nil if the session that made it does not check them.
	needs *rights.Needs
	// Single says that the plan is a write that changes the store once, as its last action: it leaves nothing
	// to undo when it fails.
	Single bool
	// bytes is the approximate size of the plan.
	bytes int64
	// Dump says that it is a SELECT by which a dump reads a table.
	Dump bool
}

// Session is the session that plans are looked for.
type Session struct {
	Database  string
	AnyValue  bool              // as sql_mode says
	Authority *rights.Authority // nil if it may do everything
	Host      Host
	Own       *Own // its plans if it has temporary tables
}

// Host makes what only some plans need.
type Host interface {
	bind.Informed
	// Planner is what planning needs, over the catalog of a snapshot.
	Planner(ctx context.Context, catalog *kv.Catalog, args []value.Value) *plan.Planner
}

// good reports whether a session can run the plan, and returns the arguments for it.
func (p *Plan) good(ctx context.Context, s *Session, catalog *kv.Catalog, args []value.Value) ([]value.Value, bool) {
	if p.needs == nil && s.Authority != nil || p.anyValue != s.AnyValue || p.database != s.Database || !p.current(catalog) {
		return nil, false
	}
	return p.assumes.Hold(ctx, args, s.Host)
}

// current reports whether the plan is valid for the catalog.
func (p *Plan) current(catalog *kv.Catalog) bool {
	version := catalog.Version()
	if p.version.Load() == version {
		return true
	}
	if p.uses == nil || !p.uses.Hold(catalog) {
		return false
	}
	p.version.Store(version)
	return true
}

// PlanFor returns the plan of a statement for these arguments, over the catalog of a snapshot, and the
// arguments to run it with. It counts a plan that it finds in found. The errors are those of planning: of
// names, types and privileges.
func (c *Cache) PlanFor(ctx context.Context, s *Session, st *Statement, catalog *kv.Catalog, args []value.Value,
	found *uint64) (*Plan, []value.Value, error) {
	t := st.Tree
	if catalog.IsOwn() {
		return c.planOwn(ctx, s, st, catalog, args, found)
	}
	if p, args := t.find(ctx, s, catalog, args); p != nil {
		*found++
		if s.Authority == nil {
			return p, args, nil
		}
		return p, args, p.needs.Check(s.Authority)
	}
	c.made.Add(1)
	if t.literals != nil && t.plans.Load() == nil {
		// The first plan decides which literals are carried: others wait for it.
		t.first.Lock()
		defer t.first.Unlock()
		if p, args := t.find(ctx, s, catalog, args); p != nil {
			return p, args, p.needs.Check(s.Authority)
		}
	}
	made, args, err := planned(ctx, s, t, catalog, args)
	if err != nil {
		return nil, nil, err
	}
	t.add(made, catalog)
	c.keep(st)
	return made, args, nil
}

// planned makes a new plan of a tree, and the arguments for it. t.first is held if the tree has not been
// planned yet: the first plan decides which literals are carried.
func planned(ctx context.Context, s *Session, t *Tree, catalog *kv.Catalog, args []value.Value) (*Plan, []value.Value, error) {
	p := s.Host.Planner(ctx, catalog, args)
	if t.literals != nil {
		p.Arguments.Carry(t.literals)
	}
	made, args, err := NewPlan(p, t.Parsed)
	if err == nil && t.literals != nil && !t.literals.Known {
		t.literals.Known = true
	}
	return made, args, err
}

// find returns a plan that the session can run, and the arguments for it, or nil.
func (t *Tree) find(ctx context.Context, s *Session, catalog *kv.Catalog, args []value.Value) (*Plan, []value.Value) {
	plans := t.plans.Load()
	if plans == nil {
		return nil, nil
	}
	for _, p := range *plans {
		if all, ok := p.good(ctx, s, catalog, args); ok {
			return p, all
		}
	}
	return nil, nil
}

// plansBytes is the approximate size of the plans.
func (t *Tree) plansBytes() (n int64) {
	if plans := t.plans.Load(); plans != nil {
		for _, p := range *plans {
			n += p.bytes
		}
	}
	return n
}

// add puts a plan before those that are valid for the catalog.
func (t *Tree) add(made *Plan, catalog *kv.Catalog) {
	t.mu.Lock()
	defer t.mu.Unlock()
	plans := []*Plan{made}
	if old := t.plans.Load(); old != nil {
		for _, p := range *old {
			if len(plans) < maxVariants && p.current(catalog) {
				plans = append(plans, p)
			}
		}
	}
	t.plans.Store(&plans)
}

// NewPlan plans a SELECT or a writing statement, and returns the arguments to run it with. The errors are
// those of planning.
func NewPlan(p *plan.Planner, parsed *ast.Parsed) (*Plan, []value.Value, error) {
	defer func() { p.Meter.Ctx = nil }() // a plan may outlive the statement
	made := &Plan{database: p.Database, anyValue: p.AnyValue}
	made.version.Store(p.Catalog.Version())
	if !p.Catalog.IsOwn() { // in an own catalog, views read another catalog than the query around them
		made.uses = &relation.Uses{}
		p.Uses = made.uses
	}
	var args []value.Value
	var err error
	p.Arguments.Fold()
	if sel, ok := parsed.Stmt.(*ast.Select); ok {
		made.Select, err = p.Select(parsed, sel)
		made.Dump = sel.Dump
	} else {
		made.Write, err = write.Prepare(p, parsed)
		insert, ok := made.Write.(*write.Insert)
		made.Single = ok && insert.Single()
	}
	made.assumes, args = p.Arguments.Taken()
	made.needs = p.Access.Needs()
	made.bytes = int64(statementBytes + planTokenBytes*parsed.Tokens + columnBytes*p.Columns)
	return made, args, err
}

// Tree is a parsed statement with its plans, which several statements have in common.
type Tree struct {
	Parsed *ast.Parsed // not to be written
	Kind   metrics.Kind
	// KeepsWarnings says that the statement is a diagnostic one, which keeps the warnings of the last.
	KeepsWarnings bool
	// ReadsTables is false for a SELECT such as SELECT @@version, which is not part of a transaction.
	ReadsTables bool
	// shape is that of the text that was parsed, slots are its literals, and literals is what the first plan
	// does with them; it is nil if only that text has the tree.
	shape    string
	slots    []lex.Slot
	literals *bind.Literals
	first    sync.Mutex // held while the first plan is made
	mu       sync.Mutex // held while a plan is added
	plans    atomic.Pointer[[]*Plan]
	// bytes is the approximate size of the tree without its plans; holders is the number of prepared
	// statements that have it; kept says that it is cached.
	bytes   int64
	holders atomic.Int64
	kept    atomic.Bool
}

// The approximate sizes of a statement's parts in bytes (measured on lists of literals, calls, CASE, unions,
// subqueries and columns).
const (
	statementBytes = 512
	treeBytes      = 96  // per token, beside the text and the copies of its strings
	planTokenBytes = 200 // per token in a plan
	columnBytes    = 256 // per column of a SELECT in a plan
	valueBytes     = 64
)

func newTree(p *ast.Parsed, kind metrics.Kind) *Tree {
	return &Tree{Parsed: p, Kind: kind, KeepsWarnings: keepsWarnings(p.Stmt), ReadsTables: readsTables(p.Stmt),
		bytes: int64(statementBytes + 2*len(p.Text) + treeBytes*p.Tokens)}
}

// Statement is a parsed statement. It may be used by many goroutines.
type Statement struct {
	*Tree
	Text string // as written
	// Values are those of the text's literals, if the tree has plans that carry them.
	Values []value.Value
	// again says that the text is kept once it has a plan.
	again bool
}

// bytes is the approximate size of the statement without its tree.
func (s *Statement) bytes() int64 {
	return int64(statementBytes + len(s.Text) + valueBytes*len(s.Values))
}

// New is a statement that is in no cache.
func New(p *ast.Parsed, text string, kind metrics.Kind) *Statement {
	return &Statement{Tree: newTree(p, kind), Text: text}
}

// Shares reports whether the statement's plans carry literals, so that others can use them.
func (s *Statement) Shares() bool {
	return s.literals != nil && slices.Contains(s.literals.Carried, true)
}

// Arguments are the values that the plans read: those of the placeholders and of the literals, which are
// appended to them in place if their capacity allows.
func (s *Statement) Arguments(args []value.Value) []value.Value {
	if len(args) == 0 {
		return s.Values
	}
	return append(args, s.Values...)
}
