// Package diagnostics is what SHOW WARNINGS shows: the warnings and errors of a statement.
package diagnostics

import "strings"

// Warning is one line of SHOW WARNINGS.
type Warning struct {
	Level   string // Note, Warning or Error
	Code    uint16
	Message string
}

// List is the warnings and errors of a statement: the first ones, up to max_error_count, and the number of
// all.
type List struct {
	Kept        []Warning
	Bytes       int64 // of Kept, approximately
	All, Errors int
}

// add counts a warning, and keeps it if fewer than most are kept.
func (d *List) add(w Warning, most int) {
	d.All++
	if w.Level == "Error" {
		d.Errors++
	}
	if len(d.Kept) < most {
		d.Kept = append(d.Kept, w)
		d.Bytes += w.bytes()
	}
}

// longestWarning is how much of a message is kept, in bytes: a message may quote what a user sent.
const longestWarning = 4 << 10

// warningBytes is the approximate memory of a warning without its message.
const warningBytes = 64

// cut returns the warning with its message cut to the length that is kept.
func (w Warning) cut() Warning {
	if len(w.Message) > longestWarning {
		w.Message = strings.ToValidUTF8(w.Message[:longestWarning], "") + "..."
	}
	return w
}

// bytes is the approximate memory of the warning.
func (w Warning) bytes() int64 { return int64(warningBytes + len(w.Message)) }
