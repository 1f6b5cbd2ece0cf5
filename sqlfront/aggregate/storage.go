package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// storage is what states share of a Memory, whatever their functions are.
type storage struct {
	spill.Account
	// Hold keeps states from going to temporary files by themselves: someone
	// else looks after the memory of many states.
	Hold bool
	// repeats finds values that come again, for one state at a time.
	repeats repeats
	// args and key are those of the row that a state adds.
	args   []value.Value
	key    []byte
	shorts rowmem.Slab[byte]
}

// maxShort is the most bytes of a value that has no memory of its own.
const maxShort = 128

// short is memory for a value of n bytes, nil where it gets some of its own.
func (s *storage) short(n int) []byte {
	if n > maxShort {
		return nil
	}
	return s.shorts.Cut((n + 15) &^ 15)[:0]
}

// argsAt are the values of vectors at a row, valid until the next row's.
func (s *storage) argsAt(args []*value.Vector, i int32) []value.Value {
	s.args = s.args[:0]
	for _, v := range args {
		s.args = append(s.args, v.At(i))
	}
	return s.args
}

// keyOf is equal for arguments that DISTINCT holds for equal.
func (s *storage) keyOf(args []value.Value) []byte {
	s.key = s.key[:0]
	for _, v := range args {
		s.key = value.AppendKey(s.key, v)
	}
	return s.key
}

// held is the memory of one state.
type held struct {
	memory *storage
	bytes  int
}

func (h *held) grow(bytes int) {
	h.bytes += bytes
	h.memory.Grow(bytes)
}

// allowed is 1038 where the state, which cannot go to temporary files, takes more
// than an expression may, and 1041 where the session has no more memory.
func (h *held) allowed(env *expr.Env) error {
	if err := h.memory.Refused(); err != nil {
		return err
	}
	if env.Held == nil || env.Held.Limit == 0 || h.bytes <= env.Held.Limit {
		return nil
	}
	return env.Held.Exceeded()
}

func (h *held) release() { h.grow(-h.bytes) }

// spare is the memory of a state that is over, for the next one: of groups that come one after the
// other each uses that of the one before (benchmark Reports, document).
type spare[T any, P reused[T]] struct{ one P }

type reused[T any] interface {
	*T
	Size() int // in bytes
	Reset()
}

// maxSpare is the most that is left, in bytes.
const maxSpare = 4 << 10

func (s *spare[T, P]) take() P {
	one := s.one
	if s.one = nil; one == nil {
		one = new(T)
	}
	return one
}

func (s *spare[T, P]) give(one P) {
	if one.Size() <= maxSpare {
		one.Reset()
		s.one = one
	}
}
