package exec

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// derivedJoin joins with a derived table over keys. For few left rows it opens
// the table with the keys of each; for more it reads the table once.
type derivedJoin struct {
	choosingJoin
	ahead   *readAhead // the left side
	decided bool
	merged  bool  // by rows
	err     error // of the decision
}

func newDerivedJoin(n *Join, x *frame, ahead *readAhead) *derivedJoin {
	open := func() (source, error) {
		s, _, err := n.Few.open(x, request{})
		return s, err
	}
	j := &derivedJoin{choosingJoin: choosingJoin{eachRow: eachRow{joining: newJoining(n, x, ahead), open: open}}, ahead: ahead}
	j.findRows()
	return j
}

// findRows prepares to join by K. A left side of few rows by its condition is not worth
// that.
func (j *derivedJoin) findRows() {
	base := baseOf(j.ahead)
	if base == nil || j.x.lock != nil || base.looksUp() {
		return
	}
	right, _, err := j.Join.Right.open(j.x, request{})
	if err != nil {
		return // which is told where the right side is to be read
	}
	if j.rows = j.Join.rowJoin(j.x, j.ahead, j.x.timed(right)); j.rows == nil {
		_ = right.close() // nothing has been read
	}
}

func (j *derivedJoin) next(want int) (*kernel.Batch, error) {
	if err := j.decideOnce(); err != nil {
		return nil, err
	}
	switch {
	case j.merged:
		return j.rows.next(want)
	case j.kept != nil:
		return j.kept.next(want)
	}
	return j.eachRow.next(want)
}

func (j *derivedJoin) decideOnce() error {
	if !j.decided {
		j.decided = true
		j.err = j.decide()
		if j.merged || j.kept != nil {
			j.readChosen()
		}
	}
	return j.err
}

// decide looks at how many rows there are on the left.
func (j *derivedJoin) decide() error {
	most := maxLookups
	if n := j.x.c.JoinRows; n > 0 {
		most = min(n-1, most)
	}
	few, err := j.ahead.read(most)
	if few || err != nil {
		return err
	}
	if j.merged = j.rows != nil; j.merged {
		return nil
	}
	right, _, err := j.Join.Right.open(j.x, request{})
	if err == nil {
		j.kept = &keptJoin{joining: j.joining, right: right}
	}
	return err
}

func (j *derivedJoin) step() *explain.Step {
	switch {
	case j.merged:
		return j.rows.step()
	case j.kept != nil:
		return j.kept.step()
	}
	s := explain.NewStep(j.title(fmt.Sprintf("lookup for each row (of more than %d: right side kept)", maxLookups)),
		j.left.step(), j.eachStep(j.Few))
	if j.On != nil {
		s.Add("on", expr.Print(j.On))
	}
	return s
}

func (j *derivedJoin) under() source { return j.ahead }

func (j *derivedJoin) sameInParts(*scan) bool { return j.rows != nil || j.joinsAlike(j.x) }

func (j *derivedJoin) decideForParts() error { return nil }

func (j *derivedJoin) keptForParts() (kept *keptJoin, plain bool, err error) {
	err = j.decideOnce()
	return j.kept, j.merged, err
}

// readAhead is a source of which some rows may be read before they are asked
// for. The rows are the frame's columns from first to below end.
type readAhead struct {
	passing
	first, end int
	rows       [][]value.Value
	bytes      int // in the rows
	given      int // of rows
	all        bool
}

// maxAhead bounds the bytes of rows that are read ahead.
const maxAhead = 1 << 20

// read reads rows ahead, and reports whether there are no more than limit.
func (a *readAhead) read(limit int) (all bool, err error) {
	for len(a.rows) <= limit && a.bytes <= maxAhead {
		ok, err := a.row(1)
		if err != nil {
			return false, err
		}
		if !ok {
			a.all = true
			return true, nil
		}
		a.keep()
	}
	return false, nil
}

// keep keeps the present row.
func (a *readAhead) keep() {
	row := cloneRow(a.env().Row[a.first:a.end])
	for _, v := range row {
		if v.IsString() {
			a.bytes += len(v.Raw())
		}
	}
	a.rows = append(a.rows, row)
}

func (a *readAhead) next(want int) (*kernel.Batch, error) {
	if a.given < len(a.rows) {
		copy(a.env().Row[a.first:a.end], a.rows[a.given])
		a.given++
		return oneRow, nil
	}
	switch {
	case a.all:
		return nil, nil
	case a.batch != nil:
		return single(a.row(want))
	}
	return a.source.next(want)
}

// addWork adds nothing, as the joins do that read ahead.
func (a *readAhead) addWork(*explain.Step) {}
