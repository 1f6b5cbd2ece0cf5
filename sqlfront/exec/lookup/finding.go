package lookup

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// finding finds the rows of a lookup for one opening of its access.
type finding struct {
	*Lookup
	x      *op.Frame
	access *scan.Access
	beside *constrain.Constraint // of the access's other conditions
	spans  []span
	memory
}

// memory is that of a lookup of one row by one index, which then needs no further allocation.
type memory struct {
	arena   constrain.Arena // of the first span
	span    [1]span
	entries entries
	tuple   [4]value.Value
	row     [32]byte
	place   [1]place
	equal   expr.Compare
	rowKey  expr.Const
}

// none is the condition that is true for no row.
var none = &expr.Const{V: value.NewBool(false), T: all.T}

// among returns the condition to be one of the rows that entries lead to, nil if a scan costs less. Subqueries
// run only if the other conditions do not lead to few rows. Errors are those of the store and of subqueries,
// and cancellation.
func (f *finding) among() (expr.Node, error) {
	if known, err := f.few(f.plain()); known != nil || err != nil {
		return known, err
	}
	if known, err := f.fewAnswered(); known != nil || err != nil {
		return known, err
	}
	if len(f.spans) == 0 && len(f.Unions) == 0 {
		if known, err := f.skipped(); known != nil || err != nil {
			return known, err
		}
	}
	best, left, err := f.best()
	if err != nil {
		return nil, err
	}
	if known, err := f.united(left); known != nil || len(best) == 0 || err != nil {
		return known, err
	}
	rows, more, err := f.meeting(best)
	if more || err != nil {
		return nil, err
	}
	f.note(best, scan.Intersected)
	return f.found(rows), nil
}

// plain returns the ways without their conditions with subqueries.
func (f *finding) plain() (out []Way) {
	if !slices.ContainsFunc(f.Ways, func(w Way) bool { return w.Asks }) {
		return f.Ways
	}
	for _, w := range f.Ways {
		if w.Asks {
			w.Where = expr.Conjoin(slices.DeleteFunc(expr.Conjuncts(w.Where), Asks))
		}
		if w.Where != nil {
			out = append(out, w)
		}
	}
	return out
}

// few adds the spans of ways, and returns the condition if one of them has few rows.
func (f *finding) few(ways []Way) (expr.Node, error) {
	from := len(f.spans)
	for i := range ways {
		s, err := f.span(&ways[i])
		switch {
		case err != nil:
			return nil, err
		case s.Contradiction:
			return none, nil
		case s.Ranges != nil:
			f.spans = append(f.spans, s)
		}
	}
	return f.fewOf(f.spans[from:])
}

// span returns the span of a way.
func (f *finding) span(w *Way) (span, error) {
	if len(f.spans) > 0 {
		return w.span(f.x)
	}
	f.spans = f.memory.span[:0]
	return w.spanIn(&f.arena, w.bound(f.x), f.x)
}

// fewOf returns the condition if one of some spans has few rows. A span that EXPLAIN does not know is one of them, since
// the estimates decide only when the statement runs.
func (f *finding) fewOf(spans []span) (expr.Node, error) {
	for i := range spans {
		s := &spans[i]
		if s.keyed() || f.forced() {
			continue
		}
		if s.unknown {
			return f.someOf(s), nil
		}
		if rows, more, err := s.rowsIn(&f.memory, f.x, few); !more || err != nil {
			f.noteOne(s)
			return f.found(rows), err
		}
	}
	return nil, nil
}

// someOf returns the condition to be one of the rows of a span that EXPLAIN does not know.
func (f *finding) someOf(s *span) expr.Node {
	f.noteOne(s)
	stmt := f.x.Stmt
	return f.found([]place{{row: stmt.StandIn([]byte("<first row>"), 1)}, {row: stmt.StandIn([]byte("<last row>"), 1)}})
}

// keyed reports whether the span is by the keys of a join, which are known to cost less than a scan.
func (s *span) keyed() bool {
	if !s.Binds {
		return false
	}
	for _, n := range expr.Conjuncts(s.Where) {
		if _, ok := n.(*Keys); ok {
			return true
		}
	}
	return false
}

// best returns a span by the keys of a join, else the spans to be intersected, which are mostly one, and how many
// rows these leave; none if a scan of the table is estimated to cost less.
func (f *finding) best() (best []*span, left float64, err error) {
	for i := range f.spans {
		if f.spans[i].keyed() {
			return []*span{&f.spans[i]}, 0, nil
		}
	}
	if f.x.Context.Estimator == nil || len(f.spans) == 0 {
		return nil, most, nil
	}
	for i := range f.spans {
		if f.spans[i].estimate, err = entriesIn(f.x, &f.spans[i]); err != nil {
			return nil, 0, err
		}
	}
	e, err := f.table()
	if err != nil {
		return nil, 0, err
	}
	best, read, left := f.intersected(float64(e.Rows))
	if f.forced() {
		return best, left, nil
	}
	read += left*cellsPerRow + float64(len(best[0].Ranges))*(cellsPerValue-cellsPerRow)
	if left > most || read > float64(e.Stored) && !best[0].Forced {
		return nil, most, nil
	}
	return best, left, nil
}

// forced reports whether indexes are intersected regardless of the cost.
func (f *finding) forced() bool { return f.x.Context.Limits().Forced() && len(f.spans) > 1 }

// table estimates a scan of the table. There must be an Estimator.
func (f *finding) table() (kv.Estimate, error) { return sizeOf(f.x, f.access, f.beside) }

// sizeOf estimates the cells of an access's tables that meet a constraint. There must be an Estimator.
func sizeOf(x *op.Frame, a *scan.Access, c *constrain.Constraint) (kv.Estimate, error) {
	s := &kv.Scan{Ranges: c.Ranges, MaxVersions: 1}
	return x.Context.Estimator.Estimate(x.Context.Ctx, a.Tables, s, kv.EstimateOptions{Cells: few})
}

// note keeps, for EXPLAIN, which spans lead to the rows, and how several do.
func (f *finding) note(by []*span, several scan.Use) {
	if f.x.Stmt.Explain || f.x.Stmt.Measured {
		if len(by) == 1 {
			several = by[0].use()
		}
		op.KeepAs(f.x.Stmt, f.taker(), &taken{by, several})
	}
}

func (f *finding) noteOne(s *span) {
	if f.x.Stmt.Explain || f.x.Stmt.Measured {
		f.note([]*span{s}, scan.ByRange)
	}
}

// found returns the condition to be one of some rows, or cells.
func (f *finding) found(rows []place) expr.Node {
	l := f.Lookup
	switch {
	case len(rows) == 0:
		return none
	case len(rows) == 1 && l.Q == nil:
		f.rowKey = *constant(rows[0].row)
		f.equal = expr.Compare{Op: expr.Eq, L: l.K, R: &f.rowKey}
		return &f.equal
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
