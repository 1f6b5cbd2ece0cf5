package statement

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

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

// NumInput is the number of placeholders.
func (s *Statement) NumInput() int { return s.Parsed.NumParams }

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
