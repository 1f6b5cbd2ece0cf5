package diagnostics

import (
	"errors"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Area is the diagnostics area of a session: what its last statement that is no diagnostic one
// warned of and failed with. Memory is the session's, in which the warnings count. One goroutine uses
// it.
type Area struct {
	Memory *quota.Memory
	List
	// Before are the numbers of the statement before.
	Before List

	shown bool  // the last statement was a diagnostic one
	held  int64 // bytes of Memory
}

// Begin begins another statement; keep is true of one that shows what the last left.
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

// Count is how many warnings the last statement had; a diagnostic one has none.
func (a *Area) Count() int {
	if a.shown {
		return 0
	}
	return a.All
}

// Add counts a warning, and keeps it where there are fewer than most, and memory for it; a few
// always have some.
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
