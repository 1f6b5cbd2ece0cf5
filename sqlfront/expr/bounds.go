package expr

import (
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The bounds of max_allowed_packet, which bounds each string that a function
// makes, in bytes
// (https://dev.mysql.com/doc/refman/5.7/en/server-system-variables.html#sysvar_max_allowed_packet).
const (
	MinAllowedPacket     = 1 << 10
	MaxAllowedPacket     = 1 << 30
	DefaultAllowedPacket = 64 << 20
)

// maxPacket is max_allowed_packet. Folding at bind time has the least that any
// session can have, so that the result is the same for all and a plan holds no
// large constants that its text does not.
func (env *Env) maxPacket() int {
	switch {
	case env.folding:
		return MinAllowedPacket
	case env.Session == nil || env.Session.MaxAllowedPacket == 0:
		return DefaultAllowedPacket
	}
	return env.Session.MaxAllowedPacket
}

// tooLong is NULL with the warning about max_allowed_packet.
func (env *Env) tooLong(function string) (value.Value, error) {
	return value.Value{}, env.warn(mysqlerr.AllowedPacketOverflowed, tooLongMessage(function, env.maxPacket()))
}

func tooLongMessage(function string, limit int) string {
	return fmt.Sprintf("Result of %s() was larger than max_allowed_packet (%d) - truncated",
		strings.ToLower(function), limit)
}

// Step counts n units of work and gives the context's error now and then, see
// package steps.
func (env *Env) Step(n int) error { return env.Meter().Step(n) }

// reads counts the work of reading values from one end to the other, where they are
// long.
func (env *Env) reads(a, b value.Value) error {
	if n := len(a.Raw()) + len(b.Raw()); n > smallValue {
		return env.Step(n)
	}
	return nil
}

// Meter counts the work of everything that is evaluated in env.
func (env *Env) Meter() *steps.Meter {
	env.work.Ctx = env.Ctx
	return &env.work
}

// Held counts the strings and documents that expressions have made and still
// need, in bytes, for one goroutine of a statement. A nil Held counts nothing.
type Held struct {
	// Limit is the most that may be held at once; 0 is none.
	Limit int
	bytes int
	floor int // of the row under way
	kept  int
}

// Mark is what is held now, for Release.
func (h *Held) Mark() int {
	if h == nil {
		return 0
	}
	return h.bytes
}

// Release forgets what was made since Mark gave mark.
func (h *Held) Release(mark int) {
	if h != nil {
		h.bytes = mark
	}
}

// NewRow forgets what was made for the row before.
func (h *Held) NewRow() {
	if h != nil {
		h.bytes = h.floor
	}
}

// Enter begins with the rows of a subquery, beside which all is needed that is
// held now; Leave ends with them.
func (h *Held) Enter() (floor int) {
	if h == nil {
		return 0
	}
	floor, h.floor = h.floor, h.bytes
	return floor
}

// Leave forgets the rows since Enter gave floor, but for a value of n bytes.
func (h *Held) Leave(floor, n int) error {
	if h == nil {
		return nil
	}
	h.bytes, h.floor = h.floor, floor
	return h.grow(n)
}

// Keep counts n bytes that are needed as long as the statement runs.
func (h *Held) Keep(n int) error {
	if h == nil {
		return nil
	}
	h.kept += n
	return h.grow(0)
}

// grow counts n bytes more: 1038 where they are too many.
func (h *Held) grow(n int) error {
	if h == nil {
		return nil
	}
	if h.bytes += n; h.Limit > 0 && h.bytes > h.Limit-h.kept {
		return h.exceeded()
	}
	return nil
}

func (h *Held) exceeded() error {
	return mysqlerr.New(mysqlerr.OutOfSortMemory,
		"Out of memory: the values of expressions take more than %d bytes at once (queryMemory, max_allowed_packet)", h.Limit)
}

// smallValue is a length in bytes up to which a value costs no more than to
// evaluate the node that it is of.
const smallValue = 1 << 10

// made accounts for the n bytes of a call's value, of which nothing but the value
// is needed any more: what was made since mark is not.
func (env *Env) made(n, mark int) error {
	if env.Held != nil {
		env.Held.bytes = mark
		if err := env.Held.grow(n); err != nil {
			return err
		}
	}
	if n <= smallValue {
		return nil
	}
	return env.Step(n)
}

// fitting is the value of a function, or NULL where it is longer than
// max_allowed_packet: only what a column holds may be.
func (env *Env) fitting(function string, v value.Value, args []value.Value) (value.Value, error) {
	n := len(v.Raw())
	if n <= env.maxPacket() {
		return v, nil
	}
	for _, a := range args {
		if len(a.Raw()) >= n && !env.folding {
			return v, nil
		}
	}
	return env.tooLong(function)
}
