package sqlfront

// holdPrepared counts a statement that is kept prepared.
func (s *Session) holdPrepared(st *Statement) error {
	return s.engine.statements.Hold(st, &s.memory, s.engine.globals.MaxPrepared())
}

// Forget gives up a statement that Describe has counted.
func (s *Session) Forget(st *Statement) { s.engine.statements.LetGo(st, &s.memory) }

// forget gives a prepared statement up, and is false where there is none.
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

// parses counts the memory of reading so many tokens of a text. It is given back when the
// statement ends.
func (s *Session) parses(bytes int) error {
	return s.memory.Resize(&s.parsing, s.parsing+int64(bytes))
}

// Take counts n bytes that a server keeps for the session until Give: 1041 where it has too many.
func (s *Session) Take(n int) error { return s.memory.Take(int64(n)) }

// Give gives back what Take has counted.
func (s *Session) Give(n int) { s.memory.Give(int64(n)) }
