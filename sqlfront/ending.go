package sqlfront

// Killed reports whether the session has been ended, by KILL in another session or by COMMIT RELEASE. All
// further calls of the session fail.
func (s *Session) Killed() bool { return s.underWay.Killed.Load() }

// Abandon ends a session whose goroutine has panicked: it rolls back its transaction and releases its
// locks. No other goroutine may use the session.
func (s *Session) Abandon() {
	s.underWay.Abandon()
	s.engine.wire.Panics.Add(1)
	s.engine.remove(s)
}

// Interrupted reports whether the session was ended, or the current statement was interrupted by KILL, by the
// end of its context or by max_execution_time. It may be called from any goroutine.
func (s *Session) Interrupted() bool { return s.underWay.Interrupted() }

// giveUp rolls back the transaction, and drops the session's temporary tables and locks. No other
// goroutine may use the session.
func (s *Session) giveUp() {
	s.txns.Rollback()
	s.temp.Drop()
	s.forgetPrepared()
	s.engine.locks.ReleaseAll(s.id)
	s.txns.FreeReadLock()
}
