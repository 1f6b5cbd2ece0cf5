package exec

import (
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// derivedJoin joins with a derived table over keys. For few left rows it opens
// the table with the keys of each; for more it reads the table once.
type derivedJoin struct {
	eachRow
	ahead   *readAhead // the left side
	kept    *keptJoin  // where there are many left rows
	decided bool
}

func newDerivedJoin(n *Join, x *frame, ahead *readAhead) *derivedJoin {
	open := func() (source, error) {
		s, _, err := n.Few.open(x, request{})
		return s, err
	}
	return &derivedJoin{eachRow: eachRow{joining: joining{Join: n, x: x, left: ahead}, open: open}, ahead: ahead}
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
	right, _, err := j.Join.Right.open(j.x, request{})
	if err == nil {
		j.ahead.source = inBatches(j.ahead.source)
		j.kept = &keptJoin{joining: j.joining, right: right}
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
	s := NewStep(j.title(fmt.Sprintf("lookup for each row (of more than %d: right side kept)", maxLookups)),
		j.left.step(), j.fewStep())
	if j.On != nil {
		s.detail("on", expr.Print(j.On))
	}
	return s
}

// fewStep describes what is opened for each left row.
func (j *derivedJoin) fewStep() *Step {
	s, _, err := j.Few.open(j.x.stmt.newFrame(len(j.x.env.Row)), request{})
	if err != nil {
		return NewStep(err.Error())
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
