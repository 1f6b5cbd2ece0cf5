package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// State gathers the rows of one group: it evaluates arguments, leaves out NULLs and, with
// DISTINCT, what was there before.
type State struct {
	agg    *setfunc.Aggregate
	acc    accumulator
	seen   *spill.Set // with DISTINCT
	last   *expr.Env  // that of the last row
	memory *Memory
	// held is what the accumulator holds, nil where it remembers nothing. It is not a part
	// of the state: the accumulator would keep that alive, and with it, by way of others
	// that were made at the same time, all states before.
	held *held
}

// NewState starts a group, whose rows are remembered in a memory.
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

// Add takes env's row into the group. The error is that of evaluating an argument, or of AddArgs.
func (s *State) Add(env *expr.Env) error {
	args, ok, err := s.agg.AppendArgs(env, s.memory.args[:0])
	s.memory.args = args
	if !ok || err != nil {
		return err
	}
	return s.AddArgs(env, args)
}

// AddTimes is n times Add, of an aggregate that CountsTimes. Its errors are those of Add.
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

// AddArgs is Add with what the aggregate's AppendArgs gave. The error is that of what the state
// remembers: 1038, or one of package spill.
func (s *State) AddArgs(env *expr.Env, args []value.Value) error {
	if s.seen == nil {
		return s.acc.add(env, args)
	}
	if s.agg.SumsNumbers() { // texts of one number are one value
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

// AddVectors takes rows into the group, in their order, of an aggregate that TakesVectors: as
// AddArgs of each that counts. The vectors are the arguments, and behind them the values of
// ORDER BY. Its errors are those of AddArgs.
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

// Combine takes the rows of another state of the same aggregate, which must be Combinable. With
// DISTINCT it may take the other's set for its own. Its errors are those of AddArgs, and 1815 for an
// aggregate that is not.
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

// Include is Combine of an aggregate that is Includable, and leaves the other state as it is. Its
// errors are those of Combine.
func (s *State) Include(other *State) (err error) {
	if count, ok := s.acc.(*countAcc); ok && s.seen != nil {
		count.n, err = s.seen.AddAll(other.seen)
		return err
	}
	return s.acc.combine(other.acc)
}

// Result is the value for all rows; it owns its bytes. It comes last. The error is 1690 for a sum that
// is no DOUBLE, or one of package spill.
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

// addRest adds the rows that the set put off.
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

// Close gives up what the state remembers. It may be called again. The error is one of package spill.
func (s *State) Close() error {
	if s.held != nil {
		s.held.release()
	}
	if s.seen == nil {
		return nil
	}
	return s.seen.Close()
}
