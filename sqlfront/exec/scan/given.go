package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// KeySubquery is a subquery in a condition on keys.
type KeySubquery interface {
	expr.Node
	// LeadsTo reports whether it is the same for all rows, and is compared with keys of the access.
	LeadsTo(a *Access) bool
	// Known returns its result as an expression of constants, or itself if the result is too long, or is for
	// many keys of the access. In EXPLAIN, names replace values.
	Known(x *op.Frame, a *Access) (expr.Node, error)
}

// Indexed is a KeySubquery that reads indexes.
type Indexed interface {
	KeySubquery
	// Index returns what was used of the indexes of the table that has the rows.
	Index(x *op.Frame, rows *kv.Table) Used
}

// Used is the index that was used, or several of them with commas between; the name is empty if none was. Layout is
// that of typed.IndexKey, and How is in what way it led to rows.
type Used struct {
	Name, Layout string
	How          Use
}

// Use is how indexes lead to rows.
type Use uint8

// The uses.
const (
	ByRange     Use = iota
	ByValue         // by values of the first column
	Skipped         // under each value of the first column
	Intersected     // rows that have entries in all of several indexes
	United          // rows that have entries in one of several indexes
)

// index returns the index by which the rows were found.
func (s *Scan) index() (used Used) {
	expr.Walk(s.Access.Where, func(n expr.Node) bool {
		if i, ok := n.(Indexed); ok && used.Name == "" {
			used = i.Index(s.X, s.Access.Tables[0])
		}
		return true
	})
	return used
}

// explainIndex says by which index the rows are found.
func (s *Scan) explainIndex(t *explain.Table) {
	used := s.index()
	if t.Index, t.Layout = used.Name, used.Layout; used.Name == "" {
		return
	}
	switch used.How {
	case ByRange:
		t.Type, t.Ref = "range", ""
	case Skipped:
		t.Type, t.Ref, t.Merged = "range", "", "index for skip scan"
	case ByValue:
		t.Type, t.Ref = "ref", "const"
	case Intersected:
		t.Type, t.Ref, t.Merged = "index_merge", "", "intersect("+used.Name+")"
	case United:
		t.Type, t.Ref, t.Merged = "index_merge", "", "union("+used.Name+")"
	}
}

// boundWhere returns the condition with the values, known before the access is opened, of columns of other
// relations and of subqueries. In EXPLAIN, names replace the values.
func (a *Access) boundWhere(x *op.Frame) (expr.Node, error) {
	where := a.Where
	if n, ok := where.(Indexed); ok && a.Given == nil { // whose operands are not to be replaced
		return n.Known(x, a)
	}
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
		case KeySubquery:
			if failed == nil && n.LeadsTo(a) {
				var known expr.Node
				known, failed = n.Known(x, a)
				return known
			}
		}
		return n
	})
	return out, failed
}

// explainGiven determines what is certain, in EXPLAIN, of an access whose keys come from other relations or
// from subqueries. The names that replace values may contradict constants; conditions with such names are
// left out.
func (s *Scan) explainGiven(bound expr.Node, v constrain.View) (err error) {
	if s.symbolic = s.Access.Given != nil || s.Access.Subqueries; !s.symbolic {
		return nil
	}
	var known, given []expr.Node
	values := expr.Conjuncts(bound)
	for i, n := range expr.Conjuncts(s.Access.Where) {
		switch {
		case !s.Access.readsGiven(n):
			known = append(known, n)
		case i < len(values) && (s.Access.Given == nil || !expr.OnlyColumns(n, s.Access.Given)):
			given = append(given, values[i])
		}
	}
	if s.certain, err = s.constraint(known, v); err != nil || !s.Con.Contradiction || s.certain.Contradiction {
		return err
	}
	for n := len(given); n > 0 && err == nil && s.Con.Contradiction; n-- {
		s.Con, err = s.constraint(given[:n], v)
	}
	if err == nil && s.Con.Contradiction {
		s.Con = s.certain
	}
	return err
}

// readsGiven reports whether a condition has values that are known only when the access is opened.
func (a *Access) readsGiven(n expr.Node) bool {
	found := a.Given != nil && expr.Reads(n, a.Given)
	expr.Walk(n, func(n expr.Node) bool {
		s, ok := n.(KeySubquery)
		found = found || ok && s.LeadsTo(a)
		return !found
	})
	return found
}

func (s *Scan) constraint(where []expr.Node, v constrain.View) (*constrain.Constraint, error) {
	return constrain.Build(expr.Conjoin(where), s.Access.Columns, &s.X.Env, v)
}
