package diagnostics

import (
	"errors"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Area is the diagnostics area of a session: the warnings and errors of its last statement that was not a
// diagnostic one. The warnings count in Memory, the session's. It is used by one goroutine.
type Area struct {
	Memory *quota.Memory
	List
	// Before has the numbers of the statement before.
	Before List

	shown bool  // the last statement was a diagnostic one
	held  int64 // bytes of Memory
}

// Begin begins another statement; keep says that the statement shows what the last one left.
func (a *Area) Begin(keep bool) {
	if a.shown = keep; keep {
		return
	}
	a.Before, a.List = List{All: a.All, Errors: a.Errors}, List{}
	if a.held != 0 {
		a.Memory.Shrink(&a.held, 0)
	}
}

// Clear forgets everything that the last statement left.
func (a *Area) Clear() {
	a.List = List{}
	a.Memory.Shrink(&a.held, 0)
}

// Count is the number of warnings of the last statement; a diagnostic statement has none.
func (a *Area) Count() int {
	if a.shown {
		return 0
	}
	return a.All
}

// Add counts a warning, and keeps it if fewer than most are kept and there is memory for it; a few are always
// kept.
func (a *Area) Add(w Warning, most int) {
	w = w.cut()
	if bytes := a.Bytes + w.bytes(); len(a.Kept) >= sysvar.DefaultErrorCount && len(a.Kept) < most &&
		a.Memory.Resize(&a.held, bytes) != nil {
		most = 0
	}
	a.add(w, most)
}

// Fail adds the error of a statement.
func (a *Area) Fail(err error, most int) {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		a.Add(Warning{Level: "Error", Code: e.Number, Message: e.Message}, most)
	}
}
