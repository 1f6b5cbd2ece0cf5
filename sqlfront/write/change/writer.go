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

// Writer is a running statement.
type Writer struct {
	*exec.Context
	Table *kv.Table
	// Selection is PARTITION (...), nil for all.
	Selection *pruning.Selection
	Ignore    bool
	// Values is the environment of the statement's expressions; Done, if set, ends their subqueries.
	Values   expr.Env
	held     function.Held
	lists    expr.Lists
	Done     func() error
	doubtful doubtful
	Result   Result
	Row      int // the number, from 1, of the current row
	// warned are the columns without a default for which there was a warning.
	warned [4]bool
}

// Now is the server's clock in milliseconds. It is read for each row: a
// version that is written later must not be older.
func (w *Writer) Now() int64 { return w.Values.Clock().UnixMilli() }

// Counts returns what the statement has done so far.
func (w *Writer) Counts() Result { return w.Result }

// Skip turns an error of one row into a warning if IGNORE allows it.
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

// Warn adds an error to the session as a warning.
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

// End frees what the expressions kept; err is how the statement ended.
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

// PutClock writes a version at the server's clock, and sets its timestamp. It reads the clock once the
// row is locked, so that what others wrote while it waited for the lock is older. The version is never
// lost: it gets a timestamp after versions that would push it out, and if the clock was set back by
// more than the TTL, it uses the store's clock, which was not.
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

// putFrom writes a version at the first free timestamp from one on, and sets its timestamp.
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
	return w.Placed(r) // the timestamp may be later than the clock
}

// Placed returns an error for a row that no partition, or none that the statement names, can hold
// (https://dev.mysql.com/doc/refman/5.7/en/partitioning-selection.html).
func (w *Writer) Placed(r *Version) error {
	if err := NoMagnitude(w.Table, r.T); err != nil {
		return err
	}
	if !w.Selection.Holds(r.K, r.T) {
		return mysqlerr.New(mysqlerr.RowNotInPartitions, "Found a row not matching the given partition set")
	}
	return nil
}

// NoMagnitude returns error 1690 for the one timestamp without an absolute value, if the table has a
// column for that.
func NoMagnitude(t *kv.Table, timestamp int64) error {
	if schema.Of(t).TimeColumn == nil || timestamp != math.MinInt64 {
		return nil
	}
	return mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT value is out of range in 'abs(`%s`.`%s`.`%s`)'", t.Database,
		t.Name, schema.Of(t).ColumnNames()[ColT])
}

// StoreError converts the store's errors about one row to errors with MySQL's numbers: 1526, 1264 and
// 1406.
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

// CannotHold returns error 1406 for a row that its table allows and the store does not.
func CannotHold(rowNumber int) error {
	return mysqlerr.New(mysqlerr.DataTooLong, "Data too long or too short for a column at row %d: the store does not support that length", rowNumber)
}

// NoPartition returns error 1526 with the row, or with the absolute value of T if that has no
// partition.
func NoPartition(t *kv.Table, r *Version) error {
	if _, ok := t.Partitioning.Slice(r.T); !ok {
		return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value %d", max(r.T, -r.T))
	}
	return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value '%s'", Printable([]byte(typed.RowText(t, r.K))))
}

// Duplicate returns error 1062.
func Duplicate(r *Version) error {
	entry := Printable(r.K) + "-" + Printable(r.Q) + "-" + strconv.FormatInt(r.T, 10)
	return mysqlerr.New(mysqlerr.DupEntry, "Duplicate entry '%s' for key 'PRIMARY'", entry)
}

// Printable shows bytes in an error as MySQL does, cut to 64 bytes.
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

// Whole makes the changes of a row. With IGNORE they are atomic: if change fails, the row is left as
// it was.
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

// Count adds n to the affected rows unless err is an error, and returns err.
func (w *Writer) Count(n int64, err error) error {
	if err == nil {
		w.Result.Changed += n
		w.Result.Found += n
	}
	return err
}
