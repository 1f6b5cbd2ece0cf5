// Package lookup finds rows of typed tables, and cells of column families, by the entries of secondary indexes.
//
// A [Lookup] is a condition on the row, or row and column, of a family's cells. It is true for all rows for
// which the conditions of its ways are, and maybe for others, so these conditions must be evaluated, too. If
// it pays off, it becomes a list of rows before the scan with that condition is opened.
package lookup

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Way is an index with the conditions on its columns.
type Way struct {
	Key     *typed.IndexKey
	Entries *kv.Table
	// Where is a condition on a row of one column, the entry's key.
	Where expr.Node
	// Forced uses the index whatever a scan of the table costs.
	Forced bool
	// Binds says that Where has Given columns or Keys.
	Binds bool
}

// bound returns Where with the current values.
func (w *Way) bound(x *op.Frame) expr.Node {
	if !w.Binds {
		return w.Where
	}
	return bound(w.Where, x)
}

// leads reports whether the first column of the index is compared for equality.
func (w *Way) leads() bool {
	for _, n := range expr.Conjuncts(w.Where) {
		var of expr.Node
		switch n := n.(type) {
		case *expr.Compare:
			if of = n.L; expr.IsConst(of) || isGiven(of) {
				of = n.R
			}
			if n.Op != expr.Eq {
				continue
			}
		case *expr.IsNull:
			if of = n.X; n.Not {
				continue
			}
		}
		if p, ok := of.(*typed.Part); ok && p.Part == 0 {
			return true
		}
	}
	return false
}

// Given is a column of another relation in a condition on entries. Its value is known before these are read.
type Given struct{ *expr.Column }

func isGiven(n expr.Node) bool {
	_, ok := n.(*Given)
	return ok
}

// Binds reports whether a condition has Given columns or Keys.
func Binds(where expr.Node) (found bool) {
	expr.Walk(where, func(n expr.Node) bool {
		_, keys := n.(*Keys)
		found = found || keys || isGiven(n)
		return !found
	})
	return found
}

// bound returns a condition with the given values. In EXPLAIN, unknown values are replaced by others.
func bound(where expr.Node, x *op.Frame) expr.Node {
	return expr.Rewrite(where, func(n expr.Node) expr.Node {
		if k, ok := n.(*Keys); ok {
			return k.bound(x)
		}
		g, ok := n.(*Given)
		if !ok {
			return n
		}
		v := x.Env.Row[g.Index]
		if x.Stmt.Explain && v.IsNull() {
			v = standIn(g)
		}
		return &expr.Const{V: v, T: g.T}
	})
}

// standIn returns a value of the given column's kind, or NULL if any value will do.
func standIn(g *Given) value.Value {
	switch name := "<" + expr.Print(g.Column) + ">"; g.T.Kind {
	case value.Int, value.Uint, value.Decimal:
		return value.NewInt(1)
	case value.Float:
		return value.NewFloat(1)
	case value.Text:
		return value.NewText([]byte(name)).WithCollation(g.T.Collation)
	case value.Bytes:
		return value.NewBytes([]byte(name))
	}
	return value.Value{}
}

// Lookup is the condition on the row K, or on K and Q for entries of cells. Q is nil for entries of rows.
type Lookup struct {
	K, Q expr.Node
	Ways []Way
}

// Eval returns true: nothing is known of a row before entries have been read.
func (l *Lookup) Eval(*expr.Env) (value.Value, error) { return value.NewBool(true), nil }

// Type returns the type of a condition.
func (l *Lookup) Type() value.Type { return value.Type{Kind: value.Int, Bool: true} }

// AppendTo appends the names of the indexes.
func (l *Lookup) AppendTo(dst []byte) []byte {
	dst = l.K.AppendTo(append(dst, "lookup("...))
	for i := range l.Ways {
		dst = append(append(append(dst, ", `"...), l.Ways[i].Key.Name()...), '`')
	}
	return append(dst, ')')
}

// Children returns the row, and for entries of cells the column.
func (l *Lookup) Children() []expr.Node {
	if l.Q == nil {
		return []expr.Node{l.K}
	}
	return []expr.Node{l.K, l.Q}
}

// With returns the lookup of another row or cell.
func (l *Lookup) With(c []expr.Node) expr.Node {
	out := &Lookup{K: c[0], Ways: l.Ways}
	if l.Q != nil {
		out.Q = c[1]
	}
	return out
}

// Volatile keeps it from being folded as a constant.
func (l *Lookup) Volatile() bool { return true }

// LeadsTo implements scan.KeySubquery.
func (l *Lookup) LeadsTo(*scan.Access) bool { return true }

const (
	// few is the number of rows that are looked up without estimating alternatives.
	few = 64
	// most is the maximum number of rows that are looked up.
	most = 10000
	// cellsPerRow is about how many cells of a scan cost as much as finding one row.
	cellsPerRow = 10
)

// all is the condition that is true for all rows.
var all = &expr.Const{V: value.NewBool(true), T: value.Type{Kind: value.Int, Bool: true}}

