package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// correlation is something of the blocks around that a subquery reads: slot is
// the column of the subquery's frame that holds its value.
type correlation struct {
	outer expr.Node
	slot  int
}

// resolveOutside finds a column in the blocks around; nil where there is none.
func (b *blockPlanner) resolveOutside(table, column string) (expr.Node, error) {
	if b.outer == nil {
		return nil, nil
	}
	names := b.outer.names
	if names == nil {
		names = b.outer
	}
	n, err := names.Resolve(table, column)
	if mysqlerr.Is(err, mysqlerr.BadField) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &expr.Column{Index: b.correlate(n), Name: column, T: n.Type()}, nil
}

// correlate gives what is read of the blocks around a column of the frame.
func (b *blockPlanner) correlate(outer expr.Node) int {
	for _, c := range b.correlations {
		if same(c.outer, outer) {
			return c.slot
		}
	}
	slot := b.alloc()
	b.correlations = append(b.correlations, correlation{outer, slot})
	return slot
}

// bindSubquery binds a subquery in an expression.
func (b *blockPlanner) bindSubquery(s *sqlparser.Subquery, use expr.SubqueryUse) (expr.Node, error) {
	q, correlations, err := b.correlated(s.Select, b)
	if err == nil {
		err = q.complete()
	}
	if err != nil {
		return nil, err
	}
	if want := subqueryColumns(use); want > 0 && len(q.columns) != want {
		return nil, mysqlerr.New(mysqlerr.OperandColumns, "Operand should contain %d column(s)", want)
	}
	sub := &subquery{query: q, text: sqlparser.String(s.Select), use: use, slots: make([]int, len(correlations)), outer: make([]expr.Node, len(correlations))}
	for i, c := range correlations {
		sub.slots[i], sub.outer[i] = c.slot, c.outer
	}
	b.subqueries = append(b.subqueries, sub)
	if use.Kind == expr.SubqueryOperand {
		return sub.operand(), nil
	}
	return sub, nil
}

// operand is the subquery as an operand of a comparison: a value, or where it
// has several columns a row of them.
func (s *subquery) operand() expr.Node {
	s.use.Kind = expr.SubqueryScalar
	if len(s.query.columns) == 1 {
		return s
	}
	t := &expr.Tuple{}
	for i := range s.query.columns {
		item := *s
		item.column = i
		t.Items = append(t.Items, &item)
	}
	return t
}

// subqueryColumns is how many columns a subquery must have; 0 is any.
func subqueryColumns(use expr.SubqueryUse) int {
	if use.Kind == expr.SubqueryExists || use.Kind == expr.SubqueryOperand {
		return 0
	}
	if t, ok := use.Left.(*expr.Tuple); ok {
		return len(t.Items)
	}
	return 1
}

// subquery is a subquery in an expression. Its Env says what it runs in.
type subquery struct {
	query *query
	// text is the subquery as sqlparser prints it.
	text string
	use  expr.SubqueryUse
	// column is the one whose value a scalar subquery has.
	column int
	// outer are the values of the blocks around that the subquery reads, and
	// slots the columns of its frame that hold them.
	outer []expr.Node
	slots []int
}

// runContext is one run of a statement: what its queries share. It runs the
// subqueries of the statement's expressions.
type runContext struct {
	c *Context
	// explain is true where nothing is to be run.
	explain bool
	// measured is true where what is read is to be told.
	measured bool
	kept     map[*query]*keptResult
	// space is what the statement keeps, in memory and in temporary files.
	space spill.Space
	// held is what expressions hold on the statement's own goroutine.
	held expr.Held
}

// keptResult is the result of a subquery that reads nothing of the blocks
// around.
type keptResult struct {
	// few are the rows where one or two are enough, list all of them where
	// they are compared one by one.
	few   [][]value.Value
	list  *spill.List
	count int
	// set holds the keys of the values of a single column, all of one kind;
	// nil where they are not.
	set     *spill.Index
	kind    value.Kind
	hasNull bool
}

