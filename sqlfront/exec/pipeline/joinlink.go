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
	// decideForParts decides how it is done, where that is to be asked before another link
	// reads ahead.
	DecideForParts() error
	// JoinsParts reports whether parts of the pipeline can join what the join reads beside it, which is
	// made ready for that. built is what that has warned of.
	JoinsParts() (built []op.Warning, ok bool, err error)
	// Beside is the scan that it reads, or may come to read, beside that at the end of its
	// pipeline; skips says that it may pass over rows of that.
	Beside() (right *scan.Scan, skips bool)
}

// HasJoin reports whether a pipeline has a join.
func HasJoin(s op.Operator) bool { return scan.Has[JoinLink](s) }

// DividedLater is the scan of which parts may be made when some of it has been read: that at the end of
// what is no join. Parts of joins are made before, and so are those of what has branches; it is nil then.
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

// joinsOf are the joins of a pipeline, the last one first.
func joinsOf(s op.Operator) iter.Seq[JoinLink] {
	return func(yield func(JoinLink) bool) {
		for ; s != nil; s = scan.Below(s) {
			if j, ok := s.(JoinLink); ok && !yield(j) {
				return
			}
		}
	}
}

// chainedJoins decides how the joins of a pipeline are done, and reports whether parts of
// it can do all of them. built is what those that keep rows have warned of.
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

// even reports whether a pipeline has at least so many cells at its end, and its joins of
// two scans about as many on the right.
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
