package sqlfront

import (
	"errors"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Warning is one line of SHOW WARNINGS.
type Warning struct {
	Level   string // Note, Warning or Error
	Code    uint16
	Message string
}

// diagnostics are the warnings and errors of a statement: the first ones, as many as
// max_error_count says, and the number of all.
type diagnostics struct {
	kept        []Warning
	bytes       int64 // of kept
	all, errors int
}

// add counts a warning, and keeps it where there are fewer than most.
func (d *diagnostics) add(w Warning, most int) {
	d.all++
	if w.Level == "Error" {
		d.errors++
	}
	if len(d.kept) < most {
		d.kept = append(d.kept, w)
		d.bytes += int64(warningBytes + len(w.Message))
	}
}

// Warnings are those of the last statement that are kept: max_error_count of them.
func (s *Session) Warnings() []Warning { return s.warnings.kept }

// WarningCount is how many warnings the last statement had, kept or not. SHOW WARNINGS and SHOW
// ERRORS have none, and leave those of the one before.
func (s *Session) WarningCount() int {
	if s.diagnosing {
		return 0
	}
	return s.warnings.all
}

// longestWarning is how much of a message is kept, in bytes: it may quote what a user sent.
const longestWarning = 4 << 10

// warningBytes is about what a warning takes beside its message.
const warningBytes = 64

// diagnose keeps a warning where there is memory for it; a few always have some.
func (s *Session) diagnose(w Warning) {
	if len(w.Message) > longestWarning {
		w.Message = strings.ToValidUTF8(w.Message[:longestWarning], "") + "..."
	}
	most := s.vars.ErrorCount
	if bytes := s.warnings.bytes + int64(warningBytes+len(w.Message)); len(s.warnings.kept) >= sysvar.DefaultErrorCount &&
		len(s.warnings.kept) < most && s.memory.Resize(&s.parts.warnings, bytes) != nil {
		most = 0
	}
	s.warnings.add(w, most)
}

// failed keeps the error of a statement for SHOW WARNINGS and SHOW ERRORS.
func (s *Session) failed(err error) {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		s.diagnose(Warning{"Error", e.Number, e.Message})
	}
}
