package pipeline

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
)

// A pipeline over a UNION ALL has a branch for each query, which is a pipeline itself: the rows come one
// branch after the other.

// BranchesOf returns the pipelines that make up the rows of an operator, in order: itself, or the branches
// of a union that may have rows. It returns none if it is not a pipeline.
func BranchesOf(s op.Operator) []op.Operator {
	if scan.BaseOf(s) != nil {
		return []op.Operator{s}
	}
	u := branchingUnder(s)
	if u == nil {
		return nil
	}
	var out []op.Operator
	for _, rows := range u.Branches() {
		branch := overBranch(s, rows)
		base := scan.BaseOf(branch)
		if base == nil || HasJoin(branch) {
			return nil
		}
		if !base.Empty() {
			out = append(out, branch)
		}
	}
	return out
}

// Branching is an operator that returns the rows of others one after the other.
type Branching interface {
	op.Operator
	// Branches returns these, opened, if nothing has been read and this has no visible effect; otherwise
	// none.
	Branches() []op.Operator
}

// Spanning is a link that works the same over each branch of its input.
type Spanning interface {
	scan.Link
	// OverBranch returns such a link that reads a branch.
	OverBranch(branch op.Operator) op.Operator
}

// branchingUnder returns the operator with branches under links that span them, or nil.
func branchingUnder(s op.Operator) Branching {
	for ; s != nil; s = scan.Below(s) {
		switch s := s.(type) {
		case *op.Timed, Spanning:
		case Branching:
			return s
		default:
			return nil
		}
	}
	return nil
}

// overBranch returns the links above the operator with branches, over one of these.
func overBranch(s, branch op.Operator) op.Operator {
	switch s := s.(type) {
	case Spanning:
		return s.OverBranch(overBranch(s.Under(), branch))
	case Branching:
		return branch
	}
	return overBranch(scan.Below(s), branch)
}

// sizeOf estimates what the scans of pipelines read together; ok is false if unknown.
func sizeOf(pipelines []op.Operator) (sum kv.Estimate, ok bool) {
	for _, pipeline := range pipelines {
		base := scan.BaseOf(pipeline)
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