// index fills the set.
func (k *keptResult) index(space *spill.Space) error {
	set := space.NewIndex()
	if err := k.list.Rewind(); err != nil {
		return err
	}
	var key []byte
	for {
		row, err := k.list.Next()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		v := row[0]
		switch {
		case len(row) > 1:
			return nil
		case v.IsNull():
			k.hasNull = true
			continue
		case k.kind == value.Null:
			k.kind = v.Kind()
		case k.kind != v.Kind():
			return set.Close()
		}
		key = value.AppendKey(key[:0], v)
		if err := set.Add(key, nil); err != nil {
			return err
		}
	}
	k.set = set
	return set.Seal()
}

// contains answers v IN the result; ok is false where the set cannot tell.
func (k *keptResult) contains(v value.Value) (in value.Value, ok bool, err error) {
	if k.set == nil || v.Kind() != k.kind {
		return value.Value{}, false, nil
	}
	var buf [64]byte
	if err := k.set.Seek(value.AppendKey(buf[:0], v)); err != nil {
		return value.Value{}, false, err
	}
	found, err := k.set.Next()
	if found == nil && k.hasNull {
		return value.Value{}, true, err
	}
	return value.NewBool(found != nil), true, err
}

// Children are what the subquery reads of the row, and the left operand.
func (s *subquery) Children() []expr.Node {
	if s.use.Left == nil {
		return s.outer
	}
	return append([]expr.Node{s.use.Left}, s.outer...)
}

// With replaces them.
func (s *subquery) With(children []expr.Node) expr.Node {
	out := *s
	if s.use.Left != nil {
		out.use.Left, children = children[0], children[1:]
	}
	out.outer = children
	return &out
}

// Volatile keeps a subquery from being taken for a constant.
func (s *subquery) Volatile() bool { return true }

// Type is that of the only column, or a condition's.
func (s *subquery) Type() value.Type {
	if s.use.Kind == expr.SubqueryScalar {
		t := s.query.columns[s.column].Type
		t.Nullable = true
		return t
	}
	return value.Type{Kind: value.Int, Name: "INT", Length: 1, Nullable: s.use.Kind != expr.SubqueryExists}
}

func (s *subquery) String() string {
	switch s.use.Kind {
	case expr.SubqueryExists:
		return "exists(subquery)"
	case expr.SubqueryIn:
		not := ""
		if s.use.Not {
			not = "not "
		}
		return "(" + s.use.Left.String() + " " + not + "in (subquery))"
	case expr.SubqueryScalar:
		return "(subquery)"
	}
	return "(" + s.use.Left.String() + " " + s.use.Op.String() + " (subquery))"
}

// Eval runs the subquery.
func (s *subquery) Eval(env *expr.Env) (value.Value, error) {
	if env.Subqueries == nil {
		return value.Value{}, mysqlerr.Unsupported("subquery here")
	}
	return env.Subqueries.Subquery(s, env)
}

// Subquery implements expr.Subqueries.
func (run *runContext) Subquery(n expr.Node, env *expr.Env) (value.Value, error) {
	floor := env.Held.Enter()
	v, err := n.(*subquery).eval(env, run)
	if tooMuch := env.Held.Leave(floor, len(v.Raw())); err == nil {
		err = tooMuch
	}
	return v, err
}

func (s *subquery) eval(env *expr.Env, run *runContext) (value.Value, error) {
	switch s.use.Kind {
	case expr.SubqueryExists:
		rows, err := s.few(env, run, 1)
		return value.NewBool(len(rows) > 0), err
	case expr.SubqueryScalar:
		row, err := s.oneRow(env, run)
		if row == nil {
			return value.Value{}, err
		}
		return row[s.column], nil
	case expr.SubqueryRow:
		row, err := s.oneRow(env, run)
		if row == nil {
			return value.Value{}, err
		}
		return s.compare(env, row)
	}
	return s.quantified(env, run)
}

// oneRow is the row of a subquery that must have no second one, nil for none.
func (s *subquery) oneRow(env *expr.Env, run *runContext) ([]value.Value, error) {
	rows, err := s.few(env, run, 2)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if len(rows) > 1 {
		err := mysqlerr.New(mysqlerr.SubqueryNo1Row, "Subquery returns more than 1 row")
		if run.c.Ignore {
			if s := env.Session; s != nil && s.AddWarning != nil {
				s.AddWarning(err.Number, err.Message)
			}
			return nil, nil
		}
		return nil, err
	}
	return rows[0], nil
}

