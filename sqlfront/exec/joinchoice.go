package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// Which side is looked up in which, and whether one is read once instead, is decided
// while a join runs: by the rows that it has seen, which are few of most statements,
// and an estimate of those that it has not. Few rows ask for no estimate.

const (
	// manyLookups is after how many lookups of a cell a join asks for the first time
	// whether to read the table once would have cost less, and how many rows of the right
	// side it reads before it asks whether the left side is better looked up.
	manyLookups = 1024
	// lookupCells is how many cells are read and kept in the time of a lookup.
	lookupCells = 8
	// looksJoined is how many cells such an estimate looks at.
	looksJoined = 256
)

// lookups are those that have been made where one read of everything could take their place.
type lookups struct {
	made     int64
	cells    int64 // that they have read
	compared int64 // what they had cost when that was last compared, in cells
}

// doubled reports whether they have cost twice of what was compared last, where each costs
// as much as so many cells besides those that it reads. So what is spent in vain is never
// more than half.
func (l *lookups) doubled(c *Context, each int64) bool {
	spent, rows := each*l.made+l.cells, c.joinRows()
	forced := c.JoinRows > 0 && l.made >= rows
	if !forced && spent < max((each+1)*rows, 2*l.compared) {
		return false
	}
	l.compared = spent
	return true
}

// size is about how many cells the scan looks at; ok is false where nobody knows.
func (s *scan) size(looks int) (e kv.Estimate, ok bool) {
	if s.x.c.Estimator == nil || s.empty() {
		return e, false
	}
	e, err := s.look(looks, nil)
	return e, err == nil
}

// kept is about how many cells the scan gives, and of how many rows.
func (s *scan) kept() (e kv.Estimate, ok bool) {
	if s.x.c.Estimator == nil || s.empty() {
		return e, false
	}
	known, _ := s.judged()
	e, err := s.look(looksJoined, known)
	return e, err == nil
}

// readsSooner reports whether the right side is read and kept in the time of so many
// cells, in half of the memory that there is.
func readsSooner(right *scan, cells int64) bool {
	e, ok := right.size(looksJoined)
	return ok && right.x.c.readsSooner(e, cells)
}

func (c *Context) readsSooner(e kv.Estimate, cells int64) bool {
	limit := c.Spill.Memory
	return e.Stored < cells && (limit == 0 || e.Bytes < limit/2)
}

// chooses reports whether a join may read other rows than it was told to: none that
// are read are locked.
func (x *frame) chooses() bool { return x.lock == nil && x.c.JoinRows >= 0 }

// joinRows is manyLookups but in tests.
func (c *Context) joinRows() int64 {
	if c.JoinRows > 0 {
		return int64(c.JoinRows)
	}
	return manyLookups
}

// turn decides whether to look the left side up for each right row in place of
// reading it. That is asked of few right rows and of a left side that is neither
// begun nor promised in an order. Where the right side has no row there is nothing to
// read.
func (j *keptJoin) turn() error {
	left, ok := scanOf(j.left)
	if !ok || !j.turnable(left) {
		return nil
	}
	ahead := &readAhead{passing: passing{j.right}, first: j.RightFirst, end: j.RightEnd}
	few, err := ahead.read(manyLookups)
	if j.right = ahead; !few || err != nil {
		return err
	}
	if len(ahead.rows) == 0 {
		j.over = true
	} else if j.x.c.JoinRows > 0 || left.exceeds(lookupCells*int64(len(ahead.rows))) {
		j.turned = newTurnedJoin(j, ahead)
	}
	return nil
}

func (j *keptJoin) turnable(left *scan) bool {
	return j.Back != nil && j.free && j.x.chooses() && !left.empty() &&
		(j.x.c.Estimator != nil || j.x.c.JoinRows > 0) && !left.looksUp()
}

// looksUp reports whether the scan is of rows that its condition names.
func (s *scan) looksUp() bool {
	access := s.con.Access()
	return access == constrain.AccessConst || access == constrain.AccessRef
}

// exceeds reports whether the scan looks at more cells than so many. Few cells are
// counted for that.
func (s *scan) exceeds(cells int64) bool {
	e, ok := s.size(int(min(cells/4, looksJoined)))
	return ok && e.Stored > cells
}

// newTurnedJoin looks up what a kept join would have read.
func newTurnedJoin(j *keptJoin, right *readAhead) *lookupJoin {
	n := &Join{Lookup: j.Back, On: j.On, RightFirst: j.LeftFirst, RightEnd: j.LeftEnd,
		LeftFirst: j.RightFirst, LeftEnd: j.RightEnd, LeftKeys: j.RightKeys, RightKeys: j.LeftKeys}
	return newLookupJoin(n, j.x, right)
}

// turnedStep describes a kept join that looks the left side up.
func (j *keptJoin) turnedStep() *explain.Step {
	under, left := j.turned.lookupStep()
	s := explain.NewStep(j.title("lookup in the left side for each right row"), under, j.right.step())
	if j.On != nil {
		s.Add("on", expr.Print(j.On))
	}
	j.turned.addEstimate(s, j.turned, left, nil)
	return s
}

// choosingJoin is a join that opens the right side for each left row while these are few.
// rows or kept do it for many: in the order of both sides, where that is possible, or with
// the right side kept.
type choosingJoin struct {
	eachRow
	rows *rowJoin
	kept *keptJoin
}

// nextBatch is asked of one of the joins that has been chosen.
func (j *choosingJoin) nextBatch() (*kernel.Batch, error) {
	if j.rows != nil {
		return j.rows.nextBatch()
	}
	return j.kept.nextBatch()
}

func (j *choosingJoin) close() error {
	var err error
	if j.rows != nil {
		err = j.rows.r.close()
	}
	if j.kept != nil {
		return cmp.Or(j.kept.close(), err)
	}
	return cmp.Or(j.eachRow.close(), err)
}

// ofPart is a part of the join that has been chosen.
func (j *choosingJoin) ofPart(r *partRun, x *frame) (source, *frame) {
	if j.rows != nil {
		return r.chain(j.rows, x)
	}
	return r.chain(j.kept, x)
}

// addWork adds nothing: it is the join that has been chosen which is made in parts.
func (j *choosingJoin) addWork(*explain.Step) {}

func (j *choosingJoin) beside() (right *scan, skips bool) {
	if j.rows == nil {
		return nil, false
	}
	return j.rows.beside()
}
