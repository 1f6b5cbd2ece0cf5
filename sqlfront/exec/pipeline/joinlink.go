package pipeline

import (
	"iter"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
)

// JoinLink is a link that joins.
type JoinLink interface {
	scan.Link
	// DecideForParts chooses how to join, if that must be decided before another link reads ahead.
	DecideForParts() error
	// JoinsParts prepares what the join reads besides the pipeline, and reports whether parts of the
	// pipeline can be joined with it. built are the warnings of preparing it.
	JoinsParts() (built []op.Warning, ok bool, err error)
	// Beside returns the scan that the join reads, or may read later, besides the one at the end of its
	// pipeline; skips says that it may skip rows of the latter.
	Beside() (right *scan.Scan, skips bool)
}

// HasJoin reports whether a pipeline has a join.
func HasJoin(s op.Operator) bool { return scan.Has[JoinLink](s) }

// DividedLater returns the scan at the end of a pipeline that can be divided after some of it has been
// read; nil for pipelines with joins, and for operators with branches, which are divided before.
func DividedLater(s op.Operator) *scan.Scan {
	for ; s != nil; s = scan.Below(s) {
		switch s := s.(type) {
		case JoinLink:
			return nil
		case *scan.Scan:
			return s
		}
	}
	return nil
}

// joinsOf returns the joins of a pipeline, the last one first.
func joinsOf(s op.Operator) iter.Seq[JoinLink] {
	return func(yield func(JoinLink) bool) {
		for ; s != nil; s = scan.Below(s) {
			if j, ok := s.(JoinLink); ok && !yield(j) {
				return
			}
		}
	}
}

// chainedJoins decides how the joins of a pipeline are done, and reports whether all can be done in
// parts. built are the warnings of those that keep rows.
func chainedJoins(pipeline op.Operator) (built []op.Warning, ok bool, err error) {
	for j := range joinsOf(pipeline) { // before another link reads ahead
		if err := j.DecideForParts(); err != nil {
			return nil, false, err
		}
	}
	for j := range joinsOf(pipeline) {
		warnings, ok, err := j.JoinsParts()
		if !ok || err != nil {
			return nil, false, err
		}
		built = append(built, warnings...)
	}
	return built, true, nil
}

// even reports whether the scan at the end of a pipeline has at least so many cells, and its joins of two
// scans about as many on the right.
func even(s op.Operator, cells int64) bool {
	l, known := scan.BaseOf(s).Size(cost.LooksJoined)
	if !known || l.Stored < cells {
		return false
	}
	for j := range joinsOf(s) {
		right, skips := j.Beside()
		if right == nil {
			continue
		}
		r, known := right.Size(cost.LooksJoined)
		if !known || !cost.RightInParts(l, r) || skips && !cost.LeftInParts(l, r) {
			return false
		}
	}
	return true
}
