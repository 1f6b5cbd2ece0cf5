package sqlfront

// leastDefaultMemory is what a client's session may keep where nobody says, in bytes: an INSERT
// of some 20 MB, and what is read of it, which is ten times as much.
const leastDefaultMemory = 512 << 20

// LimitSessions says what all sessions together may keep, in bytes; at first it is
// quota.DefaultAll.
func (e *Engine) LimitSessions(bytes int64) { e.kept.Limit(bytes) }

// Take counts n bytes that a server keeps for the session until Give: 1041 where it has too many.
func (s *Session) Take(n int) error { return s.memory.Take(int64(n)) }

// Give gives back what Take has counted.
func (s *Session) Give(n int) { s.memory.Give(int64(n)) }

// keptParts are the parts of a session's memory that change as a whole, in bytes.
type keptParts struct {
	warnings, parsing int64
}

// parses counts the memory of reading so many tokens of a text. It is given back when the
// statement ends.
func (s *Session) parses(bytes int) error {
	return s.memory.Resize(&s.parts.parsing, s.parts.parsing+int64(bytes))
}
