// Package lookup finds rows of typed tables, and cells of column families, by the entries of secondary indexes.
//
// A [Lookup] is a condition on the row, or row and column, of a family's cells. It is true for all rows for
// which the conditions of its ways are, and maybe for others, so these conditions must be evaluated, too. If
// it pays off, it becomes a list of rows before the scan with that condition is opened.
package lookup

import (
	"slices"
	"strings"

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
	// Binds says that Where has Given columns or Keys, Asks that it has subqueries.
	Binds, Asks bool
	// unknown says that Where is a range whose ends EXPLAIN does not know, since it does not run subqueries.
	unknown bool
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
			v = op.StandIn("<"+expr.Print(g.Column)+">", 1, g.T)
		}
		return &expr.Const{V: v, T: g.T}
	})
}

// Lookup is the condition on the row K, or on K and Q for entries of cells. Q is nil for entries of rows.
type Lookup struct {
	K, Q expr.Node
	Ways []Way
	// Unions are used if no way has a span.
	Unions []Union
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
	if len(l.Unions) > 0 {
		dst = append(dst, ", or"...)
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
	out := &Lookup{K: c[0], Ways: l.Ways, Unions: l.Unions}
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
	// cellsPerRow is about how many cells of a scan cost as much as finding one row: 4.4 us among 3,000 rows, 7 us
	// among 10,000, to 0.09 us (BenchmarkIndexChoice/range, 2026-11). If the row's block is not in the cache, it
	// costs up to 200 cells.
	cellsPerRow = 80
	// cellsPerValue is the same of a value that is looked up in an index, and its row: 11 to 14 us (in/3000).
	cellsPerValue = 200
)

// allRows is the constraint without conditions.
var allRows = &constrain.Constraint{}

// all is the condition that is true for all rows.
var all = &expr.Const{V: value.NewBool(true), T: value.Type{Kind: value.Int, Bool: true}}

// Known implements scan.KeySubquery: it returns the rows of the entries, or all if that costs less. Errors
// are those of the store, and cancellation.
func (l *Lookup) Known(x *op.Frame, a *scan.Access) (expr.Node, error) {
	if v, err := a.Shown(x); err != nil || v.Versions != 1 || v.Time.Bounded || v.Nothing {
		return all, err // entries are those of the latest view
	}
	of, err := beside(x, a)
	if err != nil || of.Contradiction || of.Access() == constrain.AccessConst || of.Access() == constrain.AccessRef {
		return all, err
	}
	f := &finding{Lookup: l, x: x, access: a, beside: of}
	if known, err := f.among(); known != nil || err != nil {
		return known, err
	}
	return all, nil
}

// beside returns the constraint of the access's conditions on the row itself.
func beside(x *op.Frame, a *scan.Access) (*constrain.Constraint, error) {
	if leads(a.Where) {
		return allRows, nil
	}
	var others []expr.Node
	for _, n := range expr.Conjuncts(a.Where) {
		if !leads(n) && !(a.Given != nil && expr.Reads(n, a.Given)) {
			others = append(others, n)
		}
	}
	return constrain.Build(expr.Conjoin(others), a.Columns, &x.Env, constrain.View{})
}

// leads reports whether a condition is one that leads to rows.
func leads(n expr.Node) bool {
	switch n.(type) {
	case *Lookup, *Semi:
		return true
	}
	return false
}

// span is what a way reads.
type span struct {
	*Way
	*constrain.Constraint
	estimate int64
	skips    bool // under each value of the index's first column
}

// place is the row of an entry, and for a cell its column.
type place struct{ row, qualifier []byte }

// columns are those of an entry: one, its key.
var columns = constrain.Columns{K: 0, F: -1, Q: -1, T: -1, V: -1, G: -1, Typed: true}

func (w *Way) span(x *op.Frame) (span, error) { return w.spanOf(w.bound(x), x) }

// spanOf returns the span that conditions on entries select.
func (w *Way) spanOf(where expr.Node, x *op.Frame) (span, error) { return w.spanIn(nil, where, x) }

// spanIn is spanOf in an arena, which may be nil.
func (w *Way) spanIn(m *constrain.Arena, where expr.Node, x *op.Frame) (span, error) {
	c, err := m.Build(where, columns, &x.Env, constrain.View{})
	return span{Way: w, Constraint: c}, err
}

func (s *span) scan() *kv.Scan { return &kv.Scan{Ranges: s.Ranges, MaxVersions: 1} }

// taken are the spans used for a lookup, stored by the lookup's first way.
type taken struct {
	by  []*span
	how scan.Use
}

// use is how the span leads to rows.
func (s *span) use() scan.Use {
	switch {
	case s.skips:
		return scan.Skipped
	case s.leads():
		return scan.ByValue
	}
	return scan.ByRange
}

// Index implements scan.Indexed.
func (l *Lookup) Index(x *op.Frame, rows *kv.Table) scan.Used {
	t := op.Kept[taken](x.Stmt, l.taker())
	if t == nil {
		return scan.Used{}
	}
	var names, layouts []string
	for _, s := range t.by {
		if !slices.Contains(names, s.Key.Name()) {
			names, layouts = append(names, s.Key.Name()), append(layouts, s.Key.Layout(rows))
		}
	}
	return scan.Used{Name: strings.Join(names, ","), Layout: strings.Join(slices.Compact(layouts), ","), How: t.how}
}

// taker is what the spans used are kept for.
func (l *Lookup) taker() *Way {
	if len(l.Ways) > 0 {
		return &l.Ways[0]
	}
	parts := l.Unions[0].Parts
	return &parts[slices.IndexFunc(parts, func(p Part) bool { return len(p.Ways) > 0 })].Ways[0]
}

func constant(b []byte) *expr.Const {
	return &expr.Const{V: value.NewBytes(b), T: value.Type{Kind: value.Bytes}}
}
