package plan

import "github.com/hbasekv/hbasekv/sqlfront/exec"

// completeUnion plans how the rows of the parts are found.
func completeUnion(u *union, q *exec.Query) error {
	out := u.out
	if out == nil {
		out = &exec.Union{}
	}
	out.Types, out.Keys, out.Order, out.Limit = q.Types, u.keys, u.order, u.limit
	for _, p := range u.parts {
		if err := complete(p.query); err != nil {
			return err
		}
		part := exec.UnionPart{Query: p.query.out, Operation: p.operation, From: p.from}
		for _, c := range p.correlations {
			part.To = append(part.To, c.slot)
		}
		out.Parts = append(out.Parts, part)
	}
	q.Width, q.Body, q.Subqueries = u.width, out, u.subqueries
	return nil
}
