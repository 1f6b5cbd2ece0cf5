package physical

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/setop"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
)

// completeUnion plans how the rows of the parts are found.
func completeUnion(u *block.Union, q *query.Query) error {
	out := u.Out
	if out == nil {
		out = &setop.Union{}
	}
	out.Types, out.Keys, out.Order, out.Limit = q.Types, u.Keys, u.Order, u.Limit
	for _, p := range u.Parts {
		if err := Complete(p.Query); err != nil {
			return err
		}
		part := setop.UnionPart{Query: p.Query.Out, Operation: p.Operation, From: p.From}
		for _, c := range p.Correlations {
			part.To = append(part.To, c.Slot)
		}
		out.Parts = append(out.Parts, part)
	}
	q.Width, q.Body, q.Subqueries = u.Width, out, u.Subqueries
	return nil
}
