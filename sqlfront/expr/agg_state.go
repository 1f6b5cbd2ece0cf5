package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// accumulator is what an aggregate does with the arguments of each row that
// counts; the values of an ORDER BY stand behind the arguments. Their bytes are
// the row's; what is kept is cloned.
type accumulator interface {
	add(env *Env, args []value.Value) error
	result() (value.Value, error)
}

// combiner is an accumulator that can take the rows of another one.
type combiner interface {
	combine(other accumulator) error
}

// keeper is an accumulator that remembers rows.
type keeper interface {
	keepIn(m *held)
}

// leaver is a keeper that leaves its memory to the next state, once it is over. The result of a
// frame is asked for again.
type leaver interface {
	leave()
}

// held is the memory of one state.
type held struct {
	memory *Memory
	bytes  int
}

func (h *held) grow(bytes int) {
	h.bytes += bytes
	h.memory.Grow(bytes)
}

// allowed is 1038 where the state, which cannot go to temporary files, takes more
// than an expression may, and 1041 where the session has no more memory.
func (h *held) allowed(env *Env) error {
	if err := h.memory.Refused(); err != nil {
		return err
	}
	if env.Held == nil || env.Held.Limit == 0 || h.bytes <= env.Held.Limit {
		return nil
	}
	return env.Held.Exceeded()
}

func (h *held) release() { h.grow(-h.bytes) }

// aggState evaluates arguments, leaves out NULLs and, with DISTINCT, what was
// there before.
type aggState struct {
	agg    *Aggregate
	acc    accumulator
	seen   *spill.Set // with DISTINCT
	last   *Env       // that of the last row
	memory *Memory
	// held is what the accumulator holds, nil where it remembers nothing. It is not a part
	// of the state: the accumulator would keep that alive, and with it, by way of others
	// that were made at the same time, all states before.
	held *held
}

// Add takes env's row into the group.
func (s *aggState) Add(env *Env) error {
	args, ok, err := s.agg.AppendArgs(env, s.memory.args[:0])
	s.memory.args = args
	if !ok || err != nil {
		return err
	}
	return s.AddArgs(env, args)
}

// AddTimes is n times Add.
func (s *aggState) AddTimes(env *Env, n int64) error {
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

// AddArgs is Add with what AppendArgs gave.
func (s *aggState) AddArgs(env *Env, args []value.Value) error {
	if s.seen == nil {
		return s.acc.add(env, args)
	}
	if s.agg.fn.sums { // texts of one number are one value
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

// Combine takes the rows of another state of the same aggregate.
func (s *aggState) Combine(other AggState) error {
	m, ok := s.acc.(combiner)
	if !ok || !s.agg.Combinable() {
		return mysqlerr.New(mysqlerr.Internal, "states of %s cannot be combined", Print(s.agg))
	}
	if count, ok := s.acc.(*countAcc); ok && s.seen != nil {
		count.n = s.seen.Unite(other.(*aggState).seen)
		return nil
	}
	return m.combine(other.(*aggState).acc)
}

// Include is Combine that leaves the other state as it is.
func (s *aggState) Include(other AggState) (err error) {
	o := other.(*aggState)
	switch acc := s.acc.(type) {
	case *countAcc:
		if s.seen != nil {
			acc.n, err = s.seen.AddAll(o.seen)
			return err
		}
	case *extremeAcc:
		if best := o.acc.(*extremeAcc).best; !best.IsNull() {
			return acc.add(nil, []value.Value{best})
		}
		return nil
	case *spreadAcc:
		acc.include(o.acc.(*spreadAcc))
		return nil
	}
	return s.Combine(other)
}

// Result is the value for all rows.
func (s *aggState) Result() (value.Value, error) {
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
func (s *aggState) addRest() error {
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

// Close gives up what the state remembers.
func (s *aggState) Close() error {
	if s.held != nil {
		s.held.release()
	}
	if s.seen == nil {
		return nil
	}
	return s.seen.Close()
}
