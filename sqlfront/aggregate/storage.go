package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// storage is the part of a Memory that states of all functions share.
type storage struct {
	spill.Account
	// Hold keeps states from moving rows to temporary files: the caller limits the memory of many
	// states together.
	Hold bool
	// repeats finds repeated values, for one state at a time.
	repeats repeats
	// args and key belong to the row that a state adds.
	args   []value.Value
	key    []byte
	shorts rowmem.Slab[byte]
}

// maxShort is the largest value, in bytes, whose memory is shared with others.
const maxShort = 128

// short returns memory for a value of n bytes, or nil if it needs some of its own.
func (s *storage) short(n int) []byte {
	if n > maxShort {
		return nil
	}
	return s.shorts.Cut((n + 15) &^ 15)[:0]
}

// argsAt returns the values of vectors at a row, valid until the next call.
func (s *storage) argsAt(args []*value.Vector, i int32) []value.Value {
	s.args = s.args[:0]
	for _, v := range args {
		s.args = append(s.args, v.At(i))
	}
	return s.args
}

// keyOf returns equal keys for arguments that are equal for DISTINCT. They are valid until the next
// call.
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

// allowed returns 1038 if the state, which cannot use temporary files, takes more than an
// expression may, and 1041 if the session has no more memory.
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

// spare has the memory of a finished state for the next one: of successive groups, each uses that
// of the one before (benchmark Reports, document).
type spare[T any, P reused[T]] struct{ one P }

type reused[T any] interface {
	*T
	Size() int // in bytes
	Reset()
}

// maxSpare limits the memory left to the next state, in bytes.
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
