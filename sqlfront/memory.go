package sqlfront

import (
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// DefaultAllSessionsMemory is what the sessions of a store may keep together where nobody says, in
// bytes.
const DefaultAllSessionsMemory = 1 << 30

// leastDefaultMemory is what a client's session may keep where nobody says, in bytes: an INSERT
// of some 20 MB, and what is read of it, which is ten times as much.
const leastDefaultMemory = 512 << 20

// memory counts what one session keeps, in bytes: its statements, variables, locks and
// warnings, what its client is sending, and what the statements under way need beyond a
// little. It may be used by many goroutines.
type memory struct {
	engine *Engine
	limit  int64 // 0 is none
	// own is all that the session keeps, alone what no other session keeps too.
	own, alone atomic.Int64
}

// keptByAll is what all sessions keep, in bytes.
type keptByAll struct {
	bytes, limit atomic.Int64
}

// take counts n bytes more: 1041 where they are too many, which leaves the count as it was.
func (m *memory) take(n int64) error { return m.takeShared(n, n) }

func (m *memory) give(n int64) { m.giveShared(n, n) }

// takeShared is take where other sessions keep, and have counted for all, what is not alone.
func (m *memory) takeShared(n, alone int64) error {
	own := m.own.Add(n)
	m.alone.Add(alone)
	all := m.engine.kept.bytes.Add(alone)
	limit := m.limit
	switch {
	case limit == 0:
		return nil
	case own > limit:
	case all > m.engine.kept.limit.Load() && own > m.engine.fairShare():
		limit = m.engine.fairShare()
	default:
		return nil
	}
	m.giveShared(n, alone)
	return errSessionMemory(own-n, n, limit)
}

func (m *memory) giveShared(n, alone int64) {
	m.own.Add(-n)
	m.alone.Add(-alone)
	m.engine.kept.bytes.Add(-alone)
}

// giveAll is for a session that is over.
func (m *memory) giveAll() {
	m.own.Store(0)
	m.engine.kept.bytes.Add(-m.alone.Swap(0))
}

func errSessionMemory(kept, more, limit int64) error {
	return mysqlerr.New(mysqlerr.OutOfResources, "Out of memory; the session keeps %s, needs %s more and may have %s "+
		"(sessionMemory): give up prepared statements (DEALLOCATE PREPARE), variables (SET @a = NULL) and cursors, or "+
		"write less at once", humanize.IBytes(uint64(max(kept, 0))), humanize.IBytes(uint64(more)), humanize.IBytes(uint64(limit)))
}

// fairShare is what each session may keep even where all together keep too much: so who keeps
// much leaves the others theirs, and all together keep at most twice the limit.
func (e *Engine) fairShare() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.kept.limit.Load() / int64(max(len(e.sessions), 1))
}

// LimitSessions says what all sessions together may keep, in bytes; at first it is
// DefaultAllSessionsMemory.
func (e *Engine) LimitSessions(bytes int64) { e.kept.limit.Store(bytes) }

// Take counts n bytes that a server keeps for the session until Give: 1041 where it has too many.
func (s *Session) Take(n int) error { return s.memory.take(int64(n)) }

// Give gives back what Take has counted.
func (s *Session) Give(n int) { s.memory.give(int64(n)) }

// keptParts are the parts of a session's memory that change as a whole, in bytes.
type keptParts struct {
	user, variables, warnings, savepoints, parsing int64
}

// resize counts one of the parts anew. It fails where the part has become too large, which then
// counts as it did.
func (s *Session) resize(part *int64, bytes int64) error {
	if more := bytes - *part; more > 0 {
		if err := s.memory.take(more); err != nil {
			return err
		}
	} else {
		s.memory.give(-more)
	}
	*part = bytes
	return nil
}

// shrink is resize to less, which cannot fail.
func (s *Session) shrink(part *int64, bytes int64) { _ = s.resize(part, min(bytes, *part)) }

// parses counts the memory of reading so many tokens of a text. It is given back when the
// statement ends.
func (s *Session) parses(bytes int) error {
	return s.resize(&s.parts.parsing, s.parts.parsing+int64(bytes))
}

// hold counts a statement that the session keeps prepared, until letGo. What several sessions
// keep is counted once for all of them, and for each of them.
func (s *Session) hold(st *Statement) error {
	if st.tree.holders.Add(1) == 1 {
		s.engine.kept.bytes.Add(st.tree.bytes)
	}
	err := s.memory.takeShared(st.bytes()+st.tree.bytes, st.bytes())
	if err != nil {
		s.engine.drop(st.tree)
	}
	return err
}

func (s *Session) letGo(st *Statement) {
	s.memory.giveShared(st.bytes()+st.tree.bytes, st.bytes())
	s.engine.drop(st.tree)
}

// drop counts one less who holds a tree.
func (e *Engine) drop(t *tree) {
	if t.holders.Add(-1) == 0 {
		e.kept.bytes.Add(-t.bytes)
		if !t.kept.Load() {
			e.statements.planned.drop(t)
		}
	}
}

// claims is what the statements under way need of a session's memory beyond a little. They give
// it back when they end.
type claims struct {
	memory *memory
	bytes  atomic.Int64
}

// Claim counts n bytes more: 1041 where they are too many.
func (c *claims) Claim(n int64) error {
	if err := c.memory.take(n); err != nil {
		return err
	}
	c.bytes.Add(n)
	return nil
}

func (c *claims) release() {
	if n := c.bytes.Swap(0); n != 0 {
		c.memory.give(n)
	}
}
