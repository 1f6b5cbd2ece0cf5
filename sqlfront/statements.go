package sqlfront

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
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
	known *lru.Cache[string, known]
	// seen are the texts and shapes that came once. One that comes again is kept:
	// statements with their values written into them come once each.
	seen *seen
	mode sharingMode
}

// known is what is kept of a text, or of a shape.
type known struct {
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

func newStatements() *statements {
	cache, err := lru.New[string, known](cachedStatements)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return &statements{known: cache, seen: newSeen()}
}

// tree is a parsed statement with its plans.
type tree struct {
	parsed *parse.Parsed
	// slots are the literals of the text that was parsed, literals what the first
	// plan does with them.
	slots    []parse.Slot
	literals *expr.Literals
	first    sync.Mutex // of those who make the first plan
	mu       sync.Mutex // of those who add a plan
	plans    atomic.Pointer[[]*planned]
}

// Statement is a parsed statement.
type Statement struct {
	tree *tree
	text string
	// values are those of the text's literals, where the tree has plans that carry
	// them.
	values []value.Value
	// shape is where the tree is kept once it has a plan, empty for none; again says
	// that the text is kept.
	shape string
	again bool
}

// NumInput is the number of placeholders.
func (s *Statement) NumInput() int { return s.tree.parsed.NumParams }

// Text is the statement as written.
func (s *Statement) Text() string { return s.text }

// get finds a statement or parses it.
func (c *statements) get(ctx context.Context, sql string) (*Statement, error) {
	if k, ok := c.known.Get(sql); ok && k.statement != nil {
		return k.statement, nil
	}
	shape, shaped := c.shapeOf(sql)
	if shaped {
		if st := c.ofShape(sql, &shape); st != nil {
			return st, nil
		}
	}
	p, err := parse.ParseContext(ctx, sql)
	if err != nil {
		return nil, err
	}
	st := &Statement{tree: &tree{parsed: p}, text: sql}
	st.again = len(sql) <= maxCachedText && (p.NumParams > 0 || c.seen.before(sql))
	switch planned := hasPlan(p.Stmt); {
	case shaped && planned:
		st.tree.slots, st.tree.literals = shape.Slots, expr.NewLiterals(len(shape.Slots))
		st.values = valuesOf(shape.Slots, nil)
		if len(sql) <= maxCachedText && (c.mode == shareAtOnce || c.seen.before(shape.Key)) {
			st.shape = shape.Key
		}
	case st.again && !planned:
		c.known.Add(sql, known{statement: st})
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

func (c *statements) shapeOf(sql string) (parse.Shape, bool) {
	if c.mode == shareNone || len(sql) > 8*maxCachedText {
		return parse.Shape{}, false
	}
	shape, ok := parse.ShapeOf(sql)
	return shape, ok && len(shape.Key) <= maxCachedText
}

// ofShape finds a tree of the shape that says what the text says.
func (c *statements) ofShape(sql string, shape *parse.Shape) *Statement {
	k, _ := c.known.Get(shape.Key)
	for _, t := range k.trees {
		if !t.says(shape.Slots) {
			continue
		}
		st := &Statement{tree: t, text: sql, values: valuesOf(shape.Slots, t.literals)}
		if len(sql) <= maxCachedText && c.seen.before(sql) {
			c.known.Add(sql, known{statement: st})
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

// valuesOf are the values of the literals that plans carry, of all where there is
// no plan yet.
func valuesOf(slots []parse.Slot, l *expr.Literals) []value.Value {
	out := make([]value.Value, len(slots))
	for i := range slots {
		if l == nil {
			out[i] = expr.LiteralValue(&slots[i], false)
		} else if l.Carried[i] {
			out[i] = expr.LiteralValue(&slots[i], l.Negative[i])
		}
	}
	return out
}

// keep is called when a statement has got a plan.
func (c *statements) keep(st *Statement) {
	if st.shape != "" && slices.Contains(st.tree.literals.Carried, true) {
		k, _ := c.known.Get(st.shape)
		if !slices.Contains(k.trees, st.tree) {
			trees := append([]*tree{st.tree}, k.trees[:min(len(k.trees), maxVariants-1)]...)
			c.known.Add(st.shape, known{trees: trees})
		}
	}
	if st.again {
		c.known.Add(st.text, known{statement: st})
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
	// single is true of a write that changes the store once, as its last
	// action: it leaves nothing to undo when it fails.
	single bool
}

// good reports whether a session can run the plan.
func (p *planned) good(s *Session, anyValue bool, version uint64, args []value.Value) bool {
	return p.version == version && p.anyValue == anyValue && p.database == s.database && p.assumes.Hold(args) &&
		(!p.assumes.OfVariables() || p.assumes.HoldIn(s.info()))
}

// planFor is the plan of the statement under way for these arguments, over the
// catalog of a snapshot.
func (e *Engine) planFor(ctx context.Context, s *Session, catalog *kv.Catalog, args []value.Value) (*planned, error) {
	t, version := s.running.tree, catalog.Version()
	if found := t.find(s, version, args); found != nil {
		return found, nil
	}
	if t.literals != nil && t.plans.Load() == nil {
		// The first plan decides which literals are carried: others wait for it.
		t.first.Lock()
		defer t.first.Unlock()
		if found := t.find(s, version, args); found != nil {
			return found, nil
		}
	}
	p := s.planner(ctx, catalog, args)
	if t.literals != nil {
		p.Arguments.Carry(t.literals)
	}
	made, err := e.plan(p, t.parsed)
	if err != nil {
		return nil, err
	}
	if t.literals != nil && !t.literals.Known {
		t.literals.Known = true
	}
	t.add(made)
	e.statements.keep(s.running)
	return made, nil
}

// find is a plan that the session can run, or nil.
func (t *tree) find(s *Session, version uint64, args []value.Value) *planned {
	plans := t.plans.Load()
	if plans == nil {
		return nil
	}
	for _, p := range *plans {
		if p.good(s, s.settings.anyValue, version, args) {
			return p
		}
	}
	return nil
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
