package sqlfront

// holdPrepared counts a prepared statement against max_prepared_stmt_count and the session's memory.
func (s *Session) holdPrepared(st *Statement) error {
	return s.engine.statements.Hold(st, &s.memory, s.engine.globals.MaxPrepared())
}

// Forget ends the accounting of a statement that Describe has begun.
func (s *Session) Forget(st *Statement) { s.engine.statements.LetGo(st, &s.memory) }

// forget deallocates the prepared statement of that name; it is false if there is none.
func (s *Session) forget(name string) bool {
	p, ok := s.prepared[name]
	if ok {
		delete(s.prepared, name)
		s.Forget(p.statement)
	}
	return ok
}

func (s *Session) forgetPrepared() {
	for _, p := range s.prepared {
		s.Forget(p.statement)
	}
	s.prepared = nil
}

// parses counts memory that parsing takes, which is released when the statement ends.
func (s *Session) parses(bytes int) error {
	return s.memory.Resize(&s.parsing, s.parsing+int64(bytes))
}

// Take counts n bytes that a server keeps for the session until Give. The error is 1041 if the session's
// memory is exhausted.
func (s *Session) Take(n int) error { return s.memory.Take(int64(n)) }

// Give releases n bytes that Take has counted.
func (s *Session) Give(n int) { s.memory.Give(int64(n)) }
