package change

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// Writer is a statement under way.
type Writer struct {
	*exec.Context
	Table *kv.Table
	// Selection is PARTITION (...), nil for all.
	Selection *pruning.Selection
	Ignore    bool
	// Values is what the statement's expressions are evaluated in; done, where it
	// is set, ends their subqueries.
	Values   expr.Env
	held     function.Held
	lists    expr.Lists
	Done     func() error
	doubtful doubtful
	Result   Result
	Row      int // the number, from 1, of the row at hand
	// warned are the columns without a default that were warned of.
	warned [4]bool
}

// Now is the server's clock in milliseconds. It is read for each row: a
// version that is written later must not be older.
func (w *Writer) Now() int64 { return w.Values.Clock().UnixMilli() }

// Counts are of what the statement has done so far.
func (w *Writer) Counts() Result { return w.Result }

// Skip turns an error of one row into a warning where IGNORE asks for it.
func (w *Writer) Skip(err error) error {
	if err == nil || !w.Ignore {
		return err
	}
	if !ignorable(err) {
		return err
	}
	w.Warn(err)
	return nil
}

// Warn has the session keep an error as a warning.
func (w *Writer) Warn(err error) {
	e, ok := err.(*mysql.MySQLError)
	if session := w.Env.Session; ok && session != nil && session.AddWarning != nil {
		session.AddWarning(e.Number, e.Message)
	}
}

// Start makes the environment of the statement's expressions.
func (w *Writer) Start(exprs *plan.RowExprs) {
	w.Values = *w.Env
	w.held = function.Held{Limit: w.Held, Claims: w.Spill.Claims}
	w.lists = expr.Lists{}
	w.Values.Held, w.Values.Lists = &w.held, &w.lists
	if exprs.Subqueries() {
		w.Values, w.Done = exec.RowEnv(w.Context)
	}
}

// End gives up what the expressions kept; err is how the statement ended.
func (w *Writer) End(err error) error {
	if err == nil {
		err = w.noteDoubtful()
	}
	if w.Done == nil {
		return err
	}
	if doneErr := w.Done(); err == nil {
		err = doneErr
	}
	return err
}

// Put writes a version whether or not it exists.
func (w *Writer) Put(r *Version) error {
	if err := w.Placed(r); err != nil {
		return err
	}
	return w.StoreError(w.Txn.Put(w.Ctx, w.Table, r.Cell()), r)
}

// PutNew writes a version that must not exist yet (1062).
func (w *Writer) PutNew(r *Version) error {
	if err := w.Placed(r); err != nil {
		return err
	}
	ok, err := w.Txn.PutIfAbsent(w.Ctx, w.Table, r.Cell())
	if err == nil && !ok {
		return Duplicate(r)
	}
	return w.StoreError(err, r)
}

// PutClock writes a version at the server's clock, and keeps its timestamp. The clock is read once
// the row is locked: what others have written while the lock was waited for is older. It is never
// written to no effect: it is moved on behind what would push it out, and where the clock has been put
// back by more than the TTL, the store's is taken, which has not.
func (w *Writer) PutClock(r *Version) error {
	if err := w.Txn.LockRow(w.Ctx, w.Table, r.K, kv.RowLock{}); err != nil {
		return w.StoreError(err, r)
	}
	if err := w.putFrom(w.Now(), r); err != nil || !w.Expired(r.T) {
		return err
	}
	if err := w.Txn.DeleteVersion(w.Ctx, w.Table, r.K, r.Q, r.T); err != nil {
		return err
	}
	return w.putFrom(w.Txn.Now(), r)
}

// putFrom writes a version at the first free timestamp from one on, which it gets.
func (w *Writer) putFrom(from int64, r *Version) (err error) {
	r.T = from
	if err := w.Placed(r); err != nil {
		return err
	}
	at, err := w.Txn.PutNext(w.Ctx, w.Table, r.Cell())
	if err != nil {
		return w.StoreError(err, r)
	}
	r.T = at
	return w.Placed(r) // it may be later than the clock
}

// Placed refuses a row that no partition can hold, or none that the statement
// names (https://dev.mysql.com/doc/refman/5.7/en/partitioning-selection.html).
func (w *Writer) Placed(r *Version) error {
	if err := NoMagnitude(w.Table, r.T); err != nil {
		return err
	}
	if !w.Selection.Holds(r.K, r.T) {
		return mysqlerr.New(mysqlerr.RowNotInPartitions, "Found a row not matching the given partition set")
	}
	return nil
}

// NoMagnitude refuses the one timestamp that has no absolute value, where the
// table has a column for that.
func NoMagnitude(t *kv.Table, timestamp int64) error {
	if schema.Of(t).TimeColumn == nil || timestamp != math.MinInt64 {
		return nil
	}
	return mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT value is out of range in 'abs(`%s`.`%s`.`%s`)'", t.Database,
		t.Name, schema.Of(t).ColumnNames()[ColT])
}

// StoreError gives the store's errors about one row MySQL's numbers.
func (w *Writer) StoreError(err error, r *Version) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kv.ErrNoPartition):
		return NoPartition(w.Table, r)
	case errors.Is(err, kv.ErrTimestampExhausted):
		return OutOfRange(w.Table, w.Row)
	case errors.Is(err, kv.ErrLength):
		return CannotHold(w.Row)
	}
	return err
}

// CannotHold is of a row that its table takes, and the store does not.
func CannotHold(rowNumber int) error {
	return mysqlerr.New(mysqlerr.DataTooLong, "Data too long or too short for a column at row %d: the store cannot hold it", rowNumber)
}

// NoPartition names the row, or the absolute value of T where that is what has
// no partition.
func NoPartition(t *kv.Table, r *Version) error {
	if _, ok := t.Partitioning.Slice(r.T); !ok {
		return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value %d", max(r.T, -r.T))
	}
	return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value '%s'", Printable([]byte(typed.RowText(t, r.K))))
}

// Duplicate is 1062.
func Duplicate(r *Version) error {
	entry := Printable(r.K) + "-" + Printable(r.Q) + "-" + strconv.FormatInt(r.T, 10)
	return mysqlerr.New(mysqlerr.DupEntry, "Duplicate entry '%s' for key 'PRIMARY'", entry)
}

// Printable shows bytes in an error as MySQL does, cut to 64 of them.
func Printable(b []byte) string {
	var s strings.Builder
	for _, c := range b[:min(len(b), 64)] {
		if c < ' ' || c > '~' {
			s.WriteString(`\x` + strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:]))
			continue
		}
		s.WriteByte(c)
	}
	return s.String()
}

// Found counts a row to change.
func (w *Writer) Found() {
	w.Row++
	w.Result.Matched++
	w.Result.Found++
}

// Whole makes the changes of a row. A row that IGNORE skips is left as it was,
// though it may fail after a part of them.
func (w *Writer) Whole(change func() error) error {
	if !w.Ignore {
		return change()
	}
	before := w.Txn.Savepoint()
	err := change()
	if err != nil {
		w.Txn.RollbackTo(before)
	}
	return err
}

// Count adds to the rows affected unless err says otherwise.
func (w *Writer) Count(n int64, err error) error {
	if err == nil {
		w.Result.Changed += n
		w.Result.Found += n
	}
	return err
}
