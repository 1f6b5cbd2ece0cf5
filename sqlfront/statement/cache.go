package statement

import (
	"context"
	"hash/maphash"
	"slices"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

const (
	// cachedStatements is the number of texts and shapes of texts that an engine keeps.
	cachedStatements = 2048
	// maxCachedText is the longest statement that is kept, in bytes: longer ones contain data and are not
	// repeated.
	maxCachedText = 8 << 10
	// maxVariants is the number of trees of one shape that are kept, and of plans of one tree.
	maxVariants = 8
)

// Cache finds the tree and the plans of a text. A text is looked up as it is, and by its shape: texts that
// differ only in literals that their plans carry have one tree. It is used by many goroutines.
type Cache struct {
	// known is keyed by the hash of the text or of the shape; planned are the trees that have plans.
	known   sized[uint64, known]
	planned sized[*Tree, struct{}]
	seed    maphash.Seed
	// recent admits texts and shapes that are repeated.
	recent   *recent
	mode     Sharing
	kindOf   func(ast.Statement) metrics.Kind
	made     atomic.Uint64 // plans
	prepared atomic.Int64  // statements that are kept prepared
}

// known is what is kept for a text, or for a shape.
type known struct {
	key       string // the text or the shape
	statement *Statement
	trees     []*Tree
}

// Sharing is which texts have a tree and plans in common.
type Sharing uint8

// The first is what a Cache does; the others are for tests, which compare them with the first.
const (
	ShareShapes  Sharing = iota // texts of one shape, once the shape has been repeated
	ShareNothing                // only equal texts
	ShareAtOnce                 // texts of one shape, from the first on
)

// knownBytes is how much of texts with their trees is kept, planBytes how much of plans.
const (
	knownBytes = 32 << 20
	planBytes  = 64 << 20
)

// NewCache is a cache without statements; kindOf returns the kind that each is counted as.
func NewCache(kindOf func(ast.Statement) metrics.Kind) *Cache {
	return &Cache{seed: maphash.MakeSeed(), recent: &recent{}, kindOf: kindOf,
		known:   newSized(cachedStatements, knownBytes, func(uint64, known) {}),
		planned: newSized(maxPlanned, planBytes, func(t *Tree, _ struct{}) { t.plans.Store(nil) })}
}

// maxPlanned is the number of trees that have plans: those that are cached, and those that are prepared.
const maxPlanned = 64 << 10

// bytes is the approximate size of what is kept.
func (k *known) bytes() int64 {
	n := int64(len(k.key))
	if k.statement != nil {
		n += k.statement.bytes() + k.statement.Tree.bytes
	}
	for _, t := range k.trees {
		n += t.bytes
	}
	return n
}

func (c *Cache) add(hash uint64, k known) { c.known.put(hash, k, k.bytes()) }

// Share changes what texts the cache shares from now on.
func (c *Cache) Share(how Sharing) { c.mode = how }

// Made is the number of plans that were made.
func (c *Cache) Made() uint64 { return c.made.Load() }

// Get finds the statement of a text or parses it. reserve counts the memory that reading a long text needs,
// and may be nil. The errors are the parser's (1064 and what it refuses), reserve's and the context's.
func (c *Cache) Get(ctx context.Context, sql string, reserve func(bytes int) error) (*Statement, error) {
	hash := maphash.String(c.seed, sql)
	if k, ok := c.known.Get(hash); ok && k.statement != nil && k.key == sql {
		return k.statement, nil
	}
	text, err := lex.Lex(ctx, sql, reserve)
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
	p, err := parse.ParseText(ctx, text)
	if err != nil {
		return nil, err
	}
	st := New(p, sql, c.kindOf(p.Stmt))
	st.again = len(sql) <= maxCachedText && (p.NumParams > 0 || c.recent.before(hash))
	if !HasPlan(p.Stmt) {
		if st.again {
			c.add(hash, known{key: sql, statement: st})
		}
	} else if shaped && (c.mode == ShareAtOnce || c.recent.before(maphash.Bytes(c.seed, shape.Key))) {
		st.shape, st.slots = string(shape.Key), slices.Clone(shape.Slots)
		st.literals = bind.NewLiterals(p.NumParams, len(shape.Slots))
		st.Values, _ = bind.LiteralValues(shape.Slots, p.Readings, nil)
	}
	return st, nil
}

// HasPlan reports whether a statement is kept once it is planned.
func HasPlan(st ast.Statement) bool {
	switch st.(type) {
	case *ast.Select, *ast.Insert, *ast.Update, *ast.Delete:
		return true
	}
	return false
}

func (c *Cache) shapeOf(sql string, text *lex.Text) (lex.Shape, bool) {
	if c.mode == ShareNothing || len(sql) > 8*maxCachedText {
		return lex.Shape{}, false
	}
	shape, ok := text.Shape()
	return shape, ok && len(shape.Key) <= maxCachedText
}

// ofShape finds a tree of the shape that means the same as the text.
func (c *Cache) ofShape(sql string, hash uint64, shape *lex.Shape) *Statement {
	k, _ := c.known.Get(maphash.Bytes(c.seed, shape.Key))
	if k.key != string(shape.Key) {
		return nil
	}
	for _, t := range k.trees {
		if !t.says(shape.Slots) {
			continue
		}
		values, ok := bind.LiteralValues(shape.Slots, t.Parsed.Readings, t.literals.Carried)
		if !ok {
			continue // the parser says what is wrong
		}
		st := &Statement{Tree: t, Text: sql, Values: values}
		if len(sql) <= maxCachedText && c.recent.before(hash) {
			c.add(hash, known{key: sql, statement: st})
		}
		return st
	}
	return nil
}

// says reports whether a text with such literals has the same tree, apart from those that plans carry.
func (t *Tree) says(slots []lex.Slot) bool {
	for i, carried := range t.literals.Carried {
		if !carried && slots[i].Text != t.slots[i].Text {
			return false
		}
	}
	return true
}

// keep is called when a statement has got a plan.
func (c *Cache) keep(st *Statement) {
	if t := st.Tree; t.literals != nil && slices.Contains(t.literals.Carried, true) {
		hash := maphash.String(c.seed, t.shape)
		k, _ := c.known.Get(hash)
		if k.key != t.shape {
			k.trees = nil
		}
		if !slices.Contains(k.trees, t) {
			trees := append([]*Tree{t}, k.trees[:min(len(k.trees), maxVariants-1)]...)
			c.add(hash, known{key: t.shape, trees: trees})
			t.kept.Store(true)
		}
	}
	if st.again {
		c.add(maphash.String(c.seed, st.Text), known{key: st.Text, statement: st})
		st.kept.Store(true)
	}
	if t := st.Tree; t.kept.Load() || t.holders.Load() > 0 {
		c.planned.put(t, struct{}{}, t.bytes+t.plansBytes())
	}
}
