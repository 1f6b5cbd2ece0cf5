package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Memory is where the states of an aggregation are, and remember rows. The zero Memory
// has no limit. One goroutine at a time makes states in it and adds to them.
type Memory struct {
	spill.Account
	// Hold keeps states from going to temporary files by themselves: someone
	// else looks after the memory of many states.
	Hold bool
	// repeats finds values that come again, for one state at a time.
	repeats repeats
	// args and key are those of the row that a state adds.
	args []value.Value
	key  []byte

	states   spill.Slab[aggState]
	holds    spill.Slab[held]
	counts   spill.Slab[countAcc]
	sums     spill.Slab[sumAcc]
	averages spill.Slab[avgAcc]
	extremes spill.Slab[extremeAcc]
	shorts   spill.Slab[byte]
	objects  []*function.ObjectBuilder // of states that are over
}

// object is where a state makes an object.
func (m *Memory) object() *function.ObjectBuilder {
	n := len(m.objects) - 1
	if n < 0 {
		return &function.ObjectBuilder{}
	}
	o := m.objects[n]
	m.objects = m.objects[:n]
	return o
}

// maxSpare is the most bytes of an object whose memory serves another one.
const maxSpare = 4 << 10

func (m *Memory) spare(o *function.ObjectBuilder) {
	if o.Size() <= maxSpare && len(m.objects) == 0 {
		o.Reset()
		m.objects = append(m.objects, o)
	}
}

func (m *Memory) sum(a *Aggregate) *sumAcc {
	s := m.sums.Next()
	*s = newSum(a)
	return s
}

func (m *Memory) avg(a *Aggregate) *avgAcc {
	s := m.averages.Next()
	s.sum = newSum(a)
	return s
}

func (m *Memory) extreme(sign int) *extremeAcc {
	e := m.extremes.Next()
	e.sign = sign
	return e
}

// maxShort is the most bytes of a value that has no memory of its own.
const maxShort = 128

// short is memory for a value of n bytes, nil where it gets some of its own.
func (m *Memory) short(n int) []byte {
	if n > maxShort {
		return nil
	}
	return m.shorts.Cut((n + 15) &^ 15)[:0]
}

// argsAt are the values of vectors at a row, valid until the next row's.
func (m *Memory) argsAt(args []*value.Vector, i int32) []value.Value {
	m.args = m.args[:0]
	for _, v := range args {
		m.args = append(m.args, v.At(i))
	}
	return m.args
}

// keyOf is equal for arguments that DISTINCT holds for equal.
func (m *Memory) keyOf(args []value.Value) []byte {
	m.key = m.key[:0]
	for _, v := range args {
		m.key = value.AppendKey(m.key, v)
	}
	return m.key
}
