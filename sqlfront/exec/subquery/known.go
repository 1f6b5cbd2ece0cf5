package subquery

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// LeadsTo reports whether a subquery that is the same for all rows is compared
// with keys of the access.
func (s *Subquery) LeadsTo(a *scan.Access) bool {
	if !s.Once() {
		return false
	}
	switch s.Use.Kind {
	case expr.SubqueryScalar, expr.SubqueryExists:
		return true
	case expr.SubqueryIn:
		return expr.Reads(s.Use.Left, func(index int) bool {
			return index != a.Columns.V && a.Has(index)
		})
	}
	return false
}

// Known returns the subquery's result as an expression of constants, or the subquery itself if it
// is too long, or for many keys of an access. Errors are those of running it.
func (s *Subquery) Known(x *op.Frame, a *scan.Access) (expr.Node, error) {
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
		operands = append(operands, s.rowNode(row)) // rows in memory stay valid
		return true, nil
	})
	if err != nil {
		return s, err
	}
	return (&expr.In{Not: s.Use.Not}).With(operands), nil // makes sets of them
}

// symbol is Known with names for values: two for IN, because there may be several.
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

// rowNode returns a row of the subquery as the right operand of a comparison.
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

// maxKnown limits the rows of a subquery that become a list of constants.
const maxKnown = 10000
