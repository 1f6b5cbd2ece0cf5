package subquery

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// partnerRun is one run of a subquery over partners, reused by the next one.
type partnerRun struct {
	x      op.Frame
	key    partnerKey // of the outer row
	scan   partnerScan
	groups *agg.StreamGroups // of all partners; nil before the first run of an aggregate
	rows   op.Input          // without an Operator before the first run
}

// run returns a finished run for reuse, or a new one.
func (k *partnerRows) run() *partnerRun {
	if r, _ := k.runs.Get().(*partnerRun); r != nil {
		return r
	}
	r := &partnerRun{}
	r.x.Around = &r.key
	return r
}

// looksForSome reports whether the subquery only looks for a partner.
func (p *Partnered) looksForSome(use expr.SubqueryUse) bool {
	return use.Kind == expr.SubqueryExists && p.looksRowsUp()
}

// readSome passes a row without columns to fn if there is a partner.
func (r *partnerRun) readSome(p *Partners, fn func([]value.Value) (bool, error)) error {
	if err := r.seek(p); err != nil {
		return err
	}
	found, err := r.scan.Next(1)
	if found != nil && err == nil {
		_, err = fn([]value.Value{})
	}
	return err
}

// seek goes before the first partner.
func (r *partnerRun) seek(p *Partners) error {
	r.scan.Partners, r.scan.x = p, &r.x
	r.scan.rows.Clear()
	if key := &r.key; key.equals {
		return r.scan.rows.Seek(key.of.rows, key.bytes)
	}
	return nil
}

// each calls fn for the rows of the subquery, as Query.Each does.
func (r *partnerRun) each(p *Partnered, atMost int64, fn func([]value.Value) (bool, error)) error {
	if r.x.Stmt.Measured || r.rows.Operator == nil && !r.plans(p) {
		return p.Query.Each(&r.x, atMost, fn)
	}
	if r.groups != nil {
		r.groups.Again(&r.x)
	}
	err := r.seek(p.Partners)
	for more := err == nil; more && err == nil; {
		var row []value.Value
		if row, err = r.rows.Result(1); row == nil || err != nil {
			break
		}
		more, err = fn(row[:len(p.Query.Types)])
	}
	if r.groups != nil {
		err = cmp.Or(err, r.groups.Abandon())
	}
	return err
}

// plans makes the operators that each reuses, if the rows are those of the partners, or of one
// group of all of them; otherwise it returns false.
func (r *partnerRun) plans(p *Partnered) bool {
	b, ok := p.Query.Body.(*query.Select)
	if !ok || !b.GivesAll() || b.Projection.Late != nil || len(p.Query.Subqueries) > 0 {
		return false
	}
	r.scan.x = &r.x
	switch n := b.Source.(type) {
	case *Partners:
		r.rows.Operator = b.Projection.Start(&r.x, &r.scan)
	case *agg.Aggregate:
		if _, ok := n.Child.(*Partners); !ok || !n.Implicit {
			return false
		}
		r.groups = n.Stream(&r.x, &r.scan)
		r.rows.Operator = b.Projection.Start(&r.x, r.groups)
	}
	return r.rows.Operator != nil
}
