package subquery

import (
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// An index looks up the rows of a semi join by the values that the subquery has: it runs first, and each of its
// distinct rows is looked up once.

// HasMembers reports whether Members may be called: the values with which columns of the outer row are
// compared are the same for all outer rows.
func (s *Subquery) HasMembers() bool {
	switch s.Use.Kind {
	case expr.SubqueryIn:
		return s.Once() && !s.Use.Not
	case expr.SubqueryScalar:
		return s.Once()
	case expr.SubqueryExists:
		return s.Decorrelated != nil && !s.DecorrelatedUnsure && !s.Use.Not
	}
	return false
}

// Members implements lookup.Asking. The rows that it has read for EXISTS, or for IN, are kept, so that the
// condition itself need not read them again. Errors are those of the subquery, except for EXISTS, which then
// has no members.
func (s *Subquery) Members(x *op.Frame, most int, cells int64) (expr.Node, error) {
	switch {
	case x.Stmt.Explain:
		return s.unknownMembers(x, most, cells)
	case s.Use.Kind == expr.SubqueryScalar:
		v, err := s.Eval(&x.Env)
		return &expr.Const{V: v, T: s.Type()}, err
	case s.Use.Kind == expr.SubqueryExists:
		return s.decorrelatedMembers(x, most, cells)
	}
	rows, all, err := s.distinct(x, most)
	if !all || err != nil {
		return nil, err
	}
	return s.among(s.Use.Left, rows), nil
}

// distinct returns the distinct rows without NULL; all is false if they are more than most.
func (s *Subquery) distinct(x *op.Frame, most int) (rows [][]value.Value, all bool, err error) {
	kept, err := s.keepFirst(x.Stmt)
	if err != nil || kept.list.Spilled() {
		return nil, false, err
	}
	all = true
	of := memberRows{seen: map[string]bool{}}
	err = s.each(&x.Env, x.Stmt, func(row []value.Value) (bool, error) {
		of.add(row)
		all = len(of.rows) <= most
		return all, nil
	})
	return of.rows, all, err
}

// memberRows collects distinct rows without NULL, which equals nothing. Texts that a collation treats as equal are
// distinct: they may be compared by bytes.
type memberRows struct {
	seen map[string]bool
	rows [][]value.Value
	key  []byte
}

func (m *memberRows) add(row []value.Value) {
	if nullsOf(row) != 0 {
		return
	}
	m.key = m.key[:0]
	for _, v := range row {
		if v.Kind() == value.Text {
			v = value.NewBytes(v.Raw())
		}
		m.key = value.AppendKey(m.key, v)
	}
	if !m.seen[string(m.key)] {
		m.seen[string(m.key)] = true
		m.rows = append(m.rows, op.CloneRow(row))
	}
}

// among returns the condition that the left operand is one of some rows.
func (s *Subquery) among(left expr.Node, rows [][]value.Value) expr.Node {
	operands := []expr.Node{left}
	for _, row := range rows {
		operands = append(operands, s.member(left, row))
	}
	switch len(rows) {
	case 0:
		return &expr.Const{V: value.NewBool(false), T: value.Type{Kind: value.Int, Bool: true}}
	case 1:
		return &expr.Compare{Op: expr.Eq, L: left, R: operands[1]}
	}
	return (&expr.In{}).With(operands)
}

// member returns a row with which the left operand is compared.
func (s *Subquery) member(left expr.Node, row []value.Value) expr.Node {
	types := s.Query.Types
	if s.Use.Kind == expr.SubqueryExists {
		types = s.Decorrelated.Types
	}
	if _, several := left.(*expr.Tuple); !several {
		return &expr.Const{V: row[0], T: types[0]}
	}
	items := make([]expr.Node, len(row))
	for i, v := range row {
		items[i] = &expr.Const{V: v, T: types[i]}
	}
	return &expr.Tuple{Items: items}
}

// ownTuple returns the keys of the outer row as one operand.
func (s *Subquery) ownTuple() expr.Node {
	own := s.ownKey()
	if len(own) == 1 {
		return own[0]
	}
	return &expr.Tuple{Items: own}
}

// decorrelatedMembers returns EXISTS as a condition on the keys of the outer row, or nil if reading all rows of
// the subquery takes more than so many cells.
func (s *Subquery) decorrelatedMembers(x *op.Frame, most int, cells int64) (expr.Node, error) {
	if x.Lock != nil || !s.mayDecorrelate(x.Stmt) {
		return nil, nil
	}
	k := op.Keep[decorrelatedRows](x.Stmt, s.Decorrelated)
	if k.rows == nil && !k.idle {
		fits, err := sooner(x.Stmt, s.Decorrelated, fitsIn(cells))
		if !fits || err != nil {
			return nil, err
		}
		k.members = &memberRows{seen: map[string]bool{}}
		if err := k.read(s, x.Stmt, partition.RowRange{}); err != nil {
			return nil, err
		}
	}
	if k.rows == nil || k.members == nil || len(k.members.rows) > min(most, maxKnown) {
		return nil, nil
	}
	return s.among(s.ownTuple(), k.members.rows), nil
}

// fitsIn returns a function that reports whether an estimate's cells can be read in the time of so many.
func fitsIn(cells int64) func(kv.Estimate) bool {
	return func(e kv.Estimate) bool { return e.Stored <= cells }
}

// unknownMembers is Members for EXPLAIN, which does not run the subquery: names replace its values.
func (s *Subquery) unknownMembers(x *op.Frame, most int, cells int64) (expr.Node, error) {
	q, left := s.Query, s.Use.Left
	switch s.Use.Kind {
	case expr.SubqueryScalar:
		t := s.Type()
		return &expr.Const{V: op.StandIn("<subquery>", 1, t), T: t}, nil
	case expr.SubqueryExists:
		if fits, err := sooner(x.Stmt, s.Decorrelated, fitsIn(cells)); !fits || err != nil {
			return nil, err
		}
		q, left = s.Decorrelated, s.ownTuple()
	}
	if rows, err := rowsOf(x, q); rows > int64(most) || err != nil {
		return nil, err
	}
	var one, more []value.Value
	for _, t := range q.Types {
		one, more = append(one, op.StandIn("<subquery>", 1, t)), append(more, op.StandIn("<subquery> and more", 2, t))
	}
	return s.among(left, [][]value.Value{one, more}), nil
}

// rowsOf estimates how many rows a query has, 0 if unknown.
func rowsOf(x *op.Frame, q *query.Query) (rows int64, err error) {
	body, ok := q.Body.(*query.Select)
	if !ok {
		return 0, nil
	}
	src, _, err := body.Source.Open(x.Stmt.NewFrame(q.Width), op.Desired{})
	if err != nil {
		return 0, err
	}
	defer func() { err = cmp.Or(err, src.Close()) }()
	return scan.RowsAsking(src), nil
}
