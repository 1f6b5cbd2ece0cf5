package heat

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// Caller is what asks: statements of one kind and shape.
type Caller struct {
	// Kind is empty of what no statement asks for: the store itself, and programs that use its interface.
	Kind string
	// Shape is the statement's text with ? in the place of literals; empty where that is not known.
	Shape string
}

// Share is the part of what was asked of a range in the last minutes that a caller did, from 0 to 1.
type Share struct {
	Caller
	Share float64
}

const (
	maxCallers = 8               // of a range
	halfLife   = 2 * time.Minute // after which what was asked counts half
)

func callerOf(a *access, shape func(string) string) Caller {
	if !a.by {
		return Caller{}
	}
	if a.kind >= metrics.KindHBaseGet {
		return Caller{Kind: a.kind.String()}
	}
	return Caller{Kind: a.kind.String(), Shape: shape(a.text)}
}

// tally counts callers, of late ones more than of earlier ones.
type tally struct {
	counts []Share // Share is a count here
	at     time.Time
}

func (t *tally) add(by Caller, n float64, now time.Time) {
	t.fade(now)
	for i := range t.counts {
		if t.counts[i].Caller == by {
			t.counts[i].Share += n
			return
		}
	}
	if len(t.counts) >= maxCallers {
		least := slices.Index(t.counts, slices.MinFunc(t.counts, compareShares))
		t.counts = slices.Delete(t.counts, least, least+1)
	}
	t.counts = append(t.counts, Share{by, n})
}

func compareShares(a, b Share) int { return cmp.Compare(a.Share, b.Share) }

// fade makes what was counted before now count less.
func (t *tally) fade(now time.Time) {
	if passed := now.Sub(t.at); passed > 0 && !t.at.IsZero() {
		t.scale(math.Exp2(-float64(passed) / float64(halfLife)))
	}
	t.at = now
}

func (t *tally) scale(f float64) {
	for i := range t.counts {
		t.counts[i].Share *= f
	}
}

// half is a copy that counts half.
func (t *tally) half() tally {
	out := tally{slices.Clone(t.counts), t.at}
	out.scale(0.5)
	return out
}

func (t *tally) join(o *tally) {
	for _, s := range o.counts {
		t.add(s.Caller, s.Share, t.at)
	}
}

// shares are the callers, the one that asks most first.
func (t *tally) shares() []Share {
	out := slices.Clone(t.counts)
	var sum float64
	for i := range out {
		sum += out[i].Share
	}
	for i := range out {
		out[i].Share /= max(sum, math.SmallestNonzeroFloat64)
	}
	slices.SortStableFunc(out, func(a, b Share) int { return compareShares(b, a) })
	return slices.DeleteFunc(out, func(s Share) bool { return s.Share < 0.01 })
}
