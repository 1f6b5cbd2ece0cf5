package sqlfront

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write"
)

const (
	// cachedStatements is how many texts and shapes of texts an engine knows.
	cachedStatements = 2048
	// maxCachedText is the longest statement that is kept, in bytes: longer
	// ones carry data, and do not come twice.
	maxCachedText = 8 << 10
	// maxVariants is how many trees of one shape are kept, and how many plans of
	// one tree.
	maxVariants = 8
)

// statements leads from a text to its tree and its plans. A text is looked up as it
// is, and by its shape: texts that differ only in literals that their plans carry
// have one tree.
type statements struct {
	// known is by the hash of the text or of the shape, planned are the trees that have plans.
	known   *sized[uint64, known]
	planned *sized[*tree, struct{}]
	seed    maphash.Seed
	// seen are the texts and shapes that came once. One that comes again is kept:
	// statements with their values written into them come once each.
	seen *seen
	mode sharingMode
}

// known is what is kept of a text, or of a shape.
type known struct {
	key       string // the text or the shape
	statement *Statement
	trees     []*tree
}

// sharingMode is for tests, which compare statements that share with others.
type sharingMode uint8

const (
	shareShapes sharingMode = iota
	shareNone               // of texts with literals
	shareAtOnce             // the first time already
)

// knownBytes and planBytes are how much of texts with their trees, and of plans, is kept.
const (
	knownBytes = 32 << 20
	planBytes  = 64 << 20
)

func newStatements() *statements {
	return &statements{seed: maphash.MakeSeed(), seen: &seen{},
		known:   newSized(cachedStatements, knownBytes, func(uint64, known) {}),
		planned: newSized(maxPlanned, planBytes, func(t *tree, _ struct{}) { t.plans.Store(nil) })}
}

// maxPlanned is how many trees have plans: those that are cached, and those that are prepared.
const maxPlanned = 64 << 10

// bytes is about what is kept.
func (k *known) bytes() int64 {
	n := int64(len(k.key))
	if k.statement != nil {
		n += k.statement.bytes() + k.statement.tree.bytes
	}
	for _, t := range k.trees {
		n += t.bytes
	}
	return n
}

func (c *statements) add(hash uint64, k known) { c.known.put(hash, k, k.bytes()) }

// tree is a parsed statement with its plans.
type tree struct {
	parsed *parse.Parsed
	kind   metrics.Kind
	// shape is that of the text that was parsed, slots are its literals, and literals
	// what the first plan does with them; nil where the tree is that text's alone.
	shape    string
	slots    []parse.Slot
	literals *expr.Literals
	first    sync.Mutex // of those who make the first plan
	mu       sync.Mutex // of those who add a plan
	plans    atomic.Pointer[[]*planned]
	// bytes is about what the tree takes without its plans, holders how many statements have it
	// that are prepared; kept says that it is cached.
	bytes   int64
	holders atomic.Int64
	kept    atomic.Bool
}

// What of a statement takes how many bytes, about (measured on lists of literals, calls, CASE,
// unions, subqueries and columns).
const (
	statementBytes = 512
	treeBytes      = 96  // of a token, beside the text and the copies of its strings
	planTokenBytes = 200 // of a token in a plan
	columnBytes    = 256 // of a column of a SELECT in a plan
	valueBytes     = 64
)

func newTree(p *parse.Parsed) *tree {
	return &tree{parsed: p, kind: kindOf(p.Stmt), bytes: int64(statementBytes + 2*len(p.Text) + treeBytes*p.Tokens)}
}

// Statement is a parsed statement.
type Statement struct {
	tree *tree
	text string
	// values are those of the text's literals, where the tree has plans that carry
	// them.
	values []value.Value
	// again says that the text is kept once it has a plan.
	again bool
}

// bytes is about what the statement takes beside its tree.
func (s *Statement) bytes() int64 {
	return int64(statementBytes + len(s.text) + valueBytes*len(s.values))
}

