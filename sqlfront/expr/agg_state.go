package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// accumulator is what an aggregate does with the arguments of each row that
// counts; the values of an ORDER BY stand behind the arguments. Their bytes are
// the row's; what is kept is cloned.
type accumulator interface {
	add(env *Env, args []value.Value) error
	merge(other accumulator) error
	result() (value.Value, error)
}

// aggState evaluates arguments, leaves out NULLs and, with DISTINCT, what was
// there before.
type aggState struct {
	agg   *Aggregate
	acc   accumulator
	nulls bool
	args  []value.Value
	key   []byte
	seen  map[string]struct{} // with DISTINCT
	kept  [][]value.Value     // the arguments behind seen, for Merge
}

// Add takes env's row into the group.
func (s *aggState) Add(env *Env) error {
	s.args = s.args[:0]
	for _, arg := range s.agg.Args {
		v, err := operand(arg, env)
		if err != nil || v.IsNull() && !s.nulls {
			return err
		}
		s.args = append(s.args, v)
	}
	for _, o := range s.agg.Order {
		v, err := o.X.Eval(env)
		if err != nil {
			return err
		}
		s.args = append(s.args, v)
	}
	return s.addDistinct(env, s.args)
}

func (s *aggState) addDistinct(env *Env, args []value.Value) error {
	if s.seen == nil {
		return s.acc.add(env, args)
	}
	s.key = s.key[:0]
	for _, v := range args[:len(s.agg.Args)] {
		s.key = value.AppendKey(s.key, v)
	}
	if _, again := s.seen[string(s.key)]; again {
		return nil
	}
	s.seen[string(s.key)] = struct{}{}
	own := make([]value.Value, len(args))
	for i, v := range args {
		own[i] = v.Clone()
	}
	s.kept = append(s.kept, own)
	return s.acc.add(env, own)
}

// Merge takes the rows of another state of the same aggregate.
func (s *aggState) Merge(other AggState) error {
	o := other.(*aggState)
	if s.seen == nil {
		return s.acc.merge(o.acc)
	}
	for _, args := range o.kept {
		if err := s.addDistinct(&Env{}, args); err != nil {
			return err
		}
	}
	return nil
}

// Result is the value for the rows so far.
func (s *aggState) Result() (value.Value, error) { return s.acc.result() }
