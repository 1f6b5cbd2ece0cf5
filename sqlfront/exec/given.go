package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// boundWhere is the condition with what has its value before the access is
// opened in place of columns of other relations and of subqueries. Where a plan
// is only explained, names stand for the values.
func (a *Access) boundWhere(x *op.Frame) (expr.Node, error) {
	if a.Where == nil || a.Given == nil && !a.Subqueries {
		return a.Where, nil
	}
	where := a.Where
	if x.Stmt.Explain && a.Given != nil {
		where = a.named(x, where)
	}
	var failed error
	out := expr.Rewrite(where, func(n expr.Node) expr.Node {
		switch n := n.(type) {
		case *expr.Column:
			if a.Given != nil && a.Given(n.Index) {
				return &expr.Const{V: x.Env.Row[n.Index], T: n.T}
			}
		case *Subquery:
			if failed == nil && n.LeadsTo(a) {
				var known expr.Node
				known, failed = n.known(x, a)
				return known
			}
		}
		return n
	})
	return out, failed
}

// explainGiven works out what is certain of an access whose keys come from other
// relations or from subqueries, where it is only explained. The names that stand
// for values there contradict constants beside them, which are then left out.
func (s *scan) explainGiven(bound expr.Node) (err error) {
	if s.symbolic = s.access.Given != nil || s.access.Subqueries; !s.symbolic {
		return nil
	}
	var known, given []expr.Node
	values := expr.Conjuncts(bound)
	for i, n := range expr.Conjuncts(s.access.Where) {
		switch {
		case !s.access.readsGiven(n):
			known = append(known, n)
		case i < len(values) && (s.access.Given == nil || !expr.OnlyColumns(n, s.access.Given)):
			given = append(given, values[i])
		}
	}
	if s.certain, err = s.constraint(known); err != nil || !s.con.Contradiction || s.certain.Contradiction {
		return err
	}
	for n := len(given); n > 0 && err == nil && s.con.Contradiction; n-- {
		s.con, err = s.constraint(given[:n])
	}
	if err == nil && s.con.Contradiction {
		s.con = s.certain
	}
	return err
}

// readsGiven reports whether a condition has its values only when the access is
// opened.
func (a *Access) readsGiven(n expr.Node) bool {
	found := a.Given != nil && expr.Reads(n, a.Given)
	expr.Walk(n, func(n expr.Node) bool {
		s, ok := n.(*Subquery)
		found = found || ok && s.LeadsTo(a)
		return !found
	})
	return found
}

func (s *scan) constraint(where []expr.Node) (*constrain.Constraint, error) {
	return constrain.Build(expr.Conjoin(where), s.access.Columns, &s.x.Env, s.constrainView())
}

// LeadsTo reports whether a subquery that is the same for all rows is compared
// with keys of the access.
func (s *Subquery) LeadsTo(a *Access) bool {
	if !s.Once() {
		return false
	}
	switch s.Use.Kind {
	case expr.SubqueryScalar, expr.SubqueryExists:
		return true
	case expr.SubqueryIn:
		return expr.Reads(s.Use.Left, func(index int) bool {
			return index != a.Columns.V && a.has(index)
		})
	}
	return false
}

// maxKnown is how many rows of a subquery become a list of constants.
const maxKnown = 10000

// known is the subquery's result as an expression of constants, or the
// subquery itself where it is too long, or asks an access' rows for many keys.
func (s *Subquery) known(x *op.Frame, a *Access) (expr.Node, error) {
	if long, err := s.isLong(x, a); long || err != nil {
		return s, err
	}
	if x.Stmt.Explain {
		return s.symbol(), nil
	}
	if s.Use.Kind != expr.SubqueryIn {
		v, err := s.Eval(&x.Env)
		return &expr.Const{V: v, T: s.Type()}, err
	}
	kept, err := s.keepFirst(x.Stmt)
	if err != nil || kept.count > maxKnown || kept.list.Spilled() {
		return s, err
	}
	if kept.count == 0 {
		return &expr.Const{V: value.NewBool(s.Use.Not)}, nil
	}
	operands := []expr.Node{s.Use.Left}
	err = s.each(&x.Env, x.Stmt, func(row []value.Value) (bool, error) {
		operands = append(operands, s.rowNode(row)) // rows in memory stay where they are
		return true, nil
	})
	if err != nil {
		return s, err
	}
	return (&expr.In{Not: s.Use.Not}).With(operands), nil // which makes sets of them
}

// symbol is known with names for values: of IN two, for there may be several.
func (s *Subquery) symbol() expr.Node {
	row := func(name string, number int64) (row []value.Value) {
		for _, c := range s.Query.Types {
			if c.Kind == value.Bytes || c.Kind == value.Text {
				row = append(row, value.NewBytes([]byte(name)))
			} else {
				row = append(row, value.NewInt(number))
			}
		}
		return row
	}
	switch {
	case s.Use.Kind == expr.SubqueryScalar:
		return &expr.Const{V: row("<subquery>", 1)[s.Column], T: s.Type()}
	case s.Use.Kind == expr.SubqueryIn && !s.Use.Not:
		return &expr.In{X: s.Use.Left, List: []expr.Node{s.rowNode(row("<subquery>", 1)), s.rowNode(row("> and more", 2))}}
	}
	return s
}

// rowNode is a row of the subquery as the left operand is compared with it.
func (s *Subquery) rowNode(row []value.Value) expr.Node {
	if _, several := s.Use.Left.(*expr.Tuple); !several {
		return &expr.Const{V: row[0], T: s.Query.Types[0]}
	}
	items := make([]expr.Node, len(row))
	for i, v := range row {
		items[i] = &expr.Const{V: v, T: s.Query.Types[i]}
	}
	return &expr.Tuple{Items: items}
}