// NumInput is the number of placeholders.
func (s *Statement) NumInput() int { return s.tree.parsed.NumParams }

// Kind is the sort of statements that it is one of.
func (s *Statement) Kind() metrics.Kind { return s.tree.kind }

// Text is the statement as written.
func (s *Statement) Text() string { return s.text }

// arguments are the values that the plans read: those of the placeholders and of
// the literals, which go behind them in place where their capacity allows.
func (s *Statement) arguments(args []value.Value) []value.Value {
	if len(args) == 0 {
		return s.values
	}
	return append(args, s.values...)
}

// get finds a statement or parses it.
func (c *statements) get(ctx context.Context, sql string, reserve func(bytes int) error) (*Statement, error) {
	hash := maphash.String(c.seed, sql)
	if k, ok := c.known.Get(hash); ok && k.statement != nil && k.key == sql {
		return k.statement, nil
	}
	text, err := parse.Lex(ctx, sql, reserve)
	if err != nil {
		return nil, err
	}
	defer text.Release()
	shape, shaped := c.shapeOf(sql, text)
	if shaped {
		if st := c.ofShape(sql, hash, &shape); st != nil {
			return st, nil
		}
	}
	p, err := text.Parse(ctx)
	if err != nil {
		return nil, err
	}
	st := &Statement{tree: newTree(p), text: sql}
	st.again = len(sql) <= maxCachedText && (p.NumParams > 0 || c.seen.before(hash))
	if !hasPlan(p.Stmt) {
		if st.again {
			c.add(hash, known{key: sql, statement: st})
		}
	} else if shaped && (c.mode == shareAtOnce || c.seen.before(maphash.Bytes(c.seed, shape.Key))) {
		st.tree.shape, st.tree.slots = string(shape.Key), slices.Clone(shape.Slots)
		st.tree.literals = expr.NewLiterals(p.NumParams, len(shape.Slots))
		st.values, _ = expr.LiteralValues(shape.Slots, p.Readings, nil)
	}
	return st, nil
}

// hasPlan is true of the statements that are kept when they are planned.
func hasPlan(st parse.Statement) bool {
	switch st.(type) {
	case *parse.Select, *parse.Insert, *parse.Update, *parse.Delete:
		return true
	}
	return false
}

func (c *statements) shapeOf(sql string, text *parse.Text) (parse.Shape, bool) {
	if c.mode == shareNone || len(sql) > 8*maxCachedText {
		return parse.Shape{}, false
	}
	shape, ok := text.Shape()
	return shape, ok && len(shape.Key) <= maxCachedText
}

// ofShape finds a tree of the shape that says what the text says.
func (c *statements) ofShape(sql string, hash uint64, shape *parse.Shape) *Statement {
	k, _ := c.known.Get(maphash.Bytes(c.seed, shape.Key))
	if k.key != string(shape.Key) {
		return nil
	}
	for _, t := range k.trees {
		if !t.says(shape.Slots) {
			continue
		}
		values, ok := expr.LiteralValues(shape.Slots, t.parsed.Readings, t.literals.Carried)
		if !ok {
			continue // the parser says what is wrong
		}
		st := &Statement{tree: t, text: sql, values: values}
		if len(sql) <= maxCachedText && c.seen.before(hash) {
			c.add(hash, known{key: sql, statement: st})
		}
		return st
	}
	return nil
}

// says reports whether a text with such literals has the same tree, but for those
// that plans carry.
func (t *tree) says(slots []parse.Slot) bool {
	for i, carried := range t.literals.Carried {
		if !carried && slots[i].Text != t.slots[i].Text {
			return false
		}
	}
	return true
}