// quantified answers IN, ANY and ALL: ANY is true where one comparison is,
// else NULL where one is NULL, else false; ALL is the same with false first.
func (s *subquery) quantified(env *expr.Env, run *runContext) (value.Value, error) {
	if in, ok, err := s.inSet(env, run); ok || err != nil {
		return in, err
	}
	decisive := s.use.Kind != expr.SubqueryAll
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
	if truth, null := value.Truth(result); s.use.Not && !null {
		result = value.NewBool(!truth)
	}
	return result, nil
}

// inSet answers IN by the set of a kept result; ok is false where it cannot.
func (s *subquery) inSet(env *expr.Env, run *runContext) (in value.Value, ok bool, err error) {
	if s.use.Kind != expr.SubqueryIn || len(s.outer) > 0 {
		return value.Value{}, false, nil
	}
	kept, err := s.keep(env, run)
	if err != nil || kept.set == nil {
		return value.Value{}, false, err
	}
	v, err := s.use.Left.Eval(env)
	if err != nil {
		return value.Value{}, false, err
	}
	in, ok, err = kept.contains(v)
	if err != nil {
		return value.Value{}, false, err
	}
	if truth, null := value.Truth(in); ok && s.use.Not && !null {
		in = value.NewBool(!truth)
	}
	return in, ok, nil
}

// compare compares the left operand with a row of the subquery.
func (s *subquery) compare(env *expr.Env, row []value.Value) (value.Value, error) {
	c := expr.Compare{Op: s.use.Op, L: s.use.Left, R: s.rowNode(row)}
	return c.Eval(env)
}

// few are the subquery's first rows. Those of a subquery that reads nothing of
// the blocks around are kept for the whole statement.
func (s *subquery) few(env *expr.Env, run *runContext, atMost int64) ([][]value.Value, error) {
	if kept := run.kept[s.query]; kept != nil && len(s.outer) == 0 {
		return kept.few, nil
	}
	var arena spill.Arena
	var rows [][]value.Value
	err := s.read(env, run, atMost, func(row []value.Value) (bool, error) {
		rows = append(rows, arena.Clone(row))
		return int64(len(rows)) < atMost, nil
	})
	if err != nil || len(s.outer) > 0 {
		return rows, err
	}
	run.keep(s.query, &keptResult{few: rows})
	size := 0
	for _, row := range rows {
		for _, v := range row {
			size += len(v.Raw())
		}
	}
	return rows, env.Held.Keep(size)
}

// each calls fn for the subquery's rows for as long as it returns true.
func (s *subquery) each(env *expr.Env, run *runContext, fn func([]value.Value) (bool, error)) error {
	if len(s.outer) > 0 {
		return s.read(env, run, 0, fn)
	}
	kept, err := s.keep(env, run)
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

// keep reads a subquery that reads nothing of the blocks around, once in a
// statement.
func (s *subquery) keep(env *expr.Env, run *runContext) (*keptResult, error) {
	if kept := run.kept[s.query]; kept != nil {
		return kept, nil
	}
	kept := &keptResult{list: run.space.NewList()}
	err := s.read(env, run, 0, func(row []value.Value) (bool, error) {
		kept.count++
		return true, kept.list.Add(row)
	})
	if err == nil && s.use.Kind == expr.SubqueryIn {
		err = kept.index(&run.space)
	}
	if err != nil {
		return nil, err
	}
	run.keep(s.query, kept)
	return kept, nil
}

func (run *runContext) keep(q *query, kept *keptResult) {
	if run.kept == nil {
		run.kept = map[*query]*keptResult{}
	}
	run.kept[q] = kept
}

// read runs the subquery and calls fn for its rows, at most so many where
// atMost is not 0, for as long as it returns true.
func (s *subquery) read(env *expr.Env, run *runContext, atMost int64, fn func([]value.Value) (bool, error)) error {
	var x exec
	x.startIn(run, s.query.width)
	for i, n := range s.outer {
		v, err := n.Eval(env)
		if err != nil {
			return err
		}
		x.env.Row[s.slots[i]] = v
	}
	r, err := s.query.body.open(&x, queryOptions{atMost: atMost})
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		var row []value.Value
		if row, err = r.next(); row == nil || err != nil {
			break
		}
		more, err = fn(row[:len(s.query.columns)])
	}
	return firstError(err, r.close())
}
