package sqlfront

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/interrupt"
)

// Killed reports whether the session has been ended, by KILL of another or by
// COMMIT RELEASE. All that it is asked for fails.
func (s *Session) Killed() bool { return s.killed.Load() }

// Abandon ends a session whose user has panicked. Nobody is at work on the session any more,
// whatever it counts: what it holds is given up.
func (s *Session) Abandon() {
	s.mu.Lock()
	s.killed.Store(true)
	for _, st := range s.statements {
		st.ctx.Kill()
	}
	s.statements, s.busy = nil, 0
	s.giveUp()
	s.mu.Unlock()
	s.engine.wire.Panics.Add(1)
	s.engine.remove(s)
}

// Interrupted reports whether the session was ended, or the statement under way was
// interrupted: by KILL, by the end of its context or by max_execution_time. Anybody may
// ask, for one to whom the statement does not listen.
func (s *Session) Interrupted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed.Load() || len(s.statements) == 0 {
		return s.killed.Load()
	}
	last := &s.statements[len(s.statements)-1]
	return last.ctx.Err() != nil || !last.until.IsZero() && time.Now().After(last.until)
}

// limit notes when the statement under way is to end.
func (s *Session) limit(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.statements); n > 0 {
		s.statements[n-1].until = until
	}
}

// enter begins work on the session that others must not end meanwhile.
func (s *Session) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed.Load() {
		return interrupt.ErrKilled
	}
	s.busy++
	return nil
}

// leave ends what enter began. The last one of a killed session puts an end to
// it.
func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left()
}

// left is leave; mu is held.
func (s *Session) left() {
	if s.busy--; s.busy == 0 && s.killed.Load() {
		s.giveUp()
	}
}

// giveUp undoes the transaction, and drops what the session has for itself and its locks. Nobody else is at work on
// the session.
func (s *Session) giveUp() {
	s.txns.Rollback()
	s.temp.Drop()
	s.forgetPrepared()
	s.engine.locks.ReleaseAll(s.id)
	s.txns.FreeReadLock()
}

// disconnect ends the session once nobody is at work on it.
func (s *Session) disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed.Store(true)
	if s.busy == 0 {
		s.giveUp()
	}
}

// interrupt ends the statements under way.
func (s *Session) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.statements {
		st.ctx.Kill()
		if st.ctx == s.background {
			s.background = nil
		}
	}
}
