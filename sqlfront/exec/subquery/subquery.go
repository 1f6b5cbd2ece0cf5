package subquery

import (
	"errors"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Subquery is a subquery in an expression. The environment determines how it is run.
type Subquery struct {
	Query *query.Query
	// Text is the subquery as written; equal texts mean equal subqueries.
	Text string
	Use  expr.SubqueryUse
	// Column is the column whose value a scalar subquery has.
	Column int
	// Outer are the values of the outer blocks that the subquery reads, and Slots the columns of
	// its frame for them.
	Outer []expr.Node
	Slots []int
	// Differs says that the result may be another one each time, as with RAND.
	Differs bool
	// Decorrelated, if not nil, is a query for the subquery's rows of all outer rows at once: their
	// keys, followed, except for EXISTS, by its columns. DecorrelatedBy are the keys of an outer
	// row, as expressions whose columns are indexes of Outer. DecorrelatedUnsure says that there is
	// one key, whose evaluation may fail; it must then fail only if there is a row to compare it
	// with.
	Decorrelated       *query.Query
	DecorrelatedBy     []expr.Node
	DecorrelatedUnsure bool
	// Partnered, if not nil, replaces runs that read much. partners are its rows, in a copy that
	// several goroutines run.
	Partnered *Partnered
	partners  *partnerRows
}

// keptResult is the result of a subquery that has only one in a statement.
type keptResult struct {
	// firstRows are the rows if one or two are enough; list has all of them if they are compared
	// one by one.
	firstRows [][]value.Value
	list      *spill.List
	count     int
	// sets are those of an IN: one for each combination of columns that are NULL in the left
	// operand, the first one for none; nil if values are of several kinds.
	sets  map[uint64]*tupleSet
	space *spill.Space
}

// errNoSet ends the filling of a set with values that it cannot distinguish.
var errNoSet = errors.New("values of several kinds")

// Children returns what the subquery reads of the row, and the left operand.
func (s *Subquery) Children() []expr.Node {
	if s.Use.Left == nil {
		return s.Outer
	}
	return append([]expr.Node{s.Use.Left}, s.Outer...)
}

// With returns the subquery with other children.
func (s *Subquery) With(children []expr.Node) expr.Node {
	out := *s
	if s.Use.Left != nil {
		out.Use.Left, children = children[0], children[1:]
	}
	out.Outer = children
	return &out
}

// Once reports whether the subquery has only one result in a statement: it reads nothing of the
// outer blocks, and is not volatile.
func (s *Subquery) Once() bool { return len(s.Outer) == 0 && !s.Differs }

// Volatile keeps a subquery from being folded as a constant.
func (s *Subquery) Volatile() bool { return true }

// AsksQuery implements op.Asks.
func (s *Subquery) AsksQuery() {}

// Type returns the type of the only column, or of a condition.
func (s *Subquery) Type() value.Type {
	if s.Use.Kind == expr.SubqueryScalar {
		t := s.Query.Types[s.Column]
		t.Nullable = true
		return t
	}
	return value.Type{Kind: value.Int, Name: "INT", Length: 1, Nullable: s.Use.Kind != expr.SubqueryExists}
}

// AppendTo appends the expression, without the subquery's text.
func (s *Subquery) AppendTo(dst []byte) []byte {
	switch s.Use.Kind {
	case expr.SubqueryExists:
		return append(dst, "exists(subquery)"...)
	case expr.SubqueryScalar:
		return append(dst, "(subquery)"...)
	}
	operator := " in"
	switch {
	case s.Use.Kind != expr.SubqueryIn:
		operator = " " + s.Use.Op.String()
	case s.Use.Not:
		operator = " not in"
	}
	return append(append(s.Use.Left.AppendTo(append(dst, '(')), operator...), " (subquery))"...)
}

// Eval runs the subquery. Errors are those of its query, and 1242 for more than one row where only
// one is allowed.
func (s *Subquery) Eval(env *expr.Env) (value.Value, error) {
	if env.Subqueries == nil {
		return value.Value{}, mysqlerr.Unsupported("subquery in this place")
	}
	return env.Subqueries.Subquery(s, env)
}

func (s *Subquery) eval(env *expr.Env, run *op.Statement) (value.Value, error) {
	switch s.Use.Kind {
	case expr.SubqueryExists:
		rows, err := s.firstDecorrelated(env, run, 1)
		return value.NewBool(len(rows) > 0), err
	case expr.SubqueryScalar:
		row, err := s.oneRow(env, run)
		if row == nil {
			return value.Value{}, err
		}
		return row[s.Column], nil
	case expr.SubqueryRow:
		row, err := s.oneRow(env, run)
		if row == nil {
			return value.Value{}, err
		}
		return s.compare(env, row)
	}
	return s.quantified(env, run)
}

// oneRow returns the row of a subquery that must have at most one, or nil.
func (s *Subquery) oneRow(env *expr.Env, run *op.Statement) ([]value.Value, error) {
	rows, err := s.firstDecorrelated(env, run, 2)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if len(rows) > 1 {
		err := mysqlerr.New(mysqlerr.SubqueryNo1Row, "Subquery returns more than 1 row")
		if run.Context.Ignore {
			if s := env.Session; s != nil && s.AddWarning != nil {
				s.AddWarning(err.Number, err.Message)
			}
			return nil, nil
		}
		return nil, err
	}
	return rows[0], nil
}

// quantified answers IN, ANY and ALL: ANY is true if one comparison is, otherwise NULL if one is
// NULL, otherwise false; ALL is false if one comparison is, otherwise NULL if one is NULL,
// otherwise true.
func (s *Subquery) quantified(env *expr.Env, run *op.Statement) (value.Value, error) {
	if in, ok, err := s.inSet(env, run); ok || err != nil {
		return in, err
	}
	decisive := s.Use.Kind != expr.SubqueryAll
	result := value.NewBool(!decisive)
	err := s.each(env, run, func(row []value.Value) (bool, error) {
		v, err := s.compare(env, row)
		if err != nil {
			return false, err
		}
		truth, null := value.Truth(v)
		if null || truth == decisive {
			result = v
		}
		return null || truth != decisive, nil
	})
	if err != nil {
		return value.Value{}, err
	}
	if truth, null := value.Truth(result); s.Use.Not && !null {
		result = value.NewBool(!truth)
	}
	return result, nil
}

// compare compares the left operand with a row of the subquery.
func (s *Subquery) compare(env *expr.Env, row []value.Value) (value.Value, error) {
	c := expr.Compare{Op: s.Use.Op, L: s.Use.Left, R: s.rowNode(row)}
	return c.Eval(env) // keeps nothing of what it compares
}

// firstRows returns the subquery's first rows. Those of a subquery with only one result are kept
// for the whole statement.
func (s *Subquery) firstRows(env *expr.Env, run *op.Statement, atMost int64) ([][]value.Value, error) {
	if s.Once() {
		if kept := op.Kept[keptResult](run, s.Query); kept != nil {
			return kept.firstRows, nil
		}
	}
	var rows [][]value.Value
	err := s.Read(env, run, atMost, func(row []value.Value) (bool, error) {
		rows = append(rows, op.CloneRow(row))
		return int64(len(rows)) < atMost, nil
	})
	if err != nil || !s.Once() {
		return rows, err
	}
	op.KeepAs(run, s.Query, &keptResult{firstRows: rows})
	size := 0
	for _, row := range rows {
		for _, v := range row {
			size += len(v.Raw())
		}
	}
	return rows, env.Held.Keep(size)
}

// each calls fn for the subquery's rows as long as it returns true.
func (s *Subquery) each(env *expr.Env, run *op.Statement, fn func([]value.Value) (bool, error)) error {
	if !s.Once() {
		return s.Read(env, run, 0, fn)
	}
	kept, err := s.keep(run)
	if err != nil {
		return err
	}
	if err := kept.list.Rewind(); err != nil {
		return err
	}
	for more := true; more; {
		row, err := kept.list.Next()
		if row == nil || err != nil {
			return err
		}
		if more, err = fn(row); err != nil {
			return err
		}
	}
	return nil
}

// keepFirst is keep for use before a row is evaluated.
func (s *Subquery) keepFirst(run *op.Statement) (*keptResult, error) {
	if run.Measured {
		defer run.Ran(s.Query, time.Now())
	}
	return s.keep(run)
}

// keep reads a subquery with only one result, once in a statement.
func (s *Subquery) keep(run *op.Statement) (*keptResult, error) {
	if kept := op.Kept[keptResult](run, s.Query); kept != nil {
		return kept, nil
	}
	kept := &keptResult{list: run.Space.NewList()}
	err := query.ReadAllOf(run, s.Query, func(row []value.Value) error {
		kept.count++
		return kept.list.Add(row)
	})
	if err == nil && s.Use.Kind == expr.SubqueryIn {
		err = kept.index(&run.Space, len(s.Query.Types))
	}
	if err != nil {
		return nil, err
	}
	op.KeepAs(run, s.Query, kept)
	return kept, nil
}

// Read runs the subquery and calls fn for its rows, at most atMost unless that is 0, as long as fn
// returns true. Errors are those of its query, and of fn.
func (s *Subquery) Read(env *expr.Env, run *op.Statement, atMost int64, fn func([]value.Value) (bool, error)) error {
	if s.Partnered != nil && run.ReadsOthers() {
		return s.Partnered.read(s, env, run, atMost, fn)
	}
	return s.readEach(env, run, atMost, fn)
}

// readEach is Read for only the rows of the outer row.
func (s *Subquery) readEach(
	env *expr.Env, run *op.Statement, atMost int64, fn func([]value.Value) (bool, error),
) error {
	var x op.Frame
	if err := s.start(&x, s.Query, s.Slots, env, run); err != nil {
		return err
	}
	return s.Query.Each(&x, atMost, fn)
}

// start prepares x to run the query for an outer row, whose values are stored in the slots.
func (s *Subquery) start(x *op.Frame, q *query.Query, slots []int, env *expr.Env, run *op.Statement) error {
	x.StartIn(run, q.Width)
	if s.partners != nil {
		x.Env.Session, x.Env.Held, x.Env.Lists = env.Session, env.Held, env.Lists // of the calling goroutine
	}
	for i, n := range s.Outer {
		v, err := n.Eval(env)
		if err != nil {
			return err
		}
		x.Env.Row[slots[i]] = v
	}
	return nil
}
