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

// numbers are those that an INSERT has taken of its table's counter: as many at once as it has rows, so
// that these are numbered one after the other whatever others insert. Where it is not known how many
// rows there are, each time twice as many as before, as InnoDB does.
type numbers struct {
	column int // that gets them, -1 where there is none
	// keepsZero is sql_mode's NO_AUTO_VALUE_ON_ZERO: 0 is a value as others.
	keepsZero bool
	// The values are offset, offset+step and so on.
	step, offset uint64
	next, end    uint64 // taken, and not given to a row
	takes        int
	given        int64 // of the last row, as an ID
	// passed is a number that the counter is known to be behind of, with all below it.
	passed uint64
}

// mostTaken is InnoDB's limit of numbers that are taken at once, as a power of 2.
const mostTaken = 16

// startNumbers makes the statement ready to number rows; 1235 where the store cannot.
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
		n.offset = 1 // which MySQL ignores then
	}
	return err
}

// number is a value for the numbered column: 1467 where its type or the counter has none left.
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

// aligned is the first value from a number on that the session's increment and offset allow.
func (n *numbers) aligned(from uint64) uint64 {
	if from <= n.offset {
		return n.offset
	}
	behind := (from - n.offset) % n.step
	switch {
	case behind == 0:
		return from
	case from > math.MaxUint64-n.step:
		return math.MaxUint64 // which no counter gives
	}
	return from + n.step - behind
}

// takeNumbers takes numbers of the counter, one of which at least is aligned.
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

// noteNumber keeps what the row that was inserted has in the numbered column. The counter passes
// what the statement gave it itself.
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
		n.next = given + 1 // 0 behind the last one, where end is too
	}
	if given <= n.passed {
		return nil
	}
	n.passed, n.end = given, 0
	return numberError(w.Counters.CountFrom(w.Ctx, w.Table, min(given, kv.MaxCount)+1))
}

// noteID keeps what the row at hand has in the numbered column: as it was given, or as ON DUPLICATE KEY
// UPDATE has left the one that was there.
func (w *insertWriter) noteID(seen []value.Value) {
	if at := w.face.AutoIncrement(); at >= 0 {
		w.numbers.given = asID(seen[at])
	}
}

// noteGiven keeps what the statement's last row had in the numbered column, where it changed any.
func (w *insertWriter) noteGiven() {
	if w.Result.Changed > 0 {
		w.Result.GivenID = w.numbers.given
	}
}

// numberError gives a counter's errors MySQL's numbers. A statement whose table was changed since its
// snapshot is run again.
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

// asID is a value as LAST_INSERT_ID() has it.
func asID(v value.Value) int64 {
	if v.Kind() == value.Int {
		return v.Int()
	}
	return int64(typed.AsNumber(v))
}
