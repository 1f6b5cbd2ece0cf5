package agg

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// StreamGroups aggregates rows that arrive group by group, in memory that does not grow with the
// number of groups.
type StreamGroups struct {
	groups
	// open and given have the keys and captured values of the group that is being read and of the
	// one in the frame.
	open, given *spill.RowBuffer
	states      []*aggregate.State
	begun       bool // reading has begun
	started     bool
	ahead       bool // the current row begins the next group, and has not been added
	scratch     []value.Value
	batch       *streamBatches // nil if rows are added one by one
	wants       int            // number of rows requested from the child
}

func (n *Aggregate) Stream(x *op.Frame, child op.Operator) *StreamGroups {
	return &StreamGroups{groups: n.newGroups(x, child), open: &spill.RowBuffer{}, given: &spill.RowBuffer{},
		wants: op.AllRows}
}

func (s *StreamGroups) Next(int) (*kernel.Batch, error) {
	if !s.begun {
		s.begun = true
		s.child.ReadFor(s)
	}
	for !s.ended {
		if err := s.addAhead(); err != nil {
			return nil, err
		}
		if b, err := s.readBatch(); b != nil || err != nil {
			return b, err
		}
		if full, err := s.readRow(); full || err != nil {
			return op.Single(full, err)
		}
	}
	return nil, nil
}

// readRow adds the next row to its group, and reports whether a complete group is in the frame.
func (s *StreamGroups) readRow() (bool, error) {
	ok, err := s.child.Row(s.wants)
	switch {
	case err != nil:
		return false, err
	case ok:
		held := s.child.Env().Held
		mark := held.Mark()
		full, err := s.take()
		held.Release(mark)
		return full, err
	}
	s.ended = true
	return s.last()
}

// take adds the current row to its group. If that is a new group, it copies the previous one into
// the frame and returns true; the row is added later.
func (s *StreamGroups) take() (bool, error) {
	if err := s.readKeys(); err != nil {
		return false, err
	}
	if s.started && !s.sameGroup() {
		s.ahead = true
		return true, s.finish()
	}
	if !s.started {
		s.Begin()
	}
	return false, s.add(s.states)
}

// addAhead adds the row that was read ahead.
func (s *StreamGroups) addAhead() error {
	if !s.ahead {
		return nil
	}
	s.ahead = false
	s.Begin()
	held := s.child.Env().Held
	mark := held.Mark()
	err := s.add(s.states)
	held.Release(mark)
	return err
}

func (s *StreamGroups) sameGroup() bool {
	for i, v := range s.keys {
		if value.Order(v, s.open.Row[i]) != 0 {
			return false
		}
	}
	return true
}

// Begin starts a group with the current row.
func (s *StreamGroups) Begin() {
	s.started = true
	s.scratch = s.capture(append(s.scratch[:0], s.keys...))
	s.open.Set(s.scratch)
	s.states = s.newStates()
}

// finish copies the group that was read into the frame.
func (s *StreamGroups) finish() error {
	s.open, s.given = s.given, s.open
	n := len(s.keys)
	return s.emit(s.given.Row[:n], s.given.Row[n:], s.states)
}

// last ends the last group. Without GROUP BY there is always one.
func (s *StreamGroups) last() (bool, error) {
	if s.started {
		return true, s.finish()
	}
	if !s.Implicit {
		return false, nil
	}
	return true, s.emit(nil, make([]value.Value, len(s.Captured)), s.newStates())
}

func (s *StreamGroups) Close() error { return cmp.Or(s.Abandon(), s.groups.Close()) }

// Abandon closes the group that is being read.
func (s *StreamGroups) Abandon() error { return closeStates(s.states) }

func (s *StreamGroups) Step() *explain.Step {
	out := s.describe("streaming", s.child.Step())
	out.Memory = s.memory.Peak()
	return out
}

// ofRows reports whether each group consists of cells of one row of the table, whose key is a
// column of the frame.
func (n *Aggregate) ofRows(key int) bool {
	return !n.Implicit && n.of().pure &&
		slices.ContainsFunc(n.Keys, func(k GroupKey) bool {
			c, ok := k.Node.(*expr.Column)
			return ok && c.Index == key
		})
}

// Quiet is as for scan.Quietly.
func (s *StreamGroups) Quiet() bool {
	return !slices.ContainsFunc(s.of().keys, mayfail.Computes) && !slices.ContainsFunc(s.Aggs, warns)
}

// OnePerRow implements scan's interface for pipelines that give one row per K.
func (s *StreamGroups) OnePerRow() {}

func (s *StreamGroups) Under() op.Operator { return s.child.Operator }

// Reduces implements Reducing.
func (s *StreamGroups) Reduces() bool { return true }

func (s *StreamGroups) SameInParts() bool {
	base := scan.Bottom(s.child.Operator)
	return base.X == s.x && s.ofRows(base.Access.Columns.K)
}

func (s *StreamGroups) OfPart(r *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	child, x := r.Pipeline(s.child.Operator, x)
	return s.Stream(x, child), x
}

func (s *StreamGroups) AddWork(out *explain.Step) { scan.AddWork(out.Steps[0], s.child.Operator) }

// Again prepares for reading other rows, in the same frame.
func (s *StreamGroups) Again(x *op.Frame) {
	row := s.out.Row
	copy(row, x.Env.Row)
	s.out = x.Env
	s.out.Row = row
	s.begun = true // later reads must leave nothing out
	s.started, s.ended, s.ahead, s.states = false, false, false, nil
}
