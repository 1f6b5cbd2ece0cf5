// Package diagnostics is what SHOW WARNINGS shows: the warnings and errors of a statement.
package diagnostics

import "strings"

// Warning is one line of SHOW WARNINGS.
type Warning struct {
	Level   string // Note, Warning or Error
	Code    uint16
	Message string
}

// List are the warnings and errors of a statement: the first ones, as many as
// max_error_count says, and the number of all.
type List struct {
	Kept        []Warning
	Bytes       int64 // of Kept, about
	All, Errors int
}

// add counts a warning, and keeps it where there are fewer than most.
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

// longestWarning is how much of a message is kept, in bytes: it may quote what a user sent.
const longestWarning = 4 << 10

// warningBytes is about what a warning takes beside its message.
const warningBytes = 64

// cut is the warning with no more of its message than is kept.
func (w Warning) cut() Warning {
	if len(w.Message) > longestWarning {
		w.Message = strings.ToValidUTF8(w.Message[:longestWarning], "") + "..."
	}
	return w
}

// bytes is about what the warning takes.
func (w Warning) bytes() int64 { return int64(warningBytes + len(w.Message)) }
