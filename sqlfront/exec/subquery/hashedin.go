package subquery

import (
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// ofRows returns the expression that replaces a subquery for rows of an operator, or nil to keep the
// subquery itself.
func (s *Subquery) ofRows(x *op.Frame, of op.Operator) (expr.Node, error) {
	switch {
	case s.tellsMembers():
		return s.hashedIn(x)
	case s.Once() && !x.Context.Ignore && (s.Use.Kind == expr.SubqueryScalar || s.Use.Kind == expr.SubqueryExists):
		return s.constant(x), nil
	case x.Lock == nil && s.mayDecorrelate(x.Stmt):
		if rows := scan.RowsAsking(of); rows >= x.Context.ManyRows() {
			return s.decorrelated(x, rows, s.rowsLookedUp(of))
		}
	case x.Lock == nil && s.Partnered != nil && x.Stmt.ReadsOthers():
		if rows := scan.RowsAsking(of); rows >= x.Context.ManyRows() {
			return s.overPartners(x, rows)
		}
	}
	return nil, nil
}

// constant returns the value of a subquery that is the same for all rows. It is nil if the subquery
// fails: the error is then that of the first row that evaluates it.
func (s *Subquery) constant(x *op.Frame) expr.Node {
	var v value.Value
	warnings, err := x.Apart(func() (err error) {
		v, err = s.Eval(&x.Env)
		return err
	})
	if err != nil {
		return nil
	}
	x.Tell(warnings)
	return &expr.Const{V: v, T: s.Type()}
}

// tellsMembers reports whether a set of the subquery's values answers it for every row: the left operand
// is a column, whose values are of its declared kind.
func (s *Subquery) tellsMembers() bool {
	if s.Use.Kind != expr.SubqueryIn || !s.Once() || len(s.Query.Types) != 1 {
		return false
	}
	_, plain := s.Use.Left.(*expr.Column)
	return plain
}

// hashedIn returns IN of a subquery whose result is known in advance, which is then like IN with
// constants. It is nil if the subquery's values are of several kinds, or of another kind than the left
// operand, or do not fit in memory.
func (s *Subquery) hashedIn(x *op.Frame) (expr.Node, error) {
	kept, err := s.keepFirst(x.Stmt)
	if err != nil || kept.sets == nil || kept.sets[0].set.Spilled() {
		return nil, err
	}
	set := kept.sets[0]
	if kind := set.kinds[0]; kind != value.Null && kind != s.Use.Left.Type().Kind {
		return nil, nil
	}
	return &hashed{resolved: resolved{s}, own: []expr.Node{s.Use.Left}, rows: set.set, answer: kept.answerIn(s.Use.Not),
		kind: set.kinds[0], alone: &sync.Mutex{}}, nil
}

// answerIn returns the function that answers IN for a value. NULL gives NULL unless there are no rows.
func (k *keptResult) answerIn(not bool) func(null bool, found spill.Found) value.Value {
	empty, hasNull := k.count == 0, len(k.sets[0].left) > 0
	return func(null bool, found spill.Found) value.Value {
		if null && !empty || found.Len == 0 && hasNull {
			return value.Value{}
		}
		return value.NewBool(found.Len > 0 != not)
	}
}

// resolved is embedded by nodes that replace a subquery: it has its type, and its text for EXPLAIN.
type resolved struct{ of *Subquery }

// Type returns the type of the value, or of a condition.
func (a resolved) Type() value.Type {
	t := a.of.Type()
	t.Bool = t.Bool || a.of.Use.Kind != expr.SubqueryScalar
	return t
}

// AppendTo appends the expression, without the subquery's text.
func (a resolved) AppendTo(dst []byte) []byte { return a.of.AppendTo(dst) }

// hashed is a subquery whose rows are in memory by their keys. It is a function of the outer row only,
// so outer rows may be read in batches and on several goroutines. IN and EXISTS are a semi join with
// them, with NOT an anti join; a scalar subquery is an outer join.
type hashed struct {
	resolved
	own  []expr.Node // the key of the outer row
	rows *spill.Index
	// answer returns the value for the rows with the key; null says that the key consists of one NULL.
	answer func(null bool, found spill.Found) value.Value
	// kind is the kind of the set's values, for one key: a value of another kind is compared with each
	// of them, while alone is locked. It is Null if all keys are certain to be of one kind.
	kind  value.Kind
	alone *sync.Mutex
}

// Eval returns 1, 0 or NULL, or the value.
func (h *hashed) Eval(env *expr.Env) (value.Value, error) {
	defer env.Held.Release(env.Held.Mark())
	var buf [64]byte
	key, found := buf[:0], spill.Found{}
	for _, n := range h.own {
		v, err := n.Eval(env)
		switch {
		case err != nil:
			return value.Value{}, err
		case v.IsNull():
			return h.answer(len(h.own) == 1, found), nil
		case h.kind != value.Null && h.kind != v.Kind():
			h.alone.Lock()
			defer h.alone.Unlock()
			return h.of.Eval(env)
		}
		key = value.AppendKey(key, v)
	}
	return h.answer(false, h.rows.Find(key)), nil
}

// AsksQuery implements op.Asks: other values are passed to the subquery.
func (h *hashed) AsksQuery() {}

// Loop implements kernel.Looped, by a loop over the rows of a batch instead of an Eval for each.
func (h *hashed) Loop(_ *expr.Env, operands []value.Kind) kernel.Loop {
	if h.kind != value.Null && h.kind != operands[0] {
		return nil
	}
	return &hashedLoop{of: h}
}

// Children returns the key of the outer row.
func (h *hashed) Children() []expr.Node { return h.own }

// With returns the same for other operands.
func (h *hashed) With(children []expr.Node) expr.Node {
	out := *h
	if out.own = children; h.of.Use.Left != nil {
		of := *h.of
		of.Use.Left, out.of = children[0], &of
	}
	return &out
}

// hashedLoop is a loop over columns that looks up their keys.
type hashedLoop struct {
	op.Finder
	of *hashed
}

func (l *hashedLoop) Kind() value.Kind {
	if l.of.of.Use.Kind == expr.SubqueryScalar {
		return value.Null
	}
	return value.Int
}

func (l *hashedLoop) Fill(out *value.Vector, operands []*value.Vector, rows []int32) bool {
	for at, found := range l.Find(l.of.rows, operands, rows) {
		i := rows[at]
		out.Set(i, l.of.answer(len(operands) == 1 && operands[0].IsNull(i), found))
	}
	return true
}
