package write

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
)

// Statement is a planned statement.
type Statement interface {
	// Run changes the data through the context's transaction. After an error
	// part of the changes may stand in the transaction.
	Run(ctx *exec.Context) (Result, error)
	// Reads is the SELECT that finds or gives the rows, or nil; Target is what
	// the statement calls the table that it changes. EXPLAIN shows them.
	Reads() *plan.Select
	Target() string
	// Exprs are the expressions that give the values.
	Exprs() *plan.RowExprs
}

// Result is what a statement did.
type Result struct {
	// Matched is the rows that were found, or given to an INSERT.
	Matched int64
	// Changed is RowsAffected as MySQL reports it by default.
	Changed int64
	// Found is RowsAffected as MySQL reports it with CLIENT_FOUND_ROWS.
	Found int64
	// InsertID is the first T that the server's clock chose, else 0.
	InsertID int64
}

// writer is a statement under way.
type writer struct {
	*exec.Context
	table *kv.Table
	// selection is PARTITION (...), nil for all.
	selection *pruning.Selection
	ignore    bool
	// env is what the statement's expressions are evaluated in; done, where it
	// is set, ends their subqueries.
	env      expr.Env
	held     function.Held
	lists    expr.Lists
	done     func() error
	doubtful doubtful
	result   Result
	row      int // the number, from 1, of the row at hand
	// warned are the columns without a default that were warned of.
	warned [4]bool
}

// now is the server's clock in milliseconds. It is read for each row: a
// version that is written later must not be older.
func (w *writer) now() int64 { return w.env.Clock().UnixMilli() }

// skip turns an error of one row into a warning where IGNORE asks for it.
func (w *writer) skip(err error) error {
	if err == nil || !w.ignore {
		return err
	}
	if !ignorable(err) {
		return err
	}
	w.warn(err)
	return nil
}

func (w *writer) warn(err error) {
	e, ok := err.(*mysql.MySQLError)
	if session := w.Env.Session; ok && session != nil && session.AddWarning != nil {
		session.AddWarning(e.Number, e.Message)
	}
}

// start makes the environment of the statement's expressions.
func (w *writer) start(exprs *plan.RowExprs) {
	w.env = *w.Env
	w.held = function.Held{Limit: w.Held, Claims: w.Spill.Claims}
	w.lists = expr.Lists{}
	w.env.Held, w.env.Lists = &w.held, &w.lists
	if exprs.Subqueries() {
		w.env, w.done = exec.RowEnv(w.Context)
	}
}

// end gives up what the expressions kept; err is how the statement ended.
func (w *writer) end(err error) error {
	if err == nil {
		err = w.noteDoubtful()
	}
	if w.done == nil {
		return err
	}
	if doneErr := w.done(); err == nil {
		err = doneErr
	}
	return err
}

// put writes a version whether or not it exists.
func (w *writer) put(r *version) error {
	if err := w.placed(r); err != nil {
		return err
	}
	return w.storeError(w.Txn.Put(w.Ctx, w.table, r.cell()), r)
}

// putNew writes a version that must not exist yet (1062).
func (w *writer) putNew(r *version) error {
	if err := w.placed(r); err != nil {
		return err
	}
	ok, err := w.Txn.PutIfAbsent(w.Ctx, w.table, r.cell())
	if err == nil && !ok {
		return duplicate(r)
	}
	return w.storeError(err, r)
}

// putClock writes a version at the server's clock, and keeps its timestamp. It is never written
// in vain: it is moved on behind what would push it out, and where the clock has been put back
// by more than the TTL, the store's is taken, which has not.
func (w *writer) putClock(r *version) error {
	if err := w.putFrom(w.now(), r); err != nil || !w.expired(r.t) {
		return err
	}
	if err := w.Txn.DeleteVersion(w.Ctx, w.table, r.k, r.q, r.t); err != nil {
		return err
	}
	return w.putFrom(w.Txn.Now(), r)
}

// putFrom writes a version at the first free timestamp from one on, which it gets.
func (w *writer) putFrom(from int64, r *version) (err error) {
	r.t = from
	if err := w.placed(r); err != nil {
		return err
	}
	at, err := w.Txn.PutNext(w.Ctx, w.table, r.cell())
	if err != nil {
		return w.storeError(err, r)
	}
	r.t = at
	return w.placed(r) // it may be later than the clock
}

// placed refuses a row that no partition can hold, or none that the statement
// names (https://dev.mysql.com/doc/refman/5.7/en/partitioning-selection.html).
func (w *writer) placed(r *version) error {
	if err := noMagnitude(w.table, r.t); err != nil {
		return err
	}
	if !w.selection.Holds(r.k, r.t) {
		return mysqlerr.New(mysqlerr.RowNotInPartitions, "Found a row not matching the given partition set")
	}
	return nil
}

// noMagnitude refuses the one timestamp that has no absolute value, where the
// table has a column for that.
func noMagnitude(t *kv.Table, timestamp int64) error {
	if schema.Of(t).TimeColumn == nil || timestamp != math.MinInt64 {
		return nil
	}
	return mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT value is out of range in 'abs(`%s`.`%s`.`%s`)'", t.Database,
		t.Name, schema.Of(t).ColumnNames()[colT])
}

// storeError gives the store's errors about one row MySQL's numbers.
func (w *writer) storeError(err error, r *version) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kv.ErrNoPartition):
		return noPartition(w.table, r)
	case errors.Is(err, kv.ErrTimestampExhausted):
		return outOfRange(w.table, w.row)
	case errors.Is(err, kv.ErrLength):
		return cannotHold(w.row)
	}
	return err
}

// cannotHold is of a row that its table takes, and the store does not.
func cannotHold(rowNumber int) error {
	return mysqlerr.New(mysqlerr.DataTooLong, "Data too long or too short for a column at row %d: the store cannot hold it", rowNumber)
}

// noPartition names the row, or the absolute value of T where that is what has
// no partition.
func noPartition(t *kv.Table, r *version) error {
	if _, ok := t.Partitioning.Slice(r.t); !ok {
		return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value %d", max(r.t, -r.t))
	}
	return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value '%s'", printable(r.k))
}

func duplicate(r *version) error {
	entry := printable(r.k) + "-" + printable(r.q) + "-" + strconv.FormatInt(r.t, 10)
	return mysqlerr.New(mysqlerr.DupEntry, "Duplicate entry '%s' for key 'PRIMARY'", entry)
}

// printable shows bytes in an error as MySQL does, cut to 64 of them.
func printable(b []byte) string {
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
