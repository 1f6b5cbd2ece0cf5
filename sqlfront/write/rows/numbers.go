package rows

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// numbers are the numbers that an INSERT has taken from its table's counter. It takes as many at once
// as it has rows, so that these are numbered consecutively despite other inserts. If the number of rows
// is unknown, it takes twice as many each time, as InnoDB does.
type numbers struct {
	column int // the numbered column, or -1
	// keepsZero is NO_AUTO_VALUE_ON_ZERO in sql_mode: 0 is an ordinary value.
	keepsZero bool
	// The values are offset, offset+step and so on.
	step, offset uint64
	next, end    uint64 // taken, but not yet used
	takes        int
	given        int64 // of the last row, as for LAST_INSERT_ID()
	// passed is a number that the counter is known to have passed.
	passed uint64
}

// mostTaken limits the numbers taken at once, as a power of 2, to InnoDB's limit.
const mostTaken = 16

// startNumbers prepares the numbering of rows. The error is 1235 if the store has no counters.
func (w *insertWriter) startNumbers() error {
	n := &w.numbers
	*n = numbers{column: w.face.Numbered(), step: 1, offset: 1}
	if n.column < 0 {
		return nil
	}
	if w.Counters == nil {
		return mysqlerr.Unsupported("AUTO_INCREMENT and tables without a primary key in this store")
	}
	session := w.Env.Session
	if w.face.HasHiddenKey() || session == nil || session.Variable == nil {
		return nil
	}
	mode, err := session.Variable("session", "sql_mode")
	if err != nil {
		return err
	}
	n.keepsZero = slices.Contains(strings.Split(mode.String(), ","), "NO_AUTO_VALUE_ON_ZERO")
	step, err := session.Variable("session", "auto_increment_increment")
	if err != nil {
		return err
	}
	offset, err := session.Variable("session", "auto_increment_offset")
	n.step, n.offset = uint64(max(1, step.AsInt())), uint64(max(1, offset.AsInt()))
	if n.offset > n.step {
		n.offset = 1 // MySQL ignores it in this case
	}
	return err
}

// number returns a value for the numbered column. The error is 1467 if its type or the counter is
// exhausted.
func (w *insertWriter) number() (value.Value, error) {
	n := &w.numbers
	at := n.aligned(n.next)
	if at >= n.end {
		if err := w.takeNumbers(); err != nil {
			return value.Value{}, err
		}
		at = n.aligned(n.next)
	}
	n.next = at + 1
	typ := &w.face.Columns[n.column].Type
	if typ.Base.IsInteger() {
		if _, high := typ.IntegerRange(); at > high {
			return value.Value{}, noNumber()
		}
	}
	return w.convert(n.column, value.NewUint(at))
}

// aligned returns the first value from a number on that the session's increment and offset allow.
func (n *numbers) aligned(from uint64) uint64 {
	if from <= n.offset {
		return n.offset
	}
	behind := (from - n.offset) % n.step
	switch {
	case behind == 0:
		return from
	case from > math.MaxUint64-n.step:
		return math.MaxUint64 // no counter gives this number
	}
	return from + n.step - behind
}

// takeNumbers takes numbers from the counter, at least one of them aligned.
func (w *insertWriter) takeNumbers() error {
	n := &w.numbers
	rows := uint64(1) << min(n.takes, mostTaken)
	if all := len(w.stmt.rows); all > 0 {
		rows = uint64(all)
		if n.takes > 0 {
			rows -= uint64(w.Row - 1)
		}
	}
	n.takes++
	first, err := w.Counters.Count(w.Ctx, w.Table, rows*n.step)
	if errors.Is(err, kv.ErrCounterEnd) {
		rows = 1
		first, err = w.Counters.Count(w.Ctx, w.Table, n.step)
	}
	if err != nil {
		return numberError(err)
	}
	n.next, n.end = first, first+rows*n.step
	n.passed = n.end - 1
	return nil
}

// noteNumber records the value of the inserted row in the numbered column. The counter moves past a
// value that the statement gave itself.
func (w *insertWriter) noteNumber(values []value.Value, set []bool) error {
	n := &w.numbers
	if n.column < 0 || w.face.HasHiddenKey() {
		return nil
	}
	v := values[n.column]
	if !set[n.column] {
		if w.Result.InsertID == 0 {
			w.Result.InsertID = asID(v)
		}
		return nil
	}
	given := typed.AsNumber(v)
	if given >= n.next {
		n.next = given + 1 // 0 after the greatest number, in which case end is 0, too
	}
	if given <= n.passed {
		return nil
	}
	n.passed, n.end = given, 0
	return numberError(w.Counters.CountFrom(w.Ctx, w.Table, min(given, kv.MaxCount)+1))
}

// noteID records the current row's value in the numbered column: the given one, or that of the existing
// row after ON DUPLICATE KEY UPDATE.
func (w *insertWriter) noteID(seen []value.Value) {
	if at := w.face.AutoIncrement(); at >= 0 {
		w.numbers.given = asID(seen[at])
	}
}

// noteGiven reports the numbered column's value in the statement's last row, if rows were changed.
func (w *insertWriter) noteGiven() {
	if w.Result.Changed > 0 {
		w.Result.GivenID = w.numbers.given
	}
}

// numberError converts a counter's errors to errors with MySQL's numbers. A statement whose table was
// changed since its snapshot is retried.
func numberError(err error) error {
	switch {
	case errors.Is(err, kv.ErrCounterEnd):
		return noNumber()
	case errors.Is(err, kv.ErrCatalogChanged):
		return mysqlerr.New(mysqlerr.TableDefChanged, "Table definition has changed, please retry transaction")
	}
	return err
}

func noNumber() error {
	return mysqlerr.New(mysqlerr.AutoincReadFailed, "Failed to read auto-increment value from storage engine: "+
		"the type of the column holds no larger value")
}

// asID returns a value as LAST_INSERT_ID() does.
func asID(v value.Value) int64 {
	if v.Kind() == value.Int {
		return v.Int()
	}
	return int64(typed.AsNumber(v))
}
