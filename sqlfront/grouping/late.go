package grouping

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Late is groups of rows for which there was no memory. They are made of a partition of all the
// rows at a time, and put together by the places of their first rows.
type Late struct {
	shape *Shape
	space *spill.Space
	// known are the groups in memory that rows may be of.
	known *Union
	of    []*spill.Partitions
	// grouped are the groups: the places of their first rows, what is kept of these, and
	// results.
	grouped  *spill.Sorter
	env      *expr.Env
	warnings lateWarnings
}

// NewLate makes groups of all rows of some Overflows, which may be of one another's, on so many
// goroutines. A group of known that has rows there takes these, and is one of the late ones then.
// env is the environment of expressions, without a row; warnings go to its session. It gives up the
// rows, but where it fails.
func NewLate(space *spill.Space, workers int, env *expr.Env, known *Union, rests ...*Overflow) (*Late, error) {
	l := &Late{shape: rests[0].shape, space: space, known: known, env: env, grouped: space.NewSorter(rowmem.ByFirst)}
	for _, r := range rests {
		if !slices.Contains(l.of, r.rows) {
			l.of = append(l.of, r.rows)
		}
	}
	if err := l.group(workers); err != nil {
		return nil, cmp.Or(err, l.Close())
	}
	return l, nil
}

func (l *Late) group(workers int) error {
	if err := spill.EachPartition(workers, l.of, l.groupPartition); err != nil {
		return err
	}
	l.warnings.tell(l.env)
	for _, s := range l.of {
		if err := s.Close(); err != nil {
			return err
		}
	}
	return l.grouped.Sort()
}

// LateGroup is one of them, whose values are valid until the next one's: what is kept of its
// first row, and its results.
type LateGroup struct {
	Place          Place
	First, Results []value.Value
}

// Next is the next group in the order of their first rows; ok is false behind the last. The error is
// one of package spill.
func (l *Late) Next() (g LateGroup, ok bool, err error) {
	row, err := l.grouped.Next()
	if row == nil || err != nil {
		return g, false, err
	}
	width := 1 + l.shape.Width()
	return LateGroup{Place(row[0].Int()), row[1:width], row[width:]}, true, nil
}

// Close gives up the groups. The error is one of package spill.
func (l *Late) Close() error { return l.grouped.Close() }

// groupPartition makes the groups of a partition.
func (l *Late) groupPartition(m *cancelcheck.Meter, p spill.Partition) (*spill.Partitions, error) {
	g := l.newPartition(m)
	err := g.read(p)
	if err == nil {
		err = g.meetKnown()
	}
	if err == nil {
		err = l.grouped.AddRun(g.next)
	}
	return g.rest, cmp.Or(err, g.close())
}
