package sqlfront

import (
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/diagnostics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Warning is one line of SHOW WARNINGS.
type Warning = diagnostics.Warning

// Warnings are those of the last statement that are kept: max_error_count of them.
func (s *Session) Warnings() []Warning { return s.warnings.Kept }

// WarningCount is how many warnings the last statement had, kept or not. SHOW WARNINGS and SHOW
// ERRORS have none, and leave those of the one before.
func (s *Session) WarningCount() int {
	if s.diagnosing {
		return 0
	}
	return s.warnings.All
}

// diagnose keeps a warning where there is memory for it; a few always have some.
func (s *Session) diagnose(w Warning) {
	w = w.Cut()
	most := s.vars.ErrorCount
	if bytes := s.warnings.Bytes + w.Bytes(); len(s.warnings.Kept) >= sysvar.DefaultErrorCount &&
		len(s.warnings.Kept) < most && s.memory.Resize(&s.parts.warnings, bytes) != nil {
		most = 0
	}
	s.warnings.Add(w, most)
}

// failed keeps the error of a statement for SHOW WARNINGS and SHOW ERRORS.
func (s *Session) failed(err error) {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		s.diagnose(Warning{Level: "Error", Code: e.Number, Message: e.Message})
	}
}

func (s *Session) warn(code uint16, message string) {
	s.diagnose(Warning{Level: "Warning", Code: code, Message: message})
}

func (s *Session) note(code mysqlerr.Number, format string, args ...any) {
	if s.vars.TakesNotes() {
		s.diagnose(Warning{Level: "Note", Code: uint16(code), Message: fmt.Sprintf(format, args...)})
	}
}

// looksForNotes is false also where the store is a network away: to look there takes
// a statement longer than what it does.
func (s *Session) looksForNotes() bool { return s.vars.TakesNotes() && s.engine.limits.Snapshots }
