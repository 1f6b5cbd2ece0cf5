package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// movingExtreme is MIN and MAX of a frame from which rows are removed. It keeps the rows that may
// still become the extreme, each less extreme than the one before. If memory does not suffice for
// all, it keeps the first ones: once these are removed, the frame's rows are read again. If the
// rows are sorted such that each may become the extreme, they are read as often as the memory for
// candidates fits into the frame.
type movingExtreme struct {
	sign   int
	memory *held
	added  int64
	gone   int64
	ring   []candidate
	first  int
	count  int
	// lost says that rows after the last candidate, none of them more extreme than it, may still
	// become the extreme and are not kept.
	lost bool
}

// candidate is a row, by its number among the added ones.
type candidate struct {
	row int64
	v   value.Value
	buf []byte
}

// candidateSize is what a candidate takes besides its bytes.
const candidateSize = 80

func (e *movingExtreme) keepIn(m *held) { e.memory = m }

func (e *movingExtreme) at(i int) *candidate { return &e.ring[(e.first+i)&(len(e.ring)-1)] }

func (e *movingExtreme) add(env *expr.Env, args []value.Value) error {
	v := args[0]
	row := e.added
	e.added++
	for e.count > 0 {
		last := e.at(e.count - 1)
		if order, _ := value.Compare(v, last.v); order*e.sign <= 0 {
			if value.Identical(v, last.v) {
				last.row, e.lost = row, false
				return nil
			}
			break
		}
		e.count--
		e.lost = false
		e.leave(last)
	}
	if e.lost = e.count > 0 && (e.lost || e.memory.memory.Full()); e.lost {
		return nil
	}
	return e.keep(env, row, v)
}

// keep makes a row the last candidate.
func (e *movingExtreme) keep(env *expr.Env, row int64, v value.Value) error {
	if e.count == len(e.ring) {
		e.enlarge()
	}
	e.count++
	c := e.at(e.count - 1)
	before := cap(c.buf)
	c.row = row
	c.v, c.buf = v.AppendClone(c.buf[:0])
	e.memory.grow(cap(c.buf) - before)
	return e.memory.allowed(env)
}

// leave frees the bytes of a removed candidate if memory is full; otherwise, the next candidate
// reuses them.
func (e *movingExtreme) leave(c *candidate) {
	if c.buf != nil && e.memory.memory.Full() {
		e.memory.grow(-cap(c.buf))
		c.v, c.buf = value.Value{}, nil
	}
}

func (e *movingExtreme) enlarge() {
	ring := make([]candidate, max(16, 2*len(e.ring)))
	for i := range e.count {
		ring[i] = *e.at(i)
	}
	e.memory.grow((len(ring) - len(e.ring)) * candidateSize)
	e.ring, e.first = ring, 0
}

func (e *movingExtreme) remove([]value.Value) error {
	if e.count > 0 && e.at(0).row == e.gone {
		e.leave(e.at(0))
		e.first = (e.first + 1) & (len(e.ring) - 1)
		e.count--
	}
	e.gone++
	return nil
}

func (e *movingExtreme) result() (value.Value, error) {
	if e.count == 0 {
		return value.Value{}, nil
	}
	return e.at(0).v.Clone(), nil
}
