package sqlfront

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/diagnostics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Warning is one line of SHOW WARNINGS.
type Warning = diagnostics.Warning

// Warnings are the warnings of the last statement, at most max_error_count of them.
func (s *Session) Warnings() []Warning { return s.warnings.Kept }

// WarningCount is the number of warnings of the last statement, kept or not. SHOW WARNINGS and SHOW ERRORS
// have none, and leave those of the one before.
func (s *Session) WarningCount() int { return s.warnings.Count() }

// failed keeps the error of a statement for SHOW WARNINGS and SHOW ERRORS.
func (s *Session) failed(err error) { s.warnings.Fail(err, s.vars.ErrorCount) }

func (s *Session) warn(code uint16, message string) {
	s.warnings.Add(Warning{Level: "Warning", Code: code, Message: message}, s.vars.ErrorCount)
}

func (s *Session) note(code mysqlerr.Number, format string, args ...any) {
	if s.vars.TakesNotes() {
		note := Warning{Level: "Note", Code: uint16(code), Message: fmt.Sprintf(format, args...)}
		s.warnings.Add(note, s.vars.ErrorCount)
	}
}

// looksForNotes reports whether statements check whether to add notes. On a store behind a network they do
// not, since that would take longer than the statement itself.
func (s *Session) looksForNotes() bool { return s.vars.TakesNotes() && s.engine.limits.Snapshots }
