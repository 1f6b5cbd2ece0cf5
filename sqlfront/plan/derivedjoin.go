package plan

import (
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxTwice bounds how many derived tables of a statement are planned in two
// ways: nested ones double at each step.
const maxTwice = 32

// buildFew plans the derived table on a join's right side a second time, to be
// opened with the keys of one left row. It is nil where that leads to no rows.
func (b *blockPlanner) buildFew(j *joinItem, l *leaf, right, both []expr.Node) (node, error) {
	isKey := func(index int) bool {
		i := index - l.first
		return i >= 0 && i < len(l.relation.Columns) && l.derived.keyOf(i) == 0
	}
	if l.derived == nil || *b.twice >= maxTwice || !b.leadsToKey(j, both, isKey) || slices.ContainsFunc(right, settles(isKey)) {
		return nil, nil
	}
	*b.twice++
	reads := b.reads
	b.reads = new([]*Relation) // they are noted already
	q, err := l.again()
	b.reads = reads
	if err != nil {
		return nil, err
	}
	n := &derivedNode{query: q, relation: l.relation, first: l.first}
	rest := b.pushInto(n, append(slices.Clone(right), both...))
	for _, cond := range rest {
		b.use(cond)
	}
	q.prune(func(i int) bool { return b.used[l.first+i] })
	return filtered(n, expr.Conjoin(rest)), q.complete()
}

// settles tells conditions that set a key equal to constants: no left row is
// needed to find the few rows there are.
func settles(isKey func(index int) bool) func(expr.Node) bool {
	return func(n expr.Node) bool {
		var x expr.Node
		switch n := n.(type) {
		case *expr.Compare:
			if n.Op == expr.Eq {
				x = n.L
			}
		case *expr.In:
			if !n.Not {
				x = n.X
			}
		}
		c, ok := x.(*expr.Column)
		return ok && isKey(c.Index)
	}
}

// derivedJoin joins with a derived table over keys. For few left rows it opens
// the table with the keys of each; for more it reads the table once.
type derivedJoin struct {
	eachRow
	x       *exec
	ahead   *readAhead // the left side
	kept    *keptJoin  // where there are many left rows
	decided bool
}

func newDerivedJoin(n *joinNode, x *exec, ahead *readAhead) *derivedJoin {
	open := func() (source, error) {
		s, _, err := n.few.open(x, request{})
		return s, err
	}
	return &derivedJoin{eachRow: eachRow{joinNode: n, left: ahead, open: open}, x: x, ahead: ahead}
}

func (j *derivedJoin) next() (bool, error) {
	if !j.decided {
		if err := j.decide(); err != nil {
			return false, err
		}
		j.decided = true
	}
	if j.kept != nil {
		return j.kept.next()
	}
	return j.eachRow.next()
}

// decide looks at how many rows there are on the left.
func (j *derivedJoin) decide() error {
	few, err := j.ahead.read(maxLookups)
	if few || err != nil {
		return err
	}
	right, _, err := j.joinNode.right.open(j.x, request{})
	if err == nil {
		j.kept = &keptJoin{joinNode: j.joinNode, x: j.x, left: j.left, right: right}
	}
	return err
}

func (j *derivedJoin) close() error {
	if j.kept != nil {
		return j.kept.close()
	}
	return j.eachRow.close()
}

func (j *derivedJoin) step() *Step {
	if j.kept != nil {
		return j.kept.step()
	}
	s := newStep(j.title(fmt.Sprintf("lookup for each row (of more than %d: right side kept)", maxLookups)), j.left.step(), j.fewStep())
	if j.on != nil {
		s.detail("on", j.on.String())
	}
	return s
}

// fewStep describes what is opened for each left row.
func (j *derivedJoin) fewStep() *Step {
	x := &exec{}
	x.startIn(j.x.run, len(j.x.env.Row))
	s, _, err := j.few.open(x, request{})
	if err != nil {
		return newStep(err.Error())
	}
	defer func() { _ = s.close() }()
	out := s.step()
	out.Rows = j.given
	return out
}

// readAhead is a source of which some rows may be read before they are asked
// for. The rows are the frame's columns from first to below end.
type readAhead struct {
	source
	first, end int
	rows       [][]value.Value
	bytes      int // in the rows
	at         int
	ended      bool
}

// maxAhead bounds the bytes of rows that are read ahead.
const maxAhead = 1 << 20

// read reads rows ahead, and reports whether there are no more than limit.
func (a *readAhead) read(limit int) (all bool, err error) {
	for len(a.rows) <= limit && a.bytes <= maxAhead {
		ok, err := a.source.next()
		if err != nil {
			return false, err
		}
		if !ok {
			a.ended = true
			return true, nil
		}
		a.keep()
	}
	return false, nil
}

// keep keeps the present row.
func (a *readAhead) keep() {
	row := slices.Clone(a.env().Row[a.first:a.end])
	for i, v := range row {
		row[i] = v.Clone()
		if v.IsString() {
			a.bytes += len(v.Raw())
		}
	}
	a.rows = append(a.rows, row)
}

func (a *readAhead) next() (bool, error) {
	if a.at < len(a.rows) {
		copy(a.env().Row[a.first:a.end], a.rows[a.at])
		a.at++
		return true, nil
	}
	if a.ended {
		return false, nil
	}
	return a.source.next()
}