// keep is called when a statement has got a plan.
func (c *statements) keep(st *Statement) {
	if t := st.tree; t.literals != nil && slices.Contains(t.literals.Carried, true) {
		hash := maphash.String(c.seed, t.shape)
		k, _ := c.known.Get(hash)
		if k.key != t.shape {
			k.trees = nil
		}
		if !slices.Contains(k.trees, t) {
			trees := append([]*tree{t}, k.trees[:min(len(k.trees), maxVariants-1)]...)
			c.add(hash, known{key: t.shape, trees: trees})
			t.kept.Store(true)
		}
	}
	if st.again {
		c.add(maphash.String(c.seed, st.text), known{key: st.text, statement: st})
		st.tree.kept.Store(true)
	}
	if t := st.tree; t.kept.Load() || t.holders.Load() > 0 {
		c.planned.put(t, struct{}{}, t.bytes+t.plansBytes())
	}
}

// planned is one plan, good for one version of the catalog and for the arguments
// of which the assumptions hold.
type planned struct {
	version  uint64
	database string
	anyValue bool
	assumes  *expr.Assumptions
	sel      *plan.Select
	write    write.Statement
	// needs are the rights that the plan takes; nil where nobody asked when it was
	// made.
	needs *rights.Needs
	// single is true of a write that changes the store once, as its last
	// action: it leaves nothing to undo when it fails.
	single bool
	// bytes is about what it takes.
	bytes int64
	// dump is true of a SELECT by which a dump reads a table.
	dump bool
}

// good reports whether a session can run the plan, and gives the arguments for it.
func (p *planned) good(ctx context.Context, s *Session, version uint64, args []value.Value) ([]value.Value, bool) {
	if p.version != version || p.needs == nil && s.authority != nil || p.anyValue != s.vars.AnyValue || p.database != s.database {
		return nil, false
	}
	args, ok := p.assumes.Hold(ctx, args)
	return args, ok && (!p.assumes.OfVariables() || p.assumes.HoldIn(s.info()))
}

// planFor is the plan of a statement for these arguments, over the
// catalog of a snapshot, and the arguments to run it with.
func (e *Engine) planFor(ctx context.Context, s *Session, st *Statement, catalog *kv.Catalog,
	args []value.Value) (*planned, []value.Value, error) {
	t, version := st.tree, catalog.Version()
	if found, args := t.find(ctx, s, version, args); found != nil {
		s.plansFound++
		return found, args, found.needs.Check(s.authority)
	}
	e.counts.planned.Add(1)
	if t.literals != nil && t.plans.Load() == nil {
		// The first plan decides which literals are carried: others wait for it.
		t.first.Lock()
		defer t.first.Unlock()
		if found, args := t.find(ctx, s, version, args); found != nil {
			return found, args, found.needs.Check(s.authority)
		}
	}
	p := s.planner(ctx, catalog, args)
	if t.literals != nil {
		p.Arguments.Carry(t.literals)
	}
	made, args, err := e.plan(p, t.parsed)
	if err != nil {
		return nil, nil, err
	}
	if t.literals != nil && !t.literals.Known {
		t.literals.Known = true
	}
	t.add(made)
	e.statements.keep(st)
	return made, args, nil
}

// find is a plan that the session can run, and the arguments for it, or nil.
func (t *tree) find(ctx context.Context, s *Session, version uint64, args []value.Value) (*planned, []value.Value) {
	plans := t.plans.Load()
	if plans == nil {
		return nil, nil
	}
	for _, p := range *plans {
		if all, ok := p.good(ctx, s, version, args); ok {
			return p, all
		}
	}
	return nil, nil
}

// plansBytes is about what the plans take.
func (t *tree) plansBytes() (n int64) {
	if plans := t.plans.Load(); plans != nil {
		for _, p := range *plans {
			n += p.bytes
		}
	}
	return n
}

// add puts a plan in front of those of the same version of the catalog.
func (t *tree) add(made *planned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	plans := []*planned{made}
	if old := t.plans.Load(); old != nil {
		for _, p := range *old {
			if p.version == made.version && len(plans) < maxVariants {
				plans = append(plans, p)
			}
		}
	}
	t.plans.Store(&plans)
}
