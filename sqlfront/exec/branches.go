package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
)

// A chain over a UNION ALL has a branch for each query of it, which is a chain of its own: the
// rows come one branch after the other.

// branchesOf are the chains that make up the rows of a source, in their order: itself, or the
// branches of a union that may have rows. There are none where it is no chain.
func branchesOf(s op.Source) []op.Source {
	if scan.BaseOf(s) != nil {
		return []op.Source{s}
	}
	u := unionUnder(s)
	if u == nil {
		return nil
	}
	var out []op.Source
	for _, rows := range u.openAll() {
		if _, plain := rows.(*project); !plain {
			return nil
		}
		branch := overBranch(s, u.converted(u.x, rows))
		base := scan.BaseOf(branch)
		if base == nil || hasJoin(branch) {
			return nil
		}
		if !base.Empty() {
			out = append(out, branch)
		}
	}
	return out
}

// maxBranches is how many queries of a union are opened at the same time.
const maxBranches = 64

// unionUnder is a UNION ALL of which nothing is read, over which there are filters and projections
// alone, nil where there is none.
func unionUnder(s op.Source) *unionRows {
	for ; s != nil; s = scan.Below(s) {
		switch s := s.(type) {
		case *op.Timed, *filter, *derivedScan, *project:
		case *unionRows:
			if s.rows.Source == nil && s.end <= maxBranches && !slices.ContainsFunc(s.Parts[:s.end], opensLate) {
				return s
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

// opensLate reports whether the part of a union is to be opened in its turn alone: it may show,
// or the union is run for each row around, which often asks for few of its rows.
func opensLate(p UnionPart) bool { return len(p.To) > 0 || !opensQuietly(p.Query) }

// opensQuietly reports whether a query is one of chains, to open which evaluates no subquery.
func opensQuietly(q *Query) bool {
	b, ok := q.Body.(*Select)
	if !ok || len(q.Subqueries) > 0 || b.Distinct || b.Limit.Present || len(b.Order) > 0 {
		return false
	}
	for n := b.Source; ; {
		switch node := n.(type) {
		case *scan.Access:
			return true
		case *Filter:
			n = node.Child
		case *Aggregate:
			n = node.Child
		case *Derived:
			return opensQuietly(node.Query)
		default:
			return false
		}
	}
}

// overBranch is the links above a union, over a branch of it.
func overBranch(s, branch op.Source) op.Source {
	switch s := s.(type) {
	case *filter:
		return &filter{Input: op.Input{Source: overBranch(s.Source, branch)}, cond: s.cond, title: s.title}
	case *derivedScan:
		return &derivedScan{Derived: s.Derived, x: s.x, rows: op.Input{Source: overBranch(s.rows.Source, branch)}}
	case *project:
		return &project{projection: s.projection, child: op.Input{Source: overBranch(s.child.Source, branch)}}
	case *unionRows:
		return branch
	}
	return overBranch(scan.Below(s), branch)
}

// sizeOf is about what the scans of chains look at together; ok is false where nobody knows.
func sizeOf(chains []op.Source) (sum kv.Estimate, ok bool) {
	for _, chain := range chains {
		base := scan.BaseOf(chain)
		if base.Empty() {
			continue
		}
		e, known := base.Size(cost.LooksJoined)
		if !known {
			return sum, false
		}
		sum.Cells, sum.Stored, sum.Bytes = sum.Cells+e.Cells, sum.Stored+e.Stored, sum.Bytes+e.Bytes
	}
	return sum, true
}
