package versions

import (
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
)

// View is which versions of each cell a relation shows: of those in Time the newest Versions, or all of them
// if Versions is 0. The zero View shows every stored version.
type View struct {
	Versions int
	Time     kv.TimeRange
	// Nothing says that the time range contains no timestamp.
	Nothing bool
}

// Latest shows the newest version of each cell.
func Latest() View { return View{Versions: 1} }

// All shows every stored version.
func All() View { return View{} }

// Writable reports whether DML may go through the view: it restricts no times.
func (v View) Writable() bool { return !v.Time.Bounded && !v.Nothing }

// String is the view in words.
func (v View) String() string {
	s := "all versions"
	switch {
	case v.Nothing:
		return "nothing"
	case v.Versions == 1:
		s = "latest"
	case v.Versions > 1:
		s = fmt.Sprintf("newest %d", v.Versions)
	}
	if v.Time.Bounded {
		s += fmt.Sprintf(", %d <= T <= %d", v.Time.Min, v.Time.Max)
	}
	return s
}
