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

// Late is the groups that did not fit in memory. They are made from one partition of the rows at a
// time, and ordered by the places of their first rows.
type Late struct {
	shape *Shape
	space *spill.Space
	// known are the groups in memory that the rows may belong to.
	known *Union
	of    []*spill.Partitions
	// grouped are the groups: the places of their first rows, the values kept of these, and results.
	grouped  *spill.Sorter
	env      *expr.Env
	warnings lateWarnings
}

// NewLate makes groups of all rows of some Overflows, which may share rows, on so many goroutines. A
// group of known that has rows there takes them, and becomes one of the late groups. env is the
// environment of expressions, without a row; warnings go to its session. Unless it fails, it frees
// the rows. The error is that of an aggregate, of package spill, or the context's.
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

// LateGroup is one group: the values kept of its first row, and its results. They are valid until
// the next call of Next.
type LateGroup struct {
	Place          Place
	First, Results []value.Value
}

// Next returns the next group in the order of their first rows; ok is false after the last. The
// error is one of package spill.
func (l *Late) Next() (g LateGroup, ok bool, err error) {
	row, err := l.grouped.Next()
	if row == nil || err != nil {
		return g, false, err
	}
	width := 1 + l.shape.Width()
	return LateGroup{Place(row[0].Int()), row[1:width], row[width:]}, true, nil
}

// Close frees the groups. The error is one of package spill.
func (l *Late) Close() error { return l.grouped.Close() }

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
