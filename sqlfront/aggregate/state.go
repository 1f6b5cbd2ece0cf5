package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// State aggregates the rows of one group: it evaluates arguments and leaves out NULLs and, with
// DISTINCT, duplicates.
type State struct {
	agg    *setfunc.Aggregate
	acc    accumulator
	seen   *spill.Set // with DISTINCT
	last   *expr.Env  // of the last row
	memory *Memory
	// held is what the accumulator holds, or nil if it remembers nothing. It is not a part of the
	// state: the accumulator's reference would keep the state alive, and with it all states before,
	// because they share slabs.
	held *held
}

// NewState returns the state of a group without rows, which it remembers in m.
func NewState(a *setfunc.Aggregate, m *Memory) *State {
	state := m.states.Next()
	*state = State{agg: a, acc: newAccumulator(a, m), memory: m}
	if k, ok := state.acc.(keeper); ok {
		state.held = m.holds.Next()
		state.held.memory = &m.storage
		k.keepIn(state.held)
	}
	if a.Distinct {
		state.seen = m.NewSet(&m.Hold)
	}
	return state
}

// Add adds env's row to the group. The error is that of evaluating an argument, or of AddArgs.
func (s *State) Add(env *expr.Env) error {
	args, ok, err := s.agg.AppendArgs(env, s.memory.args[:0])
	s.memory.args = args
	if !ok || err != nil {
		return err
	}
	return s.AddArgs(env, args)
}

// AddTimes is Add n times, for an aggregate that CountsTimes. Its errors are those of Add.
func (s *State) AddTimes(env *expr.Env, n int64) error {
	count, ok := s.acc.(*countAcc)
	if !ok || s.seen != nil {
		return s.Add(env)
	}
	args, counts, err := s.agg.AppendArgs(env, s.memory.args[:0])
	s.memory.args = args
	if counts {
		count.n += n
	}
	return err
}

// AddArgs is Add with the values that the aggregate's AppendArgs returned. The error is that of what
// the state remembers: 1038, or one of package spill.
func (s *State) AddArgs(env *expr.Env, args []value.Value) error {
	if s.seen == nil {
		return s.acc.add(env, args)
	}
	if s.agg.SumsNumbers() { // texts of equal numbers are one value
		v, err := env.Number(args[0])
		if err != nil {
			return err
		}
		args = append(s.memory.args[:0], v.Printed())
	}
	s.last = env
	fresh, err := s.seen.Add(s.memory.keyOf(args[:len(s.agg.Args)]), args)
	if !fresh || err != nil {
		return err
	}
	return s.acc.add(env, args)
}

// AddVectors adds rows to the group, in their order, for an aggregate that TakesVectors, as AddArgs
// does for each row that counts. The vectors are the arguments, followed by the values of ORDER BY.
// Its errors are those of AddArgs.
func (s *State) AddVectors(env *expr.Env, args []*value.Vector, rows []int32) error {
	if s.seen == nil {
		if acc, ok := s.acc.(vectorAdder); ok && acc.addVectors(args, rows) {
			return nil
		}
	} else if len(rows) > 1 {
		rows = s.memory.repeats.drop(args, rows)
	}
	for _, i := range rows {
		if s.agg.PassesNulls() && anyNull(args[:len(s.agg.Args)], i) {
			continue
		}
		if err := s.AddArgs(env, s.memory.argsAt(args, i)); err != nil {
			return err
		}
	}
	return nil
}

// Combine adds the rows of another state of the same aggregate, which must be Combinable. With
// DISTINCT it may take over the other's set. Its errors are those of AddArgs, and 1815 for an
// aggregate that is not Combinable.
func (s *State) Combine(other *State) error {
	if !s.agg.Combinable() {
		return mysqlerr.New(mysqlerr.Internal, "states of %s cannot be combined", expr.Print(s.agg))
	}
	if count, ok := s.acc.(*countAcc); ok && s.seen != nil {
		count.n = s.seen.Unite(other.seen)
		return nil
	}
	return s.acc.combine(other.acc)
}

// Include is Combine for an aggregate that is Includable, and does not change the other state. Its
// errors are those of Combine.
func (s *State) Include(other *State) (err error) {
	if count, ok := s.acc.(*countAcc); ok && s.seen != nil {
		count.n, err = s.seen.AddAll(other.seen)
		return err
	}
	return s.acc.combine(other.acc)
}

// Result returns the value for all rows, which owns its bytes, and closes the state. The error is 1690
// for a sum out of a DOUBLE's range, or one of package spill.
func (s *State) Result() (value.Value, error) {
	if err := s.addRest(); err != nil {
		return value.Value{}, err
	}
	v, err := s.acc.result()
	if s.held != nil {
		if l, ok := s.acc.(leaver); ok {
			l.leave()
		}
	}
	if closeErr := s.Close(); err == nil {
		err = closeErr
	}
	return v, err
}

// addRest adds the rows that the set has deferred.
func (s *State) addRest() error {
	for s.seen != nil {
		args, err := s.seen.Next()
		if args == nil || err != nil {
			return err
		}
		if err := s.acc.add(s.last, args); err != nil {
			return err
		}
	}
	return nil
}

// Close frees what the state remembers. It may be called again. The error is one of package spill.
func (s *State) Close() error {
	if s.held != nil {
		s.held.release()
	}
	if s.seen == nil {
		return nil
	}
	return s.seen.Close()
}
