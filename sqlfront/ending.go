package sqlfront

// Killed reports whether the session has been ended, by KILL of another or by
// COMMIT RELEASE. All that it is asked for fails.
func (s *Session) Killed() bool { return s.underWay.Killed.Load() }

// Abandon ends a session whose user has panicked. Nobody is at work on the session any more,
// whatever it counts: what it holds is given up.
func (s *Session) Abandon() {
	s.underWay.Abandon()
	s.engine.wire.Panics.Add(1)
	s.engine.remove(s)
}

// Interrupted reports whether the session was ended, or the statement under way was
// interrupted: by KILL, by the end of its context or by max_execution_time. Anybody may
// ask, for one to whom the statement does not listen.
func (s *Session) Interrupted() bool { return s.underWay.Interrupted() }

// giveUp undoes the transaction, and drops what the session has for itself and its locks. Nobody
// else is at work on the session.
func (s *Session) giveUp() {
	s.txns.Rollback()
	s.temp.Drop()
	s.forgetPrepared()
	s.engine.locks.ReleaseAll(s.id)
	s.txns.FreeReadLock()
}
