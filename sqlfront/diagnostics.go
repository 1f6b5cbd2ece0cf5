package sqlfront

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
	all, errors int
}

// defaultErrorCount and mostErrorCount are MySQL's default and maximum of max_error_count.
const (
	defaultErrorCount = 64
	mostErrorCount    = 1<<16 - 1
)

// add counts a warning, and keeps it where there are fewer than most.
func (d *diagnostics) add(w Warning, most int) {
	d.all++
	if w.Level == "Error" {
		d.errors++
	}
	if len(d.kept) < most {
		d.kept = append(d.kept, w)
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

func (s *Session) diagnose(w Warning) { s.warnings.add(w, s.settings.errorCount) }