// Known implements scan.KeySubquery: it returns the rows of the entries, or all if that costs less. Errors
// are those of the store, and cancellation.
func (l *Lookup) Known(x *op.Frame, a *scan.Access) (expr.Node, error) {
	if v, err := a.Shown(x); err != nil || v.Versions != 1 || v.Time.Bounded || v.Nothing {
		return all, err // entries are those of the latest view
	}
	of, err := l.beside(x, a)
	if err != nil || of.Contradiction || of.Access() == constrain.AccessConst || of.Access() == constrain.AccessRef {
		return all, err
	}
	var spans []span
	for i := range l.Ways {
		s, err := l.Ways[i].span(x)
		if err != nil {
			return nil, err
		}
		if s.Contradiction {
			return &expr.Const{V: value.NewBool(false), T: all.T}, nil
		}
		if s.Ranges != nil {
			spans = append(spans, s)
		}
	}
	if len(spans) == 0 {
		return all, nil
	}
	best := keyed(spans)
	for i := range spans {
		if &spans[i] == best {
			continue
		}
		rows, more, err := spans[i].rows(x, few)
		if err != nil || !more {
			return l.among(rows, x, &spans[i]), err
		}
	}
	if best == nil {
		best, err = cheapest(x, a, spans, of)
	}
	if best == nil || err != nil {
		return all, err
	}
	rows, more, err := best.rows(x, most)
	if more || err != nil {
		return all, err
	}
	return l.among(rows, x, best), nil
}

// beside returns the constraint of the access's other conditions.
func (l *Lookup) beside(x *op.Frame, a *scan.Access) (*constrain.Constraint, error) {
	var others []expr.Node
	for _, n := range expr.Conjuncts(a.Where) {
		if _, ok := n.(*Lookup); !ok && !(a.Given != nil && expr.Reads(n, a.Given)) {
			others = append(others, n)
		}
	}
	return constrain.Build(expr.Conjoin(others), a.Columns, &x.Env, constrain.View{})
}

// span is what a way reads.
type span struct {
	*Way
	*constrain.Constraint
	estimate int64
}

// place is the row of an entry, and for a cell its column.
type place struct{ row, qualifier []byte }

// columns are those of an entry: one, its key.
var columns = constrain.Columns{K: 0, F: -1, Q: -1, T: -1, V: -1, G: -1, Typed: true}

func (w *Way) span(x *op.Frame) (span, error) { return w.spanOf(w.bound(x), x) }

// spanOf returns the span that conditions on entries select.
func (w *Way) spanOf(where expr.Node, x *op.Frame) (span, error) {
	c, err := constrain.Build(where, columns, &x.Env, constrain.View{})
	return span{Way: w, Constraint: c}, err
}

func (s *span) scan() *kv.Scan { return &kv.Scan{Ranges: s.Ranges, MaxVersions: 1} }

// keyed returns a span by the keys of a join, which are known to cost less than a scan; nil if there is none.
func keyed(spans []span) *span {
	for i := range spans {
		for _, n := range expr.Conjuncts(spans[i].Where) {
			if _, ok := n.(*Keys); ok {
				return &spans[i]
			}
		}
	}
	return nil
}

// cheapest returns the span of the fewest entries, or nil if a scan of the table is estimated to cost less.
func cheapest(x *op.Frame, a *scan.Access, spans []span, of *constrain.Constraint) (best *span, err error) {
	store := x.Context.Estimator
	if store == nil {
		return nil, nil
	}
	o := kv.EstimateOptions{Cells: few}
	for i := range spans {
		s := &spans[i]
		e, err := store.Estimate(x.Context.Ctx, []*kv.Table{s.Entries}, s.scan(), o)
		if err != nil {
			return nil, err
		}
		if s.estimate = e.Cells; best == nil || s.estimate < best.estimate {
			best = s
		}
	}
	e, err := store.Estimate(x.Context.Ctx, a.Tables, &kv.Scan{Ranges: of.Ranges, MaxVersions: 1}, o)
	if err != nil || best.estimate > most || best.estimate*cellsPerRow > e.Stored && !best.Forced {
		return nil, err
	}
	return best, nil
}

// taken is the way used for a lookup, stored by the lookup's first way.
type taken struct{ *Way }

// Index implements scan.Indexed.
func (l *Lookup) Index(x *op.Frame) (name string, equal bool) {
	if t := op.Kept[taken](x.Stmt, &l.Ways[0]); t != nil {
		return t.Key.Name(), t.leads()
	}
	return "", false
}

// among returns the condition to be one of some rows, or cells.
func (l *Lookup) among(rows []place, x *op.Frame, s *span) expr.Node {
	if x.Stmt.Explain || x.Stmt.Measured {
		op.KeepAs(x.Stmt, &l.Ways[0], &taken{s.Way})
	}
	switch {
	case len(rows) == 0:
		return &expr.Const{V: value.NewBool(false), T: all.T}
	case len(rows) == 1 && l.Q == nil:
		return &expr.Compare{Op: expr.Eq, L: l.K, R: constant(rows[0].row)}
	}
	operands := []expr.Node{l.K}
	if l.Q != nil {
		operands[0] = &expr.Tuple{Items: []expr.Node{l.K, l.Q}}
	}
	for _, at := range rows {
		item := expr.Node(constant(at.row))
		if l.Q != nil {
			item = &expr.Tuple{Items: []expr.Node{item, constant(at.qualifier)}}
		}
		operands = append(operands, item)
	}
	return (&expr.In{}).With(operands)
}

func constant(b []byte) *expr.Const {
	return &expr.Const{V: value.NewBytes(b), T: value.Type{Kind: value.Bytes}}
}
